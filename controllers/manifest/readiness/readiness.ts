import type { AnyObject } from "@kyma-operators/kube";
import { describeRef, refOf, type SyncedRef } from "../inventory/identity.ts";
import { type JsonRecord, show, valueAt } from "../json.ts";
import { conditionsOf, deploymentState, isObserved, statefulSetState } from "./manager-state.ts";

/** Whether one object does its work; `why` says what is missing, for people. */
export type Readiness =
  | { readonly state: "ready" }
  | { readonly state: "progressing"; readonly why: string }
  | { readonly state: "failed"; readonly why: string };

/** What is known beyond the object itself. */
export interface ReadinessFacts {
  /** Pods of the object's namespace; needed only for a StatefulSet that is not complete. */
  readonly pods?: readonly AnyObject[];
}

const ready: Readiness = { state: "ready" };
const progressing = (why: string): Readiness => ({ state: "progressing", why });
const failed = (why: string): Readiness => ({ state: "failed", why });

type Policy = (object: AnyObject, facts: ReadinessFacts) => Readiness;

/** Kinds whose objects take time; an object of any other kind is ready once it exists. */
const policies: ReadonlyMap<string, Policy> = new Map<string, Policy>([
  ["apps/Deployment", deployment],
  ["apps/StatefulSet", statefulSet],
  ["apps/DaemonSet", daemonSet],
  ["batch/Job", job],
  ["/Pod", pod],
  ["/PersistentVolumeClaim", persistentVolumeClaim],
  ["apiextensions.k8s.io/CustomResourceDefinition", customResourceDefinition],
  ["apiregistration.k8s.io/APIService", apiService],
]);

/** True for kinds that are looked at again after they were applied. */
export function takesTime(ref: Pick<SyncedRef, "group" | "kind">): boolean {
  return policies.has(`${ref.group}/${ref.kind}`);
}

/** Applies the policy of the object's kind. */
export function readinessOf(object: AnyObject, facts: ReadinessFacts = {}): Readiness {
  const { group, kind } = refOf(object);
  return policies.get(`${group}/${kind}`)?.(object, facts) ?? ready;
}

/** The first object that is not ready, and how many others are not. */
export interface Culprit {
  readonly state: "progressing" | "failed";
  readonly text: string;
}

/**
 * Sums up: a failure outweighs anything in progress; the first culprit is named, the rest is counted.
 * `undefined` means everything is ready.
 */
export function firstCulprit(
  results: readonly { readonly ref: SyncedRef; readonly readiness: Readiness }[],
): Culprit | undefined {
  const open = results.flatMap(({ ref, readiness }) => (readiness.state === "ready" ? [] : [{ ref, ...readiness }]));
  const first = open.find(({ state }) => state === "failed") ?? open[0];
  if (first === undefined) return undefined;
  const rest = open.length > 1 ? ` (and ${open.length - 1} more)` : "";
  return { state: first.state, text: `${describeRef(first.ref)}: ${first.why}${rest}` };
}

/** Readiness by the `status.state` that Kyma's custom resources show. */
export function stateReadiness(object: AnyObject): Readiness {
  const state = valueAt(object, "status", "state");
  if (state === "Ready") return ready;
  const why = state === undefined ? "has no status.state yet" : `status.state is ${show(state)}, expected Ready`;
  return state === "Error" ? failed(why) : progressing(why);
}

function deployment(object: AnyObject): Readiness {
  const state = deploymentState(object);
  if (state === "Ready") return ready;
  const conditions = conditionsOf(object);
  const rollout = conditions.find(({ type }) => type === "Progressing");
  if (state === "Error" && rollout !== undefined) return failed(conditionText(rollout));
  const culprit = conditions.find((condition) => condition["status"] !== "True") ?? conditions[0];
  const why = culprit === undefined ? "not observed yet" : conditionText(culprit);
  return state === "Error" ? failed(why) : progressing(replicaText(object, why));
}

function statefulSet(object: AnyObject, { pods }: ReadinessFacts): Readiness {
  const desired = numberAt(object, "spec", "replicas") ?? 1;
  const readyReplicas = numberAt(object, "status", "readyReplicas") ?? 0;
  const why = `${readyReplicas} of ${desired} replicas are ready`;
  if (isOutdated(object)) return progressing("not observed yet");
  if (desired === readyReplicas) return ready;
  if (pods === undefined || pods.length === 0) return progressing(why);
  const reason = waitingReason(pods);
  const isStuck = reason !== undefined && !startingReasons.has(reason) && statefulSetState(object, pods) === "Error";
  return isStuck ? failed(`${why}; its first container waits: ${reason}`) : progressing(why);
}

/** Reasons of containers that merely have not been started yet. */
const startingReasons: ReadonlySet<string> = new Set(["ContainerCreating", "PodInitializing"]);

/** Why the first container of these pods waits; `undefined` when it does not, or nobody knows yet. */
function waitingReason(pods: readonly AnyObject[]): string | undefined {
  const statuses = pods.flatMap((pod) => {
    const list = valueAt(pod, "status", "containerStatuses");
    return Array.isArray(list) ? (list as unknown[]) : [];
  });
  const reason = valueAt(statuses[0], "state", "waiting", "reason");
  return typeof reason === "string" ? reason : undefined;
}

function daemonSet(object: AnyObject): Readiness {
  if (isOutdated(object) || numberAt(object, "status", "desiredNumberScheduled") === undefined) {
    return progressing("not observed yet");
  }
  const desired = numberAt(object, "status", "desiredNumberScheduled") ?? 0;
  const available = numberAt(object, "status", "numberReady") ?? 0;
  const updated = numberAt(object, "status", "updatedNumberScheduled") ?? 0;
  const isOnDelete = valueAt(object, "spec", "updateStrategy", "type") === "OnDelete";
  if (available >= desired && (isOnDelete || updated >= desired)) return ready;
  return progressing(`${available} of ${desired} pods are ready, ${updated} updated`);
}

function job(object: AnyObject): Readiness {
  const conditions = conditionsOf(object);
  const failure = conditions.find(({ type, status }) => type === "Failed" && status === "True");
  if (failure !== undefined) return failed(conditionText(failure));
  if (conditions.some(({ type, status }) => type === "Complete" && status === "True")) return ready;
  return progressing("not complete yet");
}

function pod(object: AnyObject): Readiness {
  const phase = valueAt(object, "status", "phase");
  if (phase === "Failed") return failed("phase is Failed");
  if (phase === "Succeeded") return ready;
  const isReady = conditionsOf(object).some(({ type, status }) => type === "Ready" && status === "True");
  return isReady ? ready : progressing(`phase is ${show(phase, "unknown")}`);
}

function persistentVolumeClaim(object: AnyObject): Readiness {
  const phase = valueAt(object, "status", "phase");
  if (phase === "Bound") return ready;
  return phase === "Lost" ? failed("its volume is lost") : progressing(`phase is ${show(phase, "Pending")}`);
}

function customResourceDefinition(object: AnyObject): Readiness {
  const conditions = conditionsOf(object);
  const conflict = conditions.find(({ type, status }) => type === "NamesAccepted" && status === "False");
  if (conflict !== undefined) return failed(conditionText(conflict));
  const established = conditions.some(({ type, status }) => type === "Established" && status === "True");
  return established ? ready : progressing("not established yet");
}

function apiService(object: AnyObject): Readiness {
  const available = conditionsOf(object).find(({ type }) => type === "Available");
  if (available?.["status"] === "True") return ready;
  return progressing(available === undefined ? "not observed yet" : conditionText(available));
}

function isOutdated(object: AnyObject): boolean {
  const observed = numberAt(object, "status", "observedGeneration");
  return observed !== undefined && object.metadata.generation !== undefined && observed < object.metadata.generation;
}

function replicaText(object: AnyObject, why: string): string {
  if (!isObserved(object)) return "not observed yet";
  const desired = numberAt(object, "spec", "replicas") ?? 1;
  return `${numberAt(object, "status", "availableReplicas") ?? 0} of ${desired} replicas are available (${why})`;
}

function conditionText(condition: JsonRecord): string {
  const reason = show(condition["reason"]);
  return `${show(condition["type"])} is ${show(condition["status"])}${reason === "" ? "" : `, ${reason}`}`;
}

function numberAt(object: AnyObject, ...path: readonly string[]): number | undefined {
  const value = valueAt(object, ...path);
  return typeof value === "number" ? value : undefined;
}
