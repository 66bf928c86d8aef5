import type { AnyObject } from "@kyma-operators/kube";
import { listAt, valueAt } from "../resources/kinds/edit.ts";
import { parseTimestamp } from "../system-clock.ts";

export function isReady(pod: AnyObject): boolean {
  return listAt(pod, "status", "conditions").some(({ type, status }) => type === "Ready" && status === "True");
}

/** Ready for at least that long. */
export function isAvailable(pod: AnyObject, minReadySeconds: number, now: number): boolean {
  if (!isReady(pod)) return false;
  if (minReadySeconds === 0) return true;
  const condition = listAt(pod, "status", "conditions").find(({ type }) => type === "Ready");
  const since = parseTimestamp(condition?.lastTransitionTime) ?? now;
  return now - since >= minReadySeconds * 1000;
}

export function isFinished(pod: AnyObject): boolean {
  return phaseOf(pod) === "Succeeded" || phaseOf(pod) === "Failed";
}

export function isTerminating({ metadata }: AnyObject): boolean {
  return metadata.deletionTimestamp !== undefined;
}

/** Counts as a replica. */
export function isActive(pod: AnyObject): boolean {
  return !isFinished(pod) && !isTerminating(pod);
}

export function phaseOf(pod: AnyObject): string {
  const phase = valueAt(pod, "status", "phase");
  return typeof phase === "string" ? phase : "";
}

/** The number at a path, or the fallback. */
export function numberAt(object: unknown, fallback: number, ...path: readonly string[]): number {
  const value = valueAt(object, ...path);
  return typeof value === "number" ? value : fallback;
}
