import { redact, textOf } from "@kyma-operators/errors";
import type { KubeObject } from "@kyma-operators/kube";
import type { EventRecorder } from "@kyma-operators/runtime";

/** Events say things that happened; they are short, and of a long error the end says most. */
const longestNote = 100;

/** An event that tells of a failure. Its action repeats the reason: Kubernetes refuses an event without one. */
export function warningEvent(reason: string, error: unknown) {
  return { type: "Warning", reason, action: reason, note: redact(textOf(error)).slice(-longestNote) } as const;
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
    events.event(regarding, warningEvent(reason, error));
    throw error;
  }
}
