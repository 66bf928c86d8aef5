import { hasCode, redact, textOf } from "@kyma-operators/errors";
import type { KubeObject } from "@kyma-operators/kube";
import type { EventRecorder } from "@kyma-operators/runtime";

/** Events say things that happened; they are short, and of a long error the end says most. */
const longestNote = 100;

/** Ends of work that are nobody's failure: an object that was read too early, a replica that has to hand over. */
const noFailures = ["RUNTIME_CHANGED", "RUNTIME_LEASE_LOST", "RUNTIME_STOPPED"];

/** An event that tells of a failure. */
export function warningEvent(reason: string, error: unknown) {
  return { type: "Warning", reason, note: redact(textOf(error)).slice(-longestNote) } as const;
}

/** False for what ends some work and comes right by itself: the next pass, or the next replica, goes on. */
export function isFailure(error: unknown): boolean {
  return !noFailures.some((code) => hasCode(error, code));
}

/** The result of some work; its failure is told in an event, and passed on. */
export async function tellFailure<T>(
  work: Promise<T>,
  {
    events,
    regarding,
    reason,
  }: { readonly events: EventRecorder; readonly regarding: KubeObject; readonly reason: string },
): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (isFailure(error)) events.event(regarding, warningEvent(reason, error));
    throw error;
  }
}
