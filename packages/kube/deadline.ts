import type { Clock } from "@kyma-operators/clock";

/** A signal that follows the caller's and fires by itself after a time that can be moved. */
export interface Deadline extends Disposable {
  readonly signal: AbortSignal;
  /** Starts the time anew. */
  restart(): void;
  /** Ends what hangs on the signal. */
  abort(reason: unknown): void;
}

/** Fires `reason()` after `timeoutMs` on the clock; 0 means never. Dispose it when the work is over. */
export function startDeadline(
  clock: Clock,
  options: { readonly timeoutMs: number; readonly signal: AbortSignal | undefined; readonly reason: () => unknown },
): Deadline {
  const { timeoutMs, signal: outer, reason } = options;
  const controller = new AbortController();
  const fire = (): void => controller.abort(reason());
  const follow = (): void => controller.abort(outer?.reason);
  if (outer?.aborted) follow();
  outer?.addEventListener("abort", follow, { once: true });
  let cancel = timeoutMs > 0 ? clock.after(timeoutMs, fire) : undefined;
  return {
    signal: controller.signal,
    restart() {
      cancel?.();
      cancel = timeoutMs > 0 ? clock.after(timeoutMs, fire) : undefined;
    },
    abort(why) {
      controller.abort(why);
    },
    [Symbol.dispose]() {
      cancel?.();
      outer?.removeEventListener("abort", follow);
    },
  };
}
