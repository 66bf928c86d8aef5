import type { AnyObject } from "@kyma-operators/kube";
import {
  all,
  defaults,
  derived,
  type Edit,
  each,
  type Fields,
  inside,
  isFields,
  ofObject,
  valueAt,
  when,
  within,
} from "./edit.ts";
import { podSpecDefaults, templateDefaults } from "./pod-defaults.ts";

const isType =
  (type: string) =>
  (fields: Fields): boolean =>
    fields.type === type;

/** Without metrics an autoscaler looks at the CPU; version 1 says so in a field of its own. */
const defaultMetrics: Edit = (spec) => {
  if (spec.targetCPUUtilizationPercentage !== undefined || Array.isArray(spec.metrics)) return spec;
  const target = { type: "Utilization", averageUtilization: 80 };
  return { ...spec, metrics: [{ type: "Resource", resource: { name: "cpu", target } }] };
};

const rollingUpdate = (values: Fields): Edit =>
  all(defaults({ type: "RollingUpdate" }), when(isType("RollingUpdate"), within("rollingUpdate", defaults(values))));

const jobSpec = all(
  derived("completions", ({ parallelism }) => (parallelism === undefined ? 1 : undefined)),
  defaults({
    parallelism: 1,
    backoffLimit: 6,
    completionMode: "NonIndexed",
    suspend: false,
    podReplacementPolicy: "TerminatingOrFailed",
    manualSelector: false,
  }),
  templateDefaults,
);

/** A Job without labels has those of its template. */
const templateLabels: Edit = (job) => {
  const labels = valueAt(job, "spec", "template", "metadata", "labels");
  return isFields(labels) ? within("metadata", defaults({ labels }))(job) : job;
};

const webhook = (reinvocation: Fields): Edit =>
  all(
    defaults({
      failurePolicy: "Fail",
      matchPolicy: "Equivalent",
      namespaceSelector: {},
      objectSelector: {},
      timeoutSeconds: 10,
      ...reinvocation,
    }),
    inside("clientConfig", inside("service", defaults({ port: 443 }))),
    each("rules", defaults({ scope: "*" })),
  );

/** Subjects of people are of the RBAC group, service accounts of the core group. */
const subjects = each(
  "subjects",
  when(({ kind }) => kind === "User" || kind === "Group", defaults({ apiGroup: "rbac.authorization.k8s.io" })),
);
/** Go shows an empty list of rules as null. */
const rules: Edit = (role) =>
  Array.isArray(role.rules) && role.rules.length > 0 ? role : role.rules === null ? role : { ...role, rules: null };
const roleRef = within("roleRef", defaults({ apiGroup: "rbac.authorization.k8s.io" }));

const policyTypes = derived("policyTypes", ({ egress }) =>
  Array.isArray(egress) && egress.length > 0 ? ["Ingress", "Egress"] : ["Ingress"],
);
const policyPorts = each("ports", defaults({ protocol: "TCP" }));

const hasExternalPort = ({ type }: Fields): boolean => type === "NodePort" || type === "LoadBalancer";
const servicePorts = each(
  "ports",
  defaults({ protocol: "TCP" }),
  derived("targetPort", ({ port }) => port ?? 0),
);
const service = all(
  defaults({ type: "ClusterIP", sessionAffinity: "None" }),
  when(({ type }) => type !== "ExternalName", defaults({ internalTrafficPolicy: "Cluster" })),
  when(hasExternalPort, defaults({ externalTrafficPolicy: "Cluster" })),
  when(isType("LoadBalancer"), defaults({ allocateLoadBalancerNodePorts: true })),
  when(
    ({ sessionAffinity }) => sessionAffinity === "ClientIP",
    within("sessionAffinityConfig", within("clientIP", defaults({ timeoutSeconds: 10_800 }))),
  ),
  servicePorts,
);

/** `stringData` is write-only: its texts become `data`. */
const secretData: Edit = (secret) => {
  const { stringData, ...rest } = secret;
  if (!isFields(stringData)) return stringData === undefined ? secret : rest;
  const encoded = Object.entries(stringData).map(([key, value]) => [
    key,
    Buffer.from(String(value)).toString("base64"),
  ]);
  return { ...rest, data: { ...(isFields(secret.data) ? secret.data : {}), ...Object.fromEntries(encoded) } };
};

const claim = within("spec", defaults({ volumeMode: "Filesystem" }));

/** What Kubernetes fills in, by `group/plural`. */
export const kindDefaults: Readonly<Record<string, (object: AnyObject) => AnyObject>> = {
  "/pods": ofObject(within("spec", podSpecDefaults, defaults({ enableServiceLinks: true }))),
  "/podtemplates": ofObject(templateDefaults),
  "/replicationcontrollers": ofObject(
    within("spec", defaults({ replicas: 1 }), inside("template", within("spec", podSpecDefaults))),
  ),
  "/services": ofObject(within("spec", service)),
  "/secrets": ofObject(secretData, defaults({ type: "Opaque" })),
  "/persistentvolumeclaims": ofObject(claim),
  "/persistentvolumes": ofObject(
    within(
      "spec",
      inside(
        "hostPath",
        derived("type", () => ""),
      ),
      defaults({ volumeMode: "Filesystem", persistentVolumeReclaimPolicy: "Retain" }),
    ),
  ),
  "/endpoints": ofObject(each("subsets", each("ports", defaults({ protocol: "TCP" })))),
  "apps/deployments": ofObject(
    within(
      "spec",
      defaults({ replicas: 1, revisionHistoryLimit: 10, progressDeadlineSeconds: 600 }),
      within("strategy", rollingUpdate({ maxUnavailable: "25%", maxSurge: "25%" })),
      templateDefaults,
    ),
  ),
  "apps/replicasets": ofObject(within("spec", defaults({ replicas: 1 }), templateDefaults)),
  "apps/statefulsets": ofObject(
    within(
      "spec",
      defaults({
        replicas: 1,
        podManagementPolicy: "OrderedReady",
        revisionHistoryLimit: 10,
      }),
      within("persistentVolumeClaimRetentionPolicy", defaults({ whenDeleted: "Retain", whenScaled: "Retain" })),
      within("updateStrategy", rollingUpdate({ partition: 0 })),
      templateDefaults,
      each(
        "volumeClaimTemplates",
        defaults({ apiVersion: "v1", kind: "PersistentVolumeClaim" }),
        claim,
        within("status", defaults({ phase: "Pending" })),
      ),
    ),
  ),
  "apps/daemonsets": ofObject(
    within("metadata", within("annotations", defaults({ "deprecated.daemonset.template.generation": "1" }))),
    within(
      "spec",
      defaults({ revisionHistoryLimit: 10 }),
      within("updateStrategy", rollingUpdate({ maxUnavailable: 1, maxSurge: 0 })),
      templateDefaults,
    ),
  ),
  "batch/jobs": ofObject(templateLabels, within("spec", jobSpec)),
  "batch/cronjobs": ofObject(
    within(
      "spec",
      defaults({
        concurrencyPolicy: "Allow",
        suspend: false,
        successfulJobsHistoryLimit: 3,
        failedJobsHistoryLimit: 1,
      }),
      within("jobTemplate", within("metadata"), within("spec", templateDefaults)),
    ),
  ),
  "autoscaling/horizontalpodautoscalers": ofObject(within("spec", defaults({ minReplicas: 1 }), defaultMetrics)),
  "/limitranges": ofObject(
    within(
      "spec",
      each(
        "limits",
        when(
          ({ type }) => type === "Container",
          derived("defaultRequest", (limit) => limit.default),
        ),
      ),
    ),
  ),
  "apiregistration.k8s.io/apiservices": ofObject(
    within("spec", inside("service", defaults({ port: 443 }))),
    within("status"),
  ),
  "networking.k8s.io/networkpolicies": ofObject(
    within("spec", within("podSelector"), policyTypes, each("ingress", policyPorts), each("egress", policyPorts)),
  ),
  "rbac.authorization.k8s.io/roles": ofObject(rules),
  "rbac.authorization.k8s.io/clusterroles": ofObject(rules),
  "rbac.authorization.k8s.io/rolebindings": ofObject(subjects, roleRef),
  "rbac.authorization.k8s.io/clusterrolebindings": ofObject(subjects, roleRef),
  "admissionregistration.k8s.io/validatingwebhookconfigurations": ofObject(each("webhooks", webhook({}))),
  "admissionregistration.k8s.io/mutatingwebhookconfigurations": ofObject(
    each("webhooks", webhook({ reinvocationPolicy: "Never" })),
  ),
  "admissionregistration.k8s.io/validatingadmissionpolicies": ofObject(
    within("spec", defaults({ failurePolicy: "Fail" }), inside("matchConstraints", matchResources)),
    within("status"),
  ),
  "admissionregistration.k8s.io/validatingadmissionpolicybindings": ofObject(
    within("spec", inside("matchResources", matchResources)),
  ),
  "scheduling.k8s.io/priorityclasses": ofObject(defaults({ preemptionPolicy: "PreemptLowerPriority" })),
  "storage.k8s.io/storageclasses": ofObject(defaults({ reclaimPolicy: "Delete", volumeBindingMode: "Immediate" })),
  "discovery.k8s.io/endpointslices": ofObject(each("ports", defaults({ name: "", protocol: "TCP" }))),
  "apiextensions.k8s.io/customresourcedefinitions": ofObject(
    within(
      "spec",
      within("conversion", defaults({ strategy: "None" })),
      within("names", derived("singular", lowerKind), derived("listKind", listKind)),
    ),
  ),
};

/** What a policy or a binding selects. */
function matchResources(fields: Fields): Fields {
  return all(
    defaults({ matchPolicy: "Equivalent" }),
    within("namespaceSelector"),
    within("objectSelector"),
    each("resourceRules", defaults({ scope: "*" })),
    each("excludeResourceRules", defaults({ scope: "*" })),
  )(fields);
}

function lowerKind({ kind }: Fields): string | undefined {
  return typeof kind === "string" ? kind.toLowerCase() : undefined;
}

function listKind({ kind }: Fields): string | undefined {
  return typeof kind === "string" && kind !== "" ? `${kind}List` : undefined;
}
