import { kustomizeErrors } from "./errors.ts";
import type { Kustomization } from "./kustomization.ts";
import type { Resource } from "./resource.ts";

const orderFirst: readonly string[] = [
  "Namespace",
  "ResourceQuota",
  "StorageClass",
  "CustomResourceDefinition",
  "ServiceAccount",
  "PodSecurityPolicy",
  "Role",
  "ClusterRole",
  "RoleBinding",
  "ClusterRoleBinding",
  "ConfigMap",
  "Secret",
  "Endpoints",
  "Service",
  "LimitRange",
  "PriorityClass",
  "PersistentVolume",
  "PersistentVolumeClaim",
  "Deployment",
  "StatefulSet",
  "CronJob",
  "PodDisruptionBudget",
];
const orderLast: readonly string[] = ["MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"];

/** Puts objects in kustomize's order by kind, or leaves them as written where `sortOptions` says so. */
export function sortResources(
  resources: readonly Resource[],
  options: Kustomization["sortOptions"],
  file: string,
): readonly Resource[] {
  const order = options?.order ?? "";
  if (order === "fifo") return resources;
  if (order !== "" && order !== "legacy") {
    const problem = `sortOptions.order is ${JSON.stringify(order)}, expected legacy or fifo`;
    throw kustomizeErrors.INVALID_KUSTOMIZATION({ file, problem });
  }
  const { orderFirst: first = orderFirst, orderLast: last = orderLast } = options?.legacySortOptions ?? {};
  const ranks = new Map([
    ...first.map((kind, index) => [kind, index - first.length] as const),
    ...last.map((kind, index) => [kind, index + 1] as const),
  ]);
  const keyed = resources.map((resource) => ({ resource, rank: ranks.get(resource.kind) ?? 0, ...keysOf(resource) }));
  return keyed.sort((a, b) => a.rank - b.rank || compare(a, b)).map(({ resource }) => resource);
}

interface Keys {
  readonly kind: string;
  readonly core: boolean;
  readonly type: string;
  readonly id: string;
}

/** Group (the core group last), version and kind; then namespace (none last) and name. */
function keysOf(resource: Resource): Keys {
  const { group, version, kind, namespace, name } = resource.id;
  const type = [group || "~G", version, kind].join("_");
  return { kind, core: group === "", type, id: [namespace || "~X", name].join("|") };
}

function compare(a: Keys, b: Keys): number {
  // Namespaces of the core group come before anybody else's kind of that name.
  const namespaces = a.kind === "Namespace" && b.kind === "Namespace" && a.core !== b.core;
  if (namespaces) return a.core ? -1 : 1;
  return compareBytes(a.type, b.type) || compareBytes(a.id, b.id);
}

function compareBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
