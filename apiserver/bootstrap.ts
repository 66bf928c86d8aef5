import type { AnyObject } from "@kyma-operators/kube";
import type { Objects } from "./controllers/objects.ts";

const namespaces = ["default", "kube-node-lease", "kube-public", "kube-system"];
const everything = { apiGroups: ["*"], resources: ["*"], verbs: ["*"] };
const bootstrapping = {
  annotations: { "rbac.authorization.kubernetes.io/autoupdate": "true" },
  labels: { "kubernetes.io/bootstrapping": "rbac-defaults" },
};
const readOnly = ["get", "list", "watch"];
const full = ["create", "delete", "deletecollection", "patch", "update", ...readOnly];
const workloadGroups = ["", "apps", "batch", "autoscaling", "networking.k8s.io", "policy", "discovery.k8s.io"];

interface RoleFacts {
  readonly name: string;
  readonly rules: readonly unknown[];
}

/** The cluster roles that people bind by name. */
const clusterRoles: readonly RoleFacts[] = [
  { name: "cluster-admin", rules: [everything, { nonResourceURLs: ["*"], verbs: ["*"] }] },
  {
    name: "admin",
    rules: [
      { apiGroups: workloadGroups, resources: ["*"], verbs: full },
      { apiGroups: ["rbac.authorization.k8s.io"], resources: ["roles", "rolebindings"], verbs: full },
      { apiGroups: ["authorization.k8s.io"], resources: ["localsubjectaccessreviews"], verbs: ["create"] },
    ],
  },
  { name: "edit", rules: [{ apiGroups: workloadGroups, resources: ["*"], verbs: full }] },
  {
    name: "view",
    rules: [
      { apiGroups: workloadGroups.slice(1), resources: ["*"], verbs: readOnly },
      { apiGroups: [""], resources: viewable(), verbs: readOnly },
    ],
  },
  {
    name: "system:discovery",
    rules: [
      {
        nonResourceURLs: [
          "/api",
          "/api/*",
          "/apis",
          "/apis/*",
          "/healthz",
          "/livez",
          "/openapi",
          "/openapi/*",
          "/readyz",
          "/version",
          "/version/",
        ],
        verbs: ["get"],
      },
    ],
  },
  {
    name: "system:basic-user",
    rules: [
      {
        apiGroups: ["authorization.k8s.io"],
        resources: ["selfsubjectaccessreviews", "selfsubjectrulesreviews"],
        verbs: ["create"],
      },
      { apiGroups: ["authentication.k8s.io"], resources: ["selfsubjectreviews"], verbs: ["create"] },
    ],
  },
  {
    name: "system:auth-delegator",
    rules: [
      { apiGroups: ["authentication.k8s.io"], resources: ["tokenreviews"], verbs: ["create"] },
      { apiGroups: ["authorization.k8s.io"], resources: ["subjectaccessreviews"], verbs: ["create"] },
    ],
  },
];

/** Everything of the core group but Secrets. */
function viewable(): readonly string[] {
  return [
    "configmaps",
    "endpoints",
    "events",
    "limitranges",
    "namespaces",
    "persistentvolumeclaims",
    "pods",
    "pods/log",
    "pods/status",
    "replicationcontrollers",
    "resourcequotas",
    "serviceaccounts",
    "services",
  ];
}

const bindings: readonly { readonly name: string; readonly role: string; readonly groups: readonly string[] }[] = [
  { name: "cluster-admin", role: "cluster-admin", groups: ["system:masters"] },
  { name: "system:discovery", role: "system:discovery", groups: ["system:authenticated"] },
  { name: "system:basic-user", role: "system:basic-user", groups: ["system:authenticated"] },
];

/** Creates what every cluster starts with; leaves alone what is there. */
export async function bootstrap(objects: Objects, crds: readonly AnyObject[]): Promise<void> {
  for (const name of namespaces) await ensure(objects, "/namespaces", { metadata: { name } });
  const rbac = "rbac.authorization.k8s.io";
  for (const { name, rules } of clusterRoles)
    await ensure(objects, `${rbac}/clusterroles`, { metadata: { name, ...bootstrapping }, rules });
  for (const { name, role, groups } of bindings) {
    await ensure(objects, `${rbac}/clusterrolebindings`, {
      metadata: { name, ...bootstrapping },
      roleRef: { apiGroup: rbac, kind: "ClusterRole", name: role },
      subjects: groups.map((group) => ({ apiGroup: rbac, kind: "Group", name: group })),
    });
  }
  await ensure(objects, "/services", {
    metadata: { name: "kubernetes", namespace: "default", labels: { component: "apiserver", provider: "kubernetes" } },
    spec: { clusterIP: "10.96.0.1", ports: [{ name: "https", port: 443, targetPort: 6443 }] },
  });
  for (const crd of crds) await ensure(objects, "apiextensions.k8s.io/customresourcedefinitions", crd);
}

async function ensure(
  objects: Objects,
  collection: string,
  object: Omit<AnyObject, "apiVersion" | "kind">,
): Promise<void> {
  const { name = "", namespace = "" } = (object as AnyObject).metadata;
  if (objects.get(collection, namespace, name) === undefined) await objects.create(collection, object);
}
