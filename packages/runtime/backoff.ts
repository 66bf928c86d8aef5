import type { Random } from "./system-random.ts";

export interface BackoffOptions {
  readonly firstMs: number;
  readonly maxMs: number;
  /** Share by which a delay is changed up or down, for example 0.2. */
  readonly jitter: number;
  readonly random: Random;
}

/** The delay after so many failures in a row: doubled each time, capped, with jitter. */
export function backoffDelay(failures: number, options: BackoffOptions): number {
  const { firstMs, maxMs, jitter, random } = options;
  // 2 ** 1024 is Infinity, which the cap takes care of; no failure count is too large.
  const delay = Math.min(maxMs, firstMs * 2 ** failures);
  return Math.round(delay * (1 + jitter * (2 * random() - 1)));
}

/** The delay that a server asked for in the error's detail, in milliseconds; 0 when it asked for none. */
export function retryAfterMs(error: unknown): number {
  const detail = (error as { detail?: unknown } | undefined)?.detail;
  if (typeof detail !== "object" || detail === null || !("retryAfterMs" in detail)) return 0;
  return typeof detail.retryAfterMs === "number" ? detail.retryAfterMs : 0;
}
