import { setTimeout as delay } from "node:timers/promises";
import type { Clock } from "./clock.ts";

/** setTimeout counts in 32 bits; a longer delay would fire at once. */
const longestDelayMs = 2_147_483_647;

/** The time of the machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: async (delayMs, signal) => {
    signal?.throwIfAborted();
    try {
      await delay(Math.min(delayMs, longestDelayMs), undefined, signal === undefined ? {} : { signal });
    } catch {
      signal?.throwIfAborted();
    }
  },
  after: (delayMs, callback) => {
    const timer = setTimeout(callback, Math.min(delayMs, longestDelayMs)).unref();
    return () => clearTimeout(timer);
  },
};
