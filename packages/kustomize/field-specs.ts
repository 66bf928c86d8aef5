import type { FieldPath } from "./field-path.ts";

/** Fields that the transformers of kustomize change when a kustomization names none itself. */
const workloads: readonly FieldPath[] = [
  { kind: "Deployment", path: "" },
  { kind: "ReplicaSet", path: "" },
  { kind: "DaemonSet", path: "" },
  { group: "apps", kind: "StatefulSet", path: "" },
];

const at = (kinds: readonly FieldPath[], path: string, create = true): readonly FieldPath[] =>
  kinds.map((kind) => ({ ...kind, path, create }));

const replicationController: FieldPath = { version: "v1", kind: "ReplicationController", path: "" };
const job: FieldPath = { group: "batch", kind: "Job", path: "" };
const cronJob: FieldPath = { group: "batch", kind: "CronJob", path: "" };

const affinityTerms = ["podAffinity", "podAntiAffinity"].flatMap((affinity) => [
  `${affinity}/preferredDuringSchedulingIgnoredDuringExecution/podAffinityTerm`,
  `${affinity}/requiredDuringSchedulingIgnoredDuringExecution`,
]);

const schedulingSelectors = (kind: string): readonly FieldPath[] =>
  [...affinityTerms.map((term) => `affinity/${term}`), "topologySpreadConstraints"].map((path) => ({
    group: "apps",
    kind,
    path: `spec/template/spec/${path}/labelSelector/matchLabels`,
    create: false,
  }));

const templateLabels: readonly FieldPath[] = [
  ...at([replicationController, ...workloads, job], "spec/template/metadata/labels"),
  ...at([cronJob], "spec/jobTemplate/metadata/labels"),
  ...at([cronJob], "spec/jobTemplate/spec/template/metadata/labels"),
];

const claimLabels = at(
  [{ group: "apps", kind: "StatefulSet", path: "" }],
  "spec/volumeClaimTemplates[]/metadata/labels",
);

const metadataLabels: FieldPath = { path: "metadata/labels", create: true };

const selectors: readonly FieldPath[] = [
  ...at([{ version: "v1", kind: "Service", path: "" }, replicationController], "spec/selector"),
  ...at(workloads, "spec/selector/matchLabels"),
  ...schedulingSelectors("Deployment"),
  ...schedulingSelectors("StatefulSet"),
  ...at([job], "spec/selector/matchLabels", false),
  ...at([cronJob], "spec/jobTemplate/spec/selector/matchLabels", false),
  ...at([{ group: "policy", kind: "PodDisruptionBudget", path: "" }], "spec/selector/matchLabels", false),
  ...["spec/podSelector", "spec/ingress/from/podSelector", "spec/egress/to/podSelector"].flatMap((path) =>
    at([{ group: "networking.k8s.io", kind: "NetworkPolicy", path: "" }], `${path}/matchLabels`, false),
  ),
];

export const labelFields = {
  /** `labels` without further wishes. */
  metadata: [metadataLabels],
  /** `labels` with `includeTemplates`. */
  templates: [...templateLabels, ...claimLabels, metadataLabels],
  /** `commonLabels`, and `labels` with `includeSelectors`. */
  all: [metadataLabels, ...selectors, ...templateLabels, ...claimLabels],
} as const satisfies Readonly<Record<string, readonly FieldPath[]>>;

export const annotationFields: readonly FieldPath[] = [
  { path: "metadata/annotations", create: true },
  ...at([replicationController, ...workloads, job], "spec/template/metadata/annotations"),
  ...at([cronJob], "spec/jobTemplate/metadata/annotations"),
  ...at([cronJob], "spec/jobTemplate/spec/template/metadata/annotations"),
];

/** Images that are addressed by their path, beside lists of containers at any depth. */
export const imageFields: readonly FieldPath[] = ["spec", "spec/template/spec"].flatMap((spec) => [
  { path: `${spec}/containers[]/image`, create: true },
  { path: `${spec}/initContainers[]/image`, create: true },
]);

export const replicaFields: readonly FieldPath[] = [
  "Deployment",
  "ReplicationController",
  "ReplicaSet",
  "StatefulSet",
].map((kind) => ({ kind, path: "spec/replicas", create: true }));

/** Namespaces beside `metadata.namespace`: references that stay with what they refer to. */
export const namespaceFields: readonly FieldPath[] = [
  { group: "apiregistration.k8s.io", kind: "APIService", path: "spec/service/namespace", create: true },
  {
    group: "apiextensions.k8s.io",
    kind: "CustomResourceDefinition",
    path: "spec/conversion/webhook/clientConfig/service/namespace",
  },
];
