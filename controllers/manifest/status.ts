import {
  type Manifest,
  type ManifestConditionType,
  type ManifestStatus,
  manifestConditions,
  ownsModuleResource,
} from "../../apis/operator/manifest.ts";
import type { Condition } from "../../apis/operator/object.ts";
import type { State } from "../../apis/operator/state.ts";
import { canonicalJson } from "./inventory/digest.ts";

/** What `lastOperation` says when a Manifest enters a state; other components show these texts. */
export const operations = {
  emptyState: "object has an empty state",
  ready: "resources are ready",
  waiting: "waiting for resources to become ready",
  managerError: "manager is in error state",
  syncedChanged: "resource syncTarget state diff detected",
  incomplete: "resource syncTarget diff detected but in same oci layer, prevent sync resource to be deleted",
  pruning: "deletion is not yet finished",
  deleting: "waiting for module resources to be deleted",
  deletingModuleCR: "waiting for the default module cr to be deleted",
  waitingForModuleCRs: "waiting for module crs deletion",
} as const;

/** `waiting as other finalizers are present: [a b]`. */
export function foreignFinalizersOperation(finalizers: readonly string[]): string {
  return `waiting as other finalizers are present: [${finalizers.join(" ")}]`;
}

/**
 * Adds the conditions a Manifest must have, all `False`, and leaves those it has alone. An empty state becomes
 * `Processing`. Returns the same object when nothing was missing.
 */
export function initializeStatus(manifest: Manifest, now: string): ManifestStatus {
  const status = manifest.status ?? { state: "" };
  const present = status.conditions ?? [];
  const missing = conditionTypesFor(manifest).filter((type) => !present.some((condition) => condition.type === type));
  if (missing.length === 0 && status.state !== "") return status;

  const conditions = [...present, ...missing.map((type) => falseCondition(type, manifest.metadata.generation, now))];
  if (status.state !== "") return { ...status, conditions };
  return { ...status, conditions, state: "Processing", lastOperation: { operation: operations.emptyState } };
}

/**
 * Turns a `False` condition `True` and makes its message the last operation. A condition that is missing or `True`
 * already stays as it is: nobody sees a transition that did not happen.
 */
export function markTrue(status: ManifestStatus, type: ManifestConditionType, now: string): ManifestStatus {
  const conditions = turnTrue(status.conditions ?? [], type, now);
  if (conditions === undefined) return status;
  return { ...status, conditions, lastOperation: { operation: manifestConditions[type].True } };
}

/**
 * Moves to a state and to the operation that belongs to it. The same state keeps its operation. Entering `Ready`
 * completes the installation.
 */
export function enterState(status: ManifestStatus, state: State, now: string): ManifestStatus {
  if (status.state === state) return status;
  const installed = state === "Ready" ? turnTrue(status.conditions ?? [], "Installation", now) : undefined;
  return {
    ...status,
    state,
    ...(installed === undefined ? {} : { conditions: installed }),
    lastOperation: { operation: operationFor(state) },
  };
}

/** A state together with a text of its own: an error, a blocker, a warning. */
export function withOperation(status: ManifestStatus, state: State, operation: string): ManifestStatus {
  return { ...status, state, lastOperation: { operation } };
}

const longestText = 1_500;

/** An error as a last operation shows it: the beginning, and the end, where a chain of causes has its root. */
export function shortText(text: string): string {
  if (text.length <= longestText) return text;
  const half = longestText / 2;
  return `${text.slice(0, half)} … ${text.slice(-half)}`;
}

/** Adds, replaces or removes (`undefined`) a condition that is not part of the fixed set. */
export function withExtraCondition(
  status: ManifestStatus,
  type: string,
  next: Pick<Condition, "status" | "reason" | "message" | "observedGeneration"> | undefined,
  now: string,
): ManifestStatus {
  const conditions = status.conditions ?? [];
  const old = conditions.find((condition) => condition.type === type);
  if (next === undefined) {
    return old === undefined ? status : { ...status, conditions: conditions.filter((entry) => entry !== old) };
  }
  const lastTransitionTime = old?.status === next.status ? old.lastTransitionTime : now;
  const condition: Condition = { type, ...next, lastTransitionTime };
  if (old === undefined) return { ...status, conditions: [...conditions, condition] };
  return { ...status, conditions: conditions.map((entry) => (entry === old ? condition : entry)) };
}

/**
 * The status to write: `lastUpdateTime` moves only when the state or the text differs from what is stored.
 */
export function stampOperation(before: ManifestStatus | undefined, after: ManifestStatus, now: string): ManifestStatus {
  const operation = after.lastOperation?.operation;
  if (operation === undefined) return after;
  const same = before?.state === after.state && before.lastOperation?.operation === operation;
  const lastUpdateTime = same ? before.lastOperation?.lastUpdateTime : now;
  return { ...after, lastOperation: { operation, ...(lastUpdateTime === undefined ? {} : { lastUpdateTime }) } };
}

/** True when writing `after` over `before` would say nothing new. */
export function isSameStatus(before: ManifestStatus | undefined, after: ManifestStatus): boolean {
  return before !== undefined && canonicalJson(before) === canonicalJson(after);
}

function conditionTypesFor(manifest: Manifest): readonly ManifestConditionType[] {
  return ownsModuleResource(manifest) ? ["Resources", "Installation", "ModuleCR"] : ["Resources", "Installation"];
}

function falseCondition(type: ManifestConditionType, generation: number | undefined, now: string): Condition {
  return {
    type,
    status: "False",
    reason: manifestConditions[type].reason,
    message: manifestConditions[type].False,
    lastTransitionTime: now,
    ...(generation === undefined ? {} : { observedGeneration: generation }),
  };
}

function turnTrue(
  conditions: readonly Condition[],
  type: ManifestConditionType,
  now: string,
): readonly Condition[] | undefined {
  const found = conditions.find((condition) => condition.type === type);
  if (found?.status !== "False") return undefined;
  const turned: Condition = {
    ...found,
    status: "True",
    reason: manifestConditions[type].reason,
    message: manifestConditions[type].True,
    lastTransitionTime: now,
  };
  return conditions.map((condition) => (condition === found ? turned : condition));
}

function operationFor(state: State): string {
  if (state === "Ready") return operations.ready;
  if (state === "Deleting") return operations.deleting;
  return operations.waiting;
}
