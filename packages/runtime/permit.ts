import { AsyncLocalStorage } from "node:async_hooks";

/** What allows passes: a lease, or one shard of several. */
export interface Permit {
  /** True while nobody else may act on the same keys. */
  readonly held: boolean;
  /** Aborts what may not go on. */
  readonly signal: AbortSignal;
  /** Runs a pass under this permit, which is not given up before the pass has ended. */
  run<T>(pass: () => Promise<T>): Promise<T>;
}

/** The permit of the pass that runs now. Only sharded groups need it: there a client can't know for whom it writes. */
export const currentPermit = new AsyncLocalStorage<Permit>();

/** Counts the passes under way, so that a shard is left only when they have ended. */
export class CountedPermit implements Permit {
  readonly signal: AbortSignal;
  readonly #isHeld: () => boolean;
  readonly #idle: (() => void)[] = [];
  #inWork = 0;
  #closed = false;

  constructor(signal: AbortSignal, isHeld: () => boolean) {
    this.signal = signal;
    this.#isHeld = isHeld;
  }

  get held(): boolean {
    return this.#isHeld();
  }

  /** False once no new pass may begin. */
  get open(): boolean {
    return !this.#closed && this.held;
  }

  async run<T>(pass: () => Promise<T>): Promise<T> {
    this.#inWork += 1;
    try {
      return await currentPermit.run(this, pass);
    } finally {
      this.#inWork -= 1;
      if (this.#inWork === 0) for (const resolve of this.#idle.splice(0)) resolve();
    }
  }

  /** Lets no new pass begin; resolves when those under way have ended. */
  close(): Promise<void> {
    this.#closed = true;
    if (this.#inWork === 0) return Promise.resolve();
    return new Promise((resolve) => this.#idle.push(resolve));
  }
}
