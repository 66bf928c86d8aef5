import { compareBytes } from "../go/bytes.ts";
import type { Compat } from "../version.ts";

/** Kinds in the order helm 4 installs them; uninstall goes the other way. */
export const INSTALL_ORDER: readonly string[] = [
  "PriorityClass",
  "Namespace",
  "NetworkPolicy",
  "ResourceQuota",
  "LimitRange",
  "PodSecurityPolicy",
  "PodDisruptionBudget",
  "ServiceAccount",
  "Secret",
  "SecretList",
  "ConfigMap",
  "StorageClass",
  "PersistentVolume",
  "PersistentVolumeClaim",
  "CustomResourceDefinition",
  "ClusterRole",
  "ClusterRoleList",
  "ClusterRoleBinding",
  "ClusterRoleBindingList",
  "Role",
  "RoleList",
  "RoleBinding",
  "RoleBindingList",
  "Service",
  "DaemonSet",
  "Pod",
  "ReplicationController",
  "ReplicaSet",
  "Deployment",
  "HorizontalPodAutoscaler",
  "StatefulSet",
  "Job",
  "CronJob",
  "IngressClass",
  "Ingress",
  "APIService",
  "MutatingWebhookConfiguration",
  "ValidatingWebhookConfiguration",
];

/** Kinds in the order helm removes them. */
export const UNINSTALL_ORDER: readonly string[] = [
  "ValidatingWebhookConfiguration",
  "MutatingWebhookConfiguration",
  "APIService",
  "Ingress",
  "IngressClass",
  "Service",
  "CronJob",
  "Job",
  "StatefulSet",
  "HorizontalPodAutoscaler",
  "Deployment",
  "ReplicaSet",
  "ReplicationController",
  "Pod",
  "DaemonSet",
  "RoleBindingList",
  "RoleBinding",
  "RoleList",
  "Role",
  "ClusterRoleBindingList",
  "ClusterRoleBinding",
  "ClusterRoleList",
  "ClusterRole",
  "CustomResourceDefinition",
  "PersistentVolumeClaim",
  "PersistentVolume",
  "StorageClass",
  "ConfigMap",
  "SecretList",
  "Secret",
  "ServiceAccount",
  "PodDisruptionBudget",
  "PodSecurityPolicy",
  "LimitRange",
  "ResourceQuota",
  "NetworkPolicy",
  "Namespace",
  "PriorityClass",
];

const ranks4 = new Map(INSTALL_ORDER.map((kind, index) => [kind, index]));
// helm 3 does not know the webhook configurations, which stand last in the table.
const ranks3 = new Map(INSTALL_ORDER.slice(0, -2).map((kind, index) => [kind, index]));

/** Sorts by kind and keeps the order of equal kinds; unknown kinds follow by the bytes of their name. */
export function sortByKind<T extends { readonly kind: string }>(items: readonly T[], compat: Compat): T[] {
  const ranks = compat === 3 ? ranks3 : ranks4;
  return items.toSorted((a, b) => {
    const [x, y] = [ranks.get(a.kind), ranks.get(b.kind)];
    if (x === undefined && y === undefined) return compareBytes(a.kind, b.kind);
    return (x ?? ranks.size) - (y ?? ranks.size);
  });
}
