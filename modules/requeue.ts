import type { State } from "../apis/operator/state.ts";

/** How long after a pass the object is looked at again, in milliseconds. */
export interface RequeueIntervals {
  readonly successMs: number;
  readonly busyMs: number;
  readonly warningMs: number;
  readonly errorMs: number;
}

/** The intervals of Kyma and Manifest where no flag changes them. */
export const defaultIntervals: RequeueIntervals = {
  successMs: 300_000,
  busyMs: 5_000,
  warningMs: 30_000,
  errorMs: 2_000,
};

/** Spreads passes: with this probability, an interval is changed by up to `percentage` either way. */
export interface Jitter {
  readonly probability: number;
  /** Between 0 and 1. */
  readonly percentage: number;
  /** Numbers from 0 to 1. */
  readonly random: () => number;
}

const intervalOf: Readonly<Record<State, keyof RequeueIntervals>> = {
  Error: "errorMs",
  Processing: "busyMs",
  Deleting: "busyMs",
  Warning: "warningMs",
  Ready: "successMs",
  Unmanaged: "successMs",
  "": "successMs",
};

/** The interval for a state. */
export function requeueAfter(state: State, intervals: RequeueIntervals, jitter?: Jitter): number {
  const interval = intervals[intervalOf[state]];
  if (jitter === undefined || jitter.random() > jitter.probability) return interval;
  return interval * (1 + (jitter.random() * 2 - 1) * jitter.percentage);
}
