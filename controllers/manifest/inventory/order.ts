import type { SyncedRef } from "./identity.ts";

/**
 * Kinds that keep a module's operator alive. They are deleted last, after everything the operator may still have to
 * clean up. StatefulSet belongs here too: a StatefulSet may be the operator.
 */
const operatorKinds: ReadonlySet<string> = new Set([
  "CustomResourceDefinition",
  "Namespace",
  "ServiceAccount",
  "Role",
  "ClusterRole",
  "RoleBinding",
  "ClusterRoleBinding",
  "Service",
  "Deployment",
  "StatefulSet",
]);

/** True for the kinds that the deletion leaves for the end. */
export function isOperatorRelated(kind: string): boolean {
  return operatorKinds.has(kind);
}

/** Steps of an installation. All objects of a wave are applied before the next wave starts. */
export type Wave = "foundation" | "permissions" | "workload" | "late";

const waveOrder: readonly Wave[] = ["foundation", "permissions", "workload", "late"];

const waveOfKind: ReadonlyMap<string, Wave> = new Map([
  ["/Namespace", "foundation"],
  ["apiextensions.k8s.io/CustomResourceDefinition", "foundation"],
  ["scheduling.k8s.io/PriorityClass", "permissions"],
  ["storage.k8s.io/StorageClass", "permissions"],
  ["/ResourceQuota", "permissions"],
  ["/LimitRange", "permissions"],
  ["/ServiceAccount", "permissions"],
  ["/Secret", "permissions"],
  ["/ConfigMap", "permissions"],
  ["rbac.authorization.k8s.io/ClusterRole", "permissions"],
  ["rbac.authorization.k8s.io/ClusterRoleBinding", "permissions"],
  ["rbac.authorization.k8s.io/Role", "permissions"],
  ["rbac.authorization.k8s.io/RoleBinding", "permissions"],
  ["admissionregistration.k8s.io/MutatingWebhookConfiguration", "late"],
  ["admissionregistration.k8s.io/ValidatingWebhookConfiguration", "late"],
  ["admissionregistration.k8s.io/ValidatingAdmissionPolicy", "late"],
  ["admissionregistration.k8s.io/ValidatingAdmissionPolicyBinding", "late"],
  ["apiregistration.k8s.io/APIService", "late"],
]);

/** Groups that every cluster serves; anything else is an instance of some CRD and waits for it. */
const builtInGroups: ReadonlySet<string> = new Set([
  "",
  "admissionregistration.k8s.io",
  "apiextensions.k8s.io",
  "apiregistration.k8s.io",
  "apps",
  "autoscaling",
  "batch",
  "certificates.k8s.io",
  "coordination.k8s.io",
  "discovery.k8s.io",
  "events.k8s.io",
  "flowcontrol.apiserver.k8s.io",
  "networking.k8s.io",
  "node.k8s.io",
  "policy",
  "rbac.authorization.k8s.io",
  "scheduling.k8s.io",
  "storage.k8s.io",
]);

/** The wave of a kind. Webhooks and custom resources come last: both need a running operator. */
export function waveOf(ref: Pick<SyncedRef, "group" | "kind">): Wave {
  const known = waveOfKind.get(`${ref.group}/${ref.kind}`);
  if (known !== undefined) return known;
  return builtInGroups.has(ref.group) ? "workload" : "late";
}

/** Splits a list into its non-empty waves, in order; the order within a wave is kept. */
export function inWaves<T extends { readonly ref: SyncedRef }>(items: readonly T[]): readonly (readonly T[])[] {
  return waveOrder.map((wave) => items.filter((item) => waveOf(item.ref) === wave)).filter((items) => items.length > 0);
}
