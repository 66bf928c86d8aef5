import type { FieldPath } from "./field-path.ts";
import type { Gvk } from "./ids.ts";

/** Fields that hold the name of an object of some kind. */
export interface ReferenceFields {
  readonly target: Partial<Gvk>;
  readonly fields: readonly FieldPath[];
}

const rbac = "rbac.authorization.k8s.io";
const admission = "admissionregistration.k8s.io";

/** Pod specs by the kind that holds them. */
const podSpecs: readonly FieldPath[] = [
  { version: "v1", kind: "Pod", path: "spec" },
  { kind: "PodTemplate", path: "template/spec" },
  ...["Deployment", "ReplicaSet", "DaemonSet", "StatefulSet", "Job", "ReplicationController"].map((kind) => ({
    kind,
    path: "spec/template/spec",
  })),
  { kind: "CronJob", path: "spec/jobTemplate/spec/template/spec" },
];

const inPods = (...paths: readonly string[]): readonly FieldPath[] =>
  podSpecs.flatMap((holder) => paths.map((path) => ({ ...holder, path: `${holder.path}/${path}` })));

const inContainers = (...paths: readonly string[]): readonly FieldPath[] =>
  inPods(...["containers", "initContainers"].flatMap((list) => paths.map((path) => `${list}/${path}`)));

const on = (kind: string, ...paths: readonly string[]): readonly FieldPath[] => paths.map((path) => ({ kind, path }));

const inRoles: readonly FieldPath[] = [
  ...on("Role", "rules/resourceNames"),
  ...on("ClusterRole", "rules/resourceNames"),
];

const scaleTargets: readonly ReferenceFields[] = [
  "Deployment",
  "ReplicationController",
  "ReplicaSet",
  "StatefulSet",
].map((kind) => ({ target: { kind }, fields: on("HorizontalPodAutoscaler", "spec/scaleTargetRef/name") }));

const ingressAnnotations = (...names: readonly string[]): readonly FieldPath[] =>
  on("Ingress", ...names.map((name) => `metadata/annotations/${name}`));

/** Where kustomize looks for names of renamed objects. */
export const referenceFields: readonly ReferenceFields[] = [
  ...scaleTargets,
  {
    target: { version: "v1", kind: "ConfigMap" },
    fields: [
      ...inPods("volumes/configMap/name", "volumes/projected/sources/configMap/name"),
      ...inContainers("env/valueFrom/configMapKeyRef/name", "envFrom/configMapRef/name"),
      ...on("Node", "spec/configSource/configMap"),
      ...inRoles,
      ...ingressAnnotations("nginx.ingress.kubernetes.io\\/fastcgi-params-configmap"),
    ],
  },
  {
    target: { version: "v1", kind: "Secret" },
    fields: [
      ...inPods("volumes/secret/secretName", "volumes/projected/sources/secret/name", "imagePullSecrets/name"),
      ...inContainers("env/valueFrom/secretKeyRef/name", "envFrom/secretRef/name"),
      ...on("Ingress", "spec/tls/secretName"),
      ...ingressAnnotations(
        "ingress.kubernetes.io\\/auth-secret",
        "nginx.ingress.kubernetes.io\\/auth-secret",
        "nginx.ingress.kubernetes.io\\/auth-tls-secret",
        "nginx.ingress.kubernetes.io\\/proxy-ssl-secret",
      ),
      ...on("ServiceAccount", "imagePullSecrets/name"),
      ...on(
        "StorageClass",
        "parameters/secretName",
        "parameters/adminSecretName",
        "parameters/userSecretName",
        "parameters/secretRef",
      ),
      ...inRoles,
      ...on("PersistentVolume", "spec/azureFile/secretName"),
    ],
  },
  {
    target: { version: "v1", kind: "Service" },
    fields: [
      { group: "apps", kind: "StatefulSet", path: "spec/serviceName" },
      ...on(
        "Ingress",
        "spec/rules/http/paths/backend/serviceName",
        "spec/backend/serviceName",
        "spec/rules/http/paths/backend/service/name",
        "spec/defaultBackend/service/name",
      ),
      { group: "apiregistration.k8s.io", kind: "APIService", path: "spec/service/name" },
      { group: admission, kind: "ValidatingWebhookConfiguration", path: "webhooks/clientConfig/service" },
      { group: admission, kind: "MutatingWebhookConfiguration", path: "webhooks/clientConfig/service" },
    ],
  },
  { target: { group: rbac, kind: "Role" }, fields: [{ group: rbac, kind: "RoleBinding", path: "roleRef/name" }] },
  {
    target: { group: rbac, kind: "ClusterRole" },
    fields: ["RoleBinding", "ClusterRoleBinding"].map((kind) => ({ group: rbac, kind, path: "roleRef/name" })),
  },
  {
    target: { version: "v1", kind: "ServiceAccount" },
    fields: [
      ...["RoleBinding", "ClusterRoleBinding"].map((kind) => ({ group: rbac, kind, path: "subjects" })),
      ...inPods("serviceAccountName"),
    ],
  },
  {
    target: { version: "v1", kind: "PersistentVolumeClaim" },
    fields: inPods("volumes/persistentVolumeClaim/claimName"),
  },
  {
    target: { version: "v1", kind: "PersistentVolume" },
    fields: [...on("PersistentVolumeClaim", "spec/volumeName"), ...on("ClusterRole", "rules/resourceNames")],
  },
  {
    target: { group: "storage.k8s.io", version: "v1", kind: "StorageClass" },
    fields: [
      ...on("PersistentVolume", "spec/storageClassName"),
      ...on("PersistentVolumeClaim", "spec/storageClassName"),
      ...on("StatefulSet", "spec/volumeClaimTemplates/spec/storageClassName"),
    ],
  },
  {
    target: { group: "scheduling.k8s.io", version: "v1", kind: "PriorityClass" },
    fields: inPods("priorityClassName"),
  },
  {
    target: { group: admission, kind: "ValidatingAdmissionPolicy" },
    fields: on("ValidatingAdmissionPolicyBinding", "spec/policyName"),
  },
];
