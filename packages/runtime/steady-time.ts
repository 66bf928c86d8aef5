import type { Clock } from "@kyma-operators/kube";

/**
 * Time that never goes back, to measure spans by.
 *
 * A clock that is set back only stops it since it was last asked, so nobody waits for the old time to come again. What
 * a clock is set forward, and the sleep of a suspended machine, count as time that has passed.
 */
export class SteadyTime {
  readonly #clock: Clock;
  #last: number;
  #time: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#last = clock.now();
    this.#time = this.#last;
  }

  now(): number {
    const now = this.#clock.now();
    this.#time += Math.max(0, now - this.#last);
    this.#last = now;
    return this.#time;
  }

  /** Told by a timer that has run its time, whatever the clock says. */
  nowAtLeast(time: number): number {
    this.#time = Math.max(this.now(), time);
    return this.#time;
  }
}
