import type { Clock } from "@kyma-operators/kube";

/** The clock of the machine. Timers never keep the process alive alone. */
export const systemClock: Clock & { date(time: number): Date } = {
  date: (time) => new Date(time),
  now: () => Date.now(),
  sleep: (delayMs, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(signal.reason as Error);
        return;
      }
      const leave = (): void => {
        clearTimeout(timer);
        reject(signal?.reason as Error);
      };
      const timer = setTimeout(() => {
        signal?.removeEventListener("abort", leave);
        resolve();
      }, delayMs);
      timer.unref();
      signal?.addEventListener("abort", leave, { once: true });
    }),
  after: (delayMs, callback) => {
    const timer = setTimeout(callback, delayMs);
    timer.unref();
    return () => clearTimeout(timer);
  },
};

/** A moment as `metadata.creationTimestamp` has it: RFC 3339 in whole seconds. */
export function timestamp(now: number): string {
  return `${new Date(now).toISOString().slice(0, 19)}Z`;
}

/** Milliseconds since the epoch of an RFC 3339 text; `undefined` when it is none. */
export function parseTimestamp(text: unknown): number | undefined {
  const time = typeof text === "string" ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}
