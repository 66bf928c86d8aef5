import type { Clock } from "@kyma-operators/kube";
import { SteadyTime } from "./steady-time.ts";

export interface TokenBucketOptions {
  readonly clock: Clock;
  readonly perSecond: number;
  readonly burst: number;
}

/** Spreads actions over time: `burst` at once, then `perSecond`. */
export class TokenBucket {
  readonly #options: TokenBucketOptions;
  /** When the bucket was, or will be, full again. */
  #fullAt = 0;
  #pausedUntil = 0;
  readonly #time: SteadyTime;

  constructor(options: TokenBucketOptions) {
    this.#options = options;
    this.#time = new SteadyTime(options.clock);
  }

  /**
   * Takes one token and gives how long to wait before the action, in milliseconds. When that is longer than `mostMs`
   * no token is taken, and the caller must give up.
   */
  reserve(mostMs = Number.POSITIVE_INFINITY): number {
    const { perSecond, burst } = this.#options;
    const tokenMs = 1000 / perSecond;
    const now = this.#time.now();
    const fullAt = Math.max(this.#fullAt, now) + tokenMs;
    const waitMs = Math.max(0, Math.ceil(fullAt - now - burst * tokenMs), this.#pausedUntil - now);
    if (waitMs <= mostMs) this.#fullAt = fullAt;
    return waitMs;
  }

  /** Lets nothing pass for a while. */
  pause(delayMs: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, this.#time.now() + delayMs);
  }
}
