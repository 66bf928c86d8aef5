import type { Clock, ObjectKey } from "@kyma-operators/kube";
import type { ChannelSource } from "@kyma-operators/runtime";

/** Wakes many keys over a span of time, so that a release does not reach every runtime in the same minute. */
export class Rollout implements ChannelSource {
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #wake = new Set<(key: ObjectKey) => void>();

  constructor(clock: Clock, random: () => number) {
    this.#clock = clock;
    this.#random = random;
  }

  subscribe(wake: (key: ObjectKey) => void): () => void {
    this.#wake.add(wake);
    return () => this.#wake.delete(wake);
  }

  /** Wakes each key at its own random moment before `maxDelayMs` has passed; 0 means now. */
  spread(keys: readonly ObjectKey[], maxDelayMs: number): void {
    for (const key of keys) {
      const delayMs = Math.floor(this.#random() * maxDelayMs);
      if (delayMs === 0) this.#wakeNow(key);
      else this.#clock.after(delayMs, () => this.#wakeNow(key));
    }
  }

  #wakeNow(key: ObjectKey): void {
    for (const wake of this.#wake) wake(key);
  }
}
