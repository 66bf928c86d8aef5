import { setImmediate } from "node:timers/promises";
import type { Clock } from "@kyma-operators/kube";

interface Timer {
  readonly due: number;
  readonly sequence: number;
  readonly callback: () => void;
}

/** Turns of the event loop that let promise chains, streams and in-process requests come to rest. */
const settleTurns = 4;

/**
 * A clock that moves only when a test says so.
 *
 * Timers fire in order of their time, those of the same time in the order they were set, and everything that a timer
 * sets off comes to rest before the next one fires.
 */
export class FakeClock implements Clock {
  /** Time that only ever moves on; timers go by it, as those of an operating system do. */
  #steady = 0;
  /** The difference to the time that {@link now} tells. */
  #offset: number;
  #sequence = 0;
  readonly #timers = new Set<Timer>();

  constructor(start: string | number = "2026-01-05T08:00:00Z") {
    this.#offset = typeof start === "number" ? start : Date.parse(start);
  }

  now(): number {
    return this.#steady + this.#offset;
  }

  /** Timers that have not fired yet. */
  get pending(): number {
    return this.#timers.size;
  }

  after(delayMs: number, callback: () => void): () => void {
    const timer = { due: this.#steady + Math.max(0, delayMs), sequence: this.#sequence++, callback };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const abort = (): void => {
        cancel();
        reject(signal?.reason);
      };
      const cancel = this.after(delayMs, () => {
        signal?.removeEventListener("abort", abort);
        resolve();
      });
      signal?.addEventListener("abort", abort, { once: true });
    });
  }

  /** Lets everything that waits for no timer come to rest. */
  async settle(): Promise<void> {
    for (let turn = 0; turn < settleTurns; turn += 1) await setImmediate();
  }

  /** Moves time by a span, firing what falls due on the way. */
  async advance(spanMs: number): Promise<void> {
    const end = this.#steady + spanMs;
    await this.settle();
    for (let timer = this.#next(); timer !== undefined && timer.due <= end; timer = this.#next()) {
      await this.#fire(timer);
    }
    this.#steady = end;
  }

  /** Changes the time that {@link now} tells, and no timer, as a corrected clock or a suspended machine does. */
  jump(spanMs: number): void {
    this.#offset += spanMs;
  }

  /**
   * Moves time from timer to timer until the condition holds. Throws when it does not within the span, or when
   * nothing is left that could make it true.
   */
  async until(condition: () => boolean | Promise<boolean>, withinMs = 600_000): Promise<void> {
    const end = this.#steady + withinMs;
    for (;;) {
      await this.settle();
      if (await condition()) return;
      const timer = this.#next();
      if (timer === undefined) throw new Error("nothing left to wait for, and the condition does not hold");
      if (timer.due > end) throw new Error(`the condition does not hold within ${withinMs} ms`);
      await this.#fire(timer);
    }
  }

  #next(): Timer | undefined {
    let first: Timer | undefined;
    for (const timer of this.#timers) {
      if (first === undefined || timer.due < first.due) first = timer;
    }
    return first;
  }

  async #fire(timer: Timer): Promise<void> {
    this.#timers.delete(timer);
    this.#steady = timer.due;
    timer.callback();
    await this.settle();
  }
}
