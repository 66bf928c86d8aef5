import type { AnyObject } from "@kyma-operators/kube";
import { isRecord, type JsonRecord, valueAt } from "../json.ts";

/** What a workload says about the module it runs. */
export type WorkloadState = "Ready" | "Processing" | "Error";

const progressingReasons: ReadonlySet<unknown> = new Set([
  "NewReplicaSetAvailable",
  "FoundNewReplicaSet",
  "NewReplicaSetCreated",
  "ReplicaSetUpdated",
]);

/**
 * The state of the module's manager: the first Deployment or StatefulSet among the objects as the cluster returned
 * them. No such object means there is nothing to wait for.
 *
 * @param pods - pods of the cluster; read only for a StatefulSet that is not complete.
 */
export function managerState(objects: readonly AnyObject[], pods: readonly AnyObject[]): WorkloadState {
  const manager = objects.find(({ kind }) => kind === "Deployment" || kind === "StatefulSet");
  if (manager === undefined) return "Ready";
  return manager.kind === "Deployment" ? deploymentState(manager) : statefulSetState(manager, pods);
}

/**
 * State of a Deployment by its conditions. A Deployment that its controller has not looked at yet is in progress,
 * not in error.
 */
export function deploymentState(deployment: AnyObject): WorkloadState {
  if (!isObserved(deployment)) return "Processing";
  const conditions = conditionsOf(deployment);
  const progressing = conditions.find(({ type }) => type === "Progressing");
  if (progressing?.["status"] !== "True" || !progressingReasons.has(progressing["reason"])) return "Error";
  const available = conditions.find(({ type }) => type === "Available")?.["status"] === "True";
  return available && progressing["reason"] === "NewReplicaSetAvailable" ? "Ready" : "Processing";
}

/** State of a StatefulSet by its replicas, and while these are incomplete by the first container of its pods. */
export function statefulSetState(statefulSet: AnyObject, pods: readonly AnyObject[]): WorkloadState {
  const replicas = valueAt(statefulSet, "spec", "replicas");
  if (replicas !== undefined && replicas === (valueAt(statefulSet, "status", "readyReplicas") ?? 0)) return "Ready";
  const container = firstContainerStatus(pods.filter((pod) => isPodOf(statefulSet, pod)));
  if (container?.["started"] !== true) return "Error";
  return container["ready"] === true ? "Ready" : "Processing";
}

/** `status.conditions` of any object, without what is no condition. */
export function conditionsOf(object: AnyObject): readonly JsonRecord[] {
  const conditions = valueAt(object, "status", "conditions");
  return Array.isArray(conditions) ? conditions.filter(isRecord) : [];
}

/** True when the controller of a workload has seen its newest generation and said something about it. */
export function isObserved(workload: AnyObject): boolean {
  const observed = valueAt(workload, "status", "observedGeneration");
  const { generation } = workload.metadata;
  const stale = typeof observed === "number" && generation !== undefined && observed < generation;
  return !stale && conditionsOf(workload).length > 0;
}

function firstContainerStatus(pods: readonly AnyObject[]): JsonRecord | undefined {
  return pods
    .flatMap((pod) => {
      const statuses = valueAt(pod, "status", "containerStatuses");
      return Array.isArray(statuses) ? statuses.filter(isRecord) : [];
    })
    .at(0);
}

function isPodOf(statefulSet: AnyObject, pod: AnyObject): boolean {
  const selector = valueAt(statefulSet, "spec", "selector", "matchLabels");
  const { labels = {}, namespace } = pod.metadata;
  return (
    namespace === statefulSet.metadata.namespace &&
    isRecord(selector) &&
    Object.entries(selector).every(([key, value]) => labels[key] === value)
  );
}
