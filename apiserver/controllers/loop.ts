import type { Clock } from "@kyma-operators/kube";
import { ApiError } from "../api-error.ts";
import type { Core } from "../rest/call.ts";

const retryMs = 100;
const longestRetryMs = 5_000;

/**
 * Brings keys up to date, one at a time, soon after they were named: at least once, the newest state each time.
 *
 * A key whose pass throws is tried again later. Work starts in a later microtask, so naming a key inside a store's
 * listener never writes to the store in the middle of another write.
 */
export class KeyLoop {
  readonly #clock: Clock;
  readonly #sync: (key: string) => Promise<void> | void;
  readonly #onFault: Core["onFault"];
  readonly #waiting = new Set<string>();
  readonly #failures = new Map<string, number>();
  readonly #timers = new Map<string, () => void>();
  #isRunning = false;
  #stopped = false;

  constructor({ clock, onFault }: Pick<Core, "clock" | "onFault">, sync: (key: string) => Promise<void> | void) {
    this.#clock = clock;
    this.#onFault = onFault;
    this.#sync = sync;
  }

  /** Has the key looked at soon, once, however often it is named until then. */
  add(key: string): void {
    if (this.#stopped) return;
    this.#waiting.add(key);
    this.#start();
  }

  /** Has the key looked at after a while; an earlier appointment of the same key is replaced. */
  addAfter(key: string, delayMs: number): void {
    if (this.#stopped) return;
    this.#timers.get(key)?.();
    const cancel = this.#clock.after(delayMs, () => {
      this.#timers.delete(key);
      this.add(key);
    });
    this.#timers.set(key, cancel);
  }

  stop(): void {
    this.#stopped = true;
    this.#waiting.clear();
    for (const cancel of this.#timers.values()) cancel();
    this.#timers.clear();
  }

  #start(): void {
    if (this.#isRunning) return;
    this.#isRunning = true;
    queueMicrotask(() => void this.#run());
  }

  async #run(): Promise<void> {
    for (const key of this.#waiting) {
      this.#waiting.delete(key);
      await this.#pass(key);
    }
    this.#isRunning = false;
    if (this.#waiting.size > 0) this.#start();
  }

  async #pass(key: string): Promise<void> {
    try {
      await this.#sync(key);
      this.#failures.delete(key);
    } catch (error) {
      // A conflict or an admission webhook that is away: the state is looked at again, later each time.
      if (!isExpected(error)) this.#onFault(key, error);
      const failures = (this.#failures.get(key) ?? 0) + 1;
      this.#failures.set(key, failures);
      this.addAfter(key, Math.min(longestRetryMs, retryMs * 2 ** failures));
    }
  }
}

/** Others were first, or the namespace is on its way out: looking again settles it. */
function isExpected(error: unknown): boolean {
  return error instanceof ApiError && [403, 404, 409].includes(error.code);
}
