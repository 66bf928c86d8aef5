import { textOf } from "@kyma-operators/errors";
import type { Client, Clock } from "@kyma-operators/kube";
import { connectivityProblem, type Logger } from "@kyma-operators/runtime";

const firstPauseMs = 1000;
const longestPauseMs = 15_000;
const timeoutMs = 10_000;

/**
 * Resolves once the API server answers.
 *
 * What is read at the start decides what a process does until its end, so an outage must not be taken for an answer.
 * Rejects when the signal aborts, and at once when the server does not take our credentials.
 */
export async function awaitApiServer(
  client: Client,
  { clock, log }: { readonly clock: Clock; readonly log: Logger },
  signal: AbortSignal,
): Promise<void> {
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
    try {
      await client.raw("/version", { timeoutMs, signal });
      return;
    } catch (error) {
      signal.throwIfAborted();
      const problem = connectivityProblem(error);
      if (problem === "unauthorized") throw error;
      if (problem === undefined) return;
      log.warn(
        { error: textOf(error), problem, retryInMs: pauseMs },
        "the API server does not answer; nothing starts before it does",
      );
      await clock.sleep(pauseMs, signal);
    }
  }
}
