import type { Shoot } from "@kyma-operators/gardener";
import { annotations, type Runtime, shootMarks } from "../../apis/infrastructure/index.ts";
import { isAhead } from "./operation.ts";

/** What to do with the Shoot of a Runtime. */
export type Decision =
  /** Apply the Runtime's wish. */
  | { readonly kind: "patch"; readonly isForced: boolean }
  /** Follow the operation that runs, and configure the cluster when it is done. */
  | { readonly kind: "follow" }
  /** Nothing. */
  | { readonly kind: "rest" }
  /** The Shoot carries something that can't be understood; somebody has to look. */
  | { readonly kind: "puzzled"; readonly problem: string };

export function isForced({ metadata }: Runtime): boolean {
  return metadata.annotations?.[annotations.forcePatch] === "true";
}

export function isSuspended({ metadata }: Runtime): boolean {
  return metadata.annotations?.[annotations.suspendPatch] === "true";
}

/**
 * Decides by what the Shoot says was applied last, whatever the Runtime's state is: so nothing is lost when a change
 * comes during an operation, and a restart decides the same.
 */
export function decide(runtime: Runtime, shoot: Shoot): Decision {
  const applied = appliedGeneration(shoot);
  if (!isSuspended(runtime)) {
    if (isForced(runtime) || applied === undefined) return { kind: "patch", isForced: isForced(runtime) };
    if (Number.isNaN(applied))
      return { kind: "puzzled", problem: `annotation ${shootMarks.runtimeGeneration} is no number` };
    if (applied < (runtime.metadata.generation ?? 0)) return { kind: "patch", isForced: false };
  }
  return isDone(runtime, shoot) ? { kind: "rest" } : { kind: "follow" };
}

/** NaN when the annotation is no number, undefined when there is none. */
function appliedGeneration({ metadata }: Shoot): number | undefined {
  const text = metadata.annotations?.[shootMarks.runtimeGeneration];
  if (text === undefined) return undefined;
  return /^\d+$/.test(text) ? Number(text) : Number.NaN;
}

/** Ready, with the cluster configured for this generation, and Gardener at rest. */
function isDone(runtime: Runtime, shoot: Shoot): boolean {
  const isReady = runtime.status?.state === "Ready" && isConfigured(runtime);
  return isReady && !isAhead(shoot) && shoot.status?.lastOperation?.state === "Succeeded";
}

/** Runtimes taken over from the original carry no generation in their conditions; their state alone counts. */
function isConfigured({ metadata, status }: Runtime): boolean {
  const configured = status?.conditions?.find(({ type }) => type === "Configured");
  return (configured?.observedGeneration ?? Infinity) >= (metadata.generation ?? 0);
}
