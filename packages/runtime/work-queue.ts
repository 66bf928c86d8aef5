import type { Clock, ObjectKey } from "@kyma-operators/kube";
import { backoffDelay } from "./backoff.ts";
import { DelayHeap } from "./delay-heap.ts";
import { keyText } from "./keys.ts";
import { priority as priorities } from "./priorities.ts";
import { SteadyTime } from "./steady-time.ts";
import type { Random } from "./system-random.ts";
import { TokenBucket } from "./token-bucket.ts";

/** What the queue tells about itself, for metrics. */
export interface QueueObserver {
  added(priority: number): void;
  /** A key leaves the queue after this time in it. */
  started(waitedMs: number): void;
  finished(workedMs: number): void;
  retried(): void;
}

export interface WorkQueueOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** Back-off per key. */
  readonly backoff: { readonly firstMs: number; readonly maxMs: number };
  readonly observer?: QueueObserver;
  /** All keys together: failures per second, and how many at once before that counts. */
  readonly retryBudget?: { readonly perSecond: number; readonly burst: number };
}

interface Item {
  readonly key: ObjectKey;
  priority: number;
  readonly since: number;
}

/** Every so many keys the one that has waited longest goes first, whatever its priority. */
const fairTurn = 8;

/**
 * Keys to work on: each at most once in the queue, and never in work twice at a time.
 *
 * A key that is added while it is in work is queued again when that work is done. More urgent keys go first; every
 * eighth turn belongs to the key that has waited longest, so nothing starves.
 */
export class WorkQueue {
  readonly #options: WorkQueueOptions;
  /** Queued keys per priority, in order of arrival. */
  readonly #levels = new Map<number, Map<string, Item>>();
  readonly #queued = new Map<string, Item>();
  /** Keys in work, with what was added meanwhile. */
  readonly #working = new Map<string, { readonly since: number; again: Item | undefined }>();
  readonly #failures = new Map<string, number>();
  readonly #delayed = new Map<string, { readonly key: ObjectKey; readonly due: number; readonly priority: number }>();
  readonly #heap = new DelayHeap<string>();
  readonly #retries: TokenBucket;
  /** Delays go by it, so that a clock that is set back makes no key wait longer. */
  readonly #time: SteadyTime;
  readonly #idle: ((key: ObjectKey | undefined) => void)[] = [];
  #order: number[] = [];
  #turn = 0;
  #timer: { readonly due: number; readonly cancel: () => void } | undefined;
  #closed = false;

  constructor(options: WorkQueueOptions) {
    this.#options = options;
    this.#time = new SteadyTime(options.clock);
    const budget = options.retryBudget ?? { perSecond: 50, burst: 500 };
    this.#retries = new TokenBucket({ ...budget, clock: options.clock });
  }

  /** Keys waiting for a worker now; delayed ones don't count. */
  get length(): number {
    return this.#queued.size;
  }

  /** Keys waiting for their time. */
  get delayed(): number {
    return this.#delayed.size;
  }

  /** Start times of the keys in work, in milliseconds since the epoch. */
  workingSince(): readonly number[] {
    return [...this.#working.values()].map(({ since }) => since);
  }

  /** Queues a key; one that is queued already keeps its place, or moves up when this is more urgent. */
  add(key: ObjectKey, priority: number = priorities.generation): void {
    if (this.#closed) return;
    const text = keyText(key);
    const working = this.#working.get(text);
    if (working !== undefined) {
      const since = working.again?.since ?? this.#options.clock.now();
      working.again = { key, priority: Math.max(priority, working.again?.priority ?? priority), since };
      return;
    }
    const queued = this.#queued.get(text);
    if (queued === undefined) this.#enqueue(text, { key, priority, since: this.#options.clock.now() });
    else if (queued.priority < priority) this.#moveUp(text, queued, priority);
    this.#hand();
  }

  /** Queues a key after a delay. Of several delays for one key the earliest wins. */
  addAfter(key: ObjectKey, delayMs: number, priority: number = priorities.retry): void {
    if (this.#closed) return;
    if (delayMs <= 0) return this.add(key, priority);
    const text = keyText(key);
    const due = this.#time.now() + delayMs;
    const waiting = this.#delayed.get(text);
    if (waiting !== undefined && waiting.due <= due) return;
    this.#delayed.set(text, { key, due, priority });
    this.#heap.push(due, text);
    // Keys that were taken before their time leave entries behind.
    if (this.#heap.size > 2 * this.#delayed.size + 64) {
      this.#heap.compact((at, value) => this.#delayed.get(value)?.due === at);
    }
    this.#arm();
  }

  /** Queues a failed key after its back-off, or after `atLeastMs` if that is longer. Gives the delay. */
  retry(key: ObjectKey, atLeastMs = 0): number {
    const { random, backoff, observer } = this.#options;
    const text = keyText(key);
    const failures = this.#failures.get(text) ?? 0;
    this.#failures.set(text, failures + 1);
    const own = backoffDelay(failures, { ...backoff, jitter: 0.2, random });
    const delay = Math.max(own, atLeastMs, this.#retries.reserve());
    observer?.retried();
    this.addAfter(key, delay);
    return delay;
  }

  /** Failures in a row of a key. */
  failuresOf(key: ObjectKey): number {
    return this.#failures.get(keyText(key)) ?? 0;
  }

  /** Ends the back-off of a key. */
  forget(key: ObjectKey): void {
    this.#failures.delete(keyText(key));
  }

  /** The next key, when there is one; undefined once the queue is closed or the signal aborts. */
  next(signal: AbortSignal): Promise<ObjectKey | undefined> | ObjectKey | undefined {
    if (this.#closed || signal.aborted) return undefined;
    const ready = this.#take();
    if (ready !== undefined) return ready;
    return new Promise((resolve) => {
      const settle = (key: ObjectKey | undefined): void => {
        signal.removeEventListener("abort", give);
        resolve(key);
      };
      const give = (): void => {
        const index = this.#idle.indexOf(settle);
        if (index >= 0) this.#idle.splice(index, 1);
        resolve(undefined);
      };
      signal.addEventListener("abort", give, { once: true });
      this.#idle.push(settle);
    });
  }

  /** Ends the work on a key. */
  done(key: ObjectKey): void {
    const text = keyText(key);
    const working = this.#working.get(text);
    if (working === undefined) return;
    this.#working.delete(text);
    this.#options.observer?.finished(this.#options.clock.now() - working.since);
    if (working.again === undefined || this.#closed) return;
    this.#enqueue(text, working.again);
    this.#hand();
  }

  /** Drops what is queued and wakes whoever waits for a key. */
  close(): void {
    this.#closed = true;
    this.#timer?.cancel();
    for (const settle of this.#idle.splice(0)) settle(undefined);
  }

  #enqueue(text: string, item: Item): void {
    this.#queued.set(text, item);
    this.#levelOf(item.priority).set(text, item);
    this.#options.observer?.added(item.priority);
  }

  #levelOf(priority: number): Map<string, Item> {
    const present = this.#levels.get(priority);
    if (present !== undefined) return present;
    const level = new Map<string, Item>();
    this.#levels.set(priority, level);
    this.#order = [...this.#levels.keys()].sort((a, b) => b - a);
    return level;
  }

  #moveUp(text: string, item: Item, priority: number): void {
    this.#levels.get(item.priority)?.delete(text);
    item.priority = priority;
    this.#levelOf(priority).set(text, item);
  }

  #hand(): void {
    while (this.#idle.length > 0) {
      const key = this.#take();
      if (key === undefined) return;
      this.#idle.shift()?.(key);
    }
  }

  #take(): ObjectKey | undefined {
    this.#turn = (this.#turn + 1) % fairTurn;
    const entry = this.#turn === 0 ? this.#oldest() : this.#mostUrgent();
    if (entry === undefined) return undefined;
    const [text, item] = entry;
    const now = this.#options.clock.now();
    this.#levels.get(item.priority)?.delete(text);
    this.#queued.delete(text);
    // The pass that starts now decides anew when to look again.
    this.#delayed.delete(text);
    this.#working.set(text, { since: now, again: undefined });
    this.#options.observer?.started(now - item.since);
    return item.key;
  }

  #mostUrgent(): [string, Item] | undefined {
    for (const level of this.#order) {
      const [first] = this.#levels.get(level) ?? [];
      if (first !== undefined) return first;
    }
    return undefined;
  }

  #oldest(): [string, Item] | undefined {
    // A Map keeps the order of arrival, and a key that moves up keeps its place here.
    const [first] = this.#queued;
    return first;
  }

  #arm(): void {
    const due = this.#heap.nextDue;
    if (due === undefined || this.#timer?.due === due) return;
    this.#timer?.cancel();
    const delay = Math.max(0, due - this.#time.now());
    this.#timer = { due, cancel: this.#options.clock.after(delay, () => this.#release()) };
  }

  #release(): void {
    const now = this.#time.nowAtLeast(this.#timer?.due ?? 0);
    this.#timer = undefined;
    for (let entry = this.#heap.popDue(now); entry !== undefined; entry = this.#heap.popDue(now)) {
      const waiting = this.#delayed.get(entry.value);
      // An entry whose key was given an earlier time, or was taken meanwhile, is left over.
      if (waiting === undefined || waiting.due !== entry.due) continue;
      this.#delayed.delete(entry.value);
      this.add(waiting.key, waiting.priority);
    }
    this.#arm();
  }
}
