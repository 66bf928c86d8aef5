import type { Clock } from "@kyma-operators/kube";
import { backoffDelay } from "./backoff.ts";
import { SteadyTime } from "./steady-time.ts";
import type { Random } from "./system-random.ts";

export interface BreakerOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** Failures in a row after which nothing is tried for a while. */
  readonly failures: number;
  /** First and longest time of doing nothing, in milliseconds. */
  readonly firstMs: number;
  readonly maxMs: number;
  /** Called each time it opens, with the length of the pause in milliseconds, and when it closes again. */
  readonly onChange?: (pauseMs: number | undefined) => void;
}

/**
 * Leaves something alone that does not answer.
 *
 * After some failures in a row it opens for a while, doubled each time. When that is over, one call is let through as
 * a trial; its success closes the breaker, its failure opens it again.
 */
export class Breaker {
  readonly #options: BreakerOptions;
  readonly #time: SteadyTime;
  #failures = 0;
  #rounds = 0;
  #openUntil = 0;
  #trying = false;

  constructor(options: BreakerOptions) {
    this.#options = options;
    this.#time = new SteadyTime(options.clock);
  }

  get open(): boolean {
    return this.#failures >= this.#options.failures;
  }

  /** How long to leave it alone, in milliseconds; 0 lets this call through. */
  admit(): number {
    if (!this.open) return 0;
    const rest = this.#openUntil - this.#time.now();
    if (rest > 0) return rest;
    if (this.#trying) return 1000;
    this.#trying = true;
    return 0;
  }

  succeeded(): void {
    const wasOpen = this.open;
    this.#failures = 0;
    this.#rounds = 0;
    this.#trying = false;
    if (wasOpen) this.#options.onChange?.(undefined);
  }

  failed(): void {
    const { random, failures, firstMs, maxMs, onChange } = this.#options;
    this.#failures += 1;
    const wasTrial = this.#trying;
    this.#trying = false;
    // Calls that were under way when it opened say nothing new.
    if (this.#failures < failures || (this.#failures > failures && !wasTrial)) return;
    const pauseMs = backoffDelay(this.#rounds, { firstMs, maxMs, jitter: 0.2, random });
    this.#openUntil = this.#time.now() + pauseMs;
    this.#rounds += 1;
    onChange?.(pauseMs);
  }

  /** A trial that ended without telling anything, for example because its caller gave up. */
  undecided(): void {
    this.#trying = false;
  }
}
