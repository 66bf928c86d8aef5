import { setImmediate } from "node:timers/promises";

/** One figure of the results page. */
export interface Measurement {
  /** Row of the targets table, for example `P13`. */
  readonly id: string;
  /** What was measured, for example `server-side apply of a Pod`. */
  readonly what: string;
  readonly value: number;
  /** For example `µs`, `requests/s`, `× helm`. */
  readonly unit: string;
  /** The target as a person reads it, for example `≤ 283 µs`. */
  readonly target: string;
  /** Whether the target is met; absent where there is none. */
  readonly met?: boolean;
  /** The same work by another program in the same run. */
  readonly peer?: { readonly name: string; readonly value: number };
  readonly note?: string;
  /** Where the figure stands on a curve of the results page. */
  readonly point?: { readonly curve: string; readonly size: number };
}

export interface RunOptions {
  /** Only show that the workload runs: smallest sizes, figures without meaning. */
  readonly smoke: boolean;
}

/** A file of `bench/` that measures one thing; registered in `workloads.ts`. */
export interface Workload {
  readonly name: string;
  run(options: RunOptions): Promise<readonly Measurement[]>;
}

/**
 * Processor time of this process, controllers and embedded API servers alike, in seconds: other work on the machine does
 * not count. With one thread it is what a clock shows on a machine that does nothing else.
 */
export function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000_000;
}

/** Memory that this process needs, without what could be collected. Needs `--expose-gc`. */
export async function usedBytes(): Promise<number> {
  for (let turn = 0; turn < 3; turn += 1) {
    globalThis.gc?.();
    await setImmediate();
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** The smallest value that is not exceeded by this share of all. */
export function quantile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.ceil(values.length * share) - 1] ?? Number.NaN;
}

/** The middle one of several runs; machines are noisy. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2;
}

/** Median duration of one call in milliseconds, after a warm-up that lets the compiler settle. */
export async function medianMs(runs: number, work: () => unknown): Promise<number> {
  for (let run = 0; run < Math.min(runs, 3); run++) await work();
  const times: number[] = [];
  for (let run = 0; run < runs; run++) {
    const start = performance.now();
    await work();
    times.push(performance.now() - start);
  }
  return median(times);
}
