import { randomUUID } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import { isAppError, retryOf, textOf } from "@kyma-operators/errors";
import type { Clock, KubeObject, ObjectKey } from "@kyma-operators/kube";
import { retryAfterMs } from "./backoff.ts";
import { runtimeErrors } from "./errors.ts";
import type { ControllerMetrics } from "./instruments.ts";
import { keyOf } from "./keys.ts";
import type { Permit } from "./permit.ts";
import { priority } from "./priorities.ts";
import type { Random } from "./system-random.ts";
import type { Change, Context, ControllerDefinition, Logger, Outcome, WatchDefinition } from "./types.ts";
import { WorkQueue } from "./work-queue.ts";

export interface ControllerDependencies {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: ControllerMetrics;
  /** Waits until the informers have shown our own writes; undefined when they have. */
  readonly settled: (signal: AbortSignal) => Promise<void> | undefined;
  /** What allows a pass over the key; undefined when it is somebody else's. */
  readonly permitFor: (key: ObjectKey) => Permit | undefined;
}

const defaultPassTimeoutMs = 300_000;
const defaultBackoff = { firstMs: 500, maxMs: 300_000 };
/** A failure that only a change can help is looked at again after this all the same: not every cause is watched. */
const stalledRetryMs = 600_000;
/** Delays from here on are spread by up to a tenth, so that keys do not come in herds. */
const jitteredFromMs = 10_000;

const passesPerTurn = 32;

/** Feeds changes to a queue and works it off, one pass per key at a time. */
export class ControllerLoop {
  readonly definition: ControllerDefinition;
  readonly queue: WorkQueue;
  readonly #deps: ControllerDependencies;

  constructor(definition: ControllerDefinition, deps: ControllerDependencies) {
    const { clock, random, metrics } = deps;
    this.definition = definition;
    this.#deps = deps;
    const backoff = definition.backoff ?? defaultBackoff;
    this.queue = new WorkQueue({ clock, random, backoff, observer: metrics.queue });
    metrics.observeQueue(this.queue, definition.concurrency ?? 1);
  }

  /** Starts to queue keys; workers may come much later (warm standby). The returned function ends it. */
  subscribe(): () => void {
    const { watches, sources = [] } = this.definition;
    const enders = watches.map((watch) => watch.informer.onChange((change) => this.#onChange(watch, change)));
    for (const source of sources) {
      enders.push(source.subscribe((key, options) => this.queue.add(key, options?.priority ?? priority.change)));
    }
    return () => {
      for (const end of enders) end();
    };
  }

  /** Works until `stop` aborts, then finishes the passes in work, which their permits may break off. */
  async run(stop: AbortSignal): Promise<void> {
    const workers = Array.from({ length: this.definition.concurrency ?? 1 }, () => this.#work(stop));
    await Promise.all(workers);
  }

  /** Queues every key that the watches know of and for which this is true, as a first list does. */
  resync(concerns: (key: ObjectKey) => boolean): void {
    const changesOf = (watch: WatchDefinition): readonly Change<KubeObject>[] =>
      watch.informer.store.list().map((object) => ({ type: "added", object, initial: true }));
    for (const watch of this.definition.watches) {
      const keys = changesOf(watch).flatMap((change) => keysFor(watch, change));
      for (const key of keys) if (concerns(key)) this.queue.add(key, priority.resync);
    }
  }

  #onChange(watch: WatchDefinition, change: Change<KubeObject>): void {
    const urgency = urgencyOf(change, watch.map === undefined ? priority.change : priority.generation);
    for (const key of keysFor(watch, change)) this.queue.add(key, urgency);
  }

  async #work(stop: AbortSignal): Promise<void> {
    for (let passes = 1; ; passes += 1) {
      // Passes that do no I/O follow each other without a turn of the event loop; leases and probes need theirs.
      if (passes % passesPerTurn === 0) await setImmediate();
      const taken = this.queue.next(stop);
      const key = taken instanceof Promise ? await taken : taken;
      if (key === undefined) return;
      try {
        const permit = this.#deps.permitFor(key);
        if (permit !== undefined) await permit.run(() => this.#pass(key, permit.signal));
      } finally {
        this.queue.done(key);
      }
    }
  }

  async #pass(key: ObjectKey, abort: AbortSignal): Promise<void> {
    const { clock, settled } = this.#deps;
    const pass = new Pass(this.definition, key, this.#deps, abort);
    try {
      const behind = settled(abort);
      if (behind !== undefined) await behind;
      pass.start();
      const outcome = await this.definition.reconcile(key, pass);
      this.#succeeded(key, outcome, clock.now() - pass.now);
    } catch (error) {
      if (abort.aborted) this.queue.add(key, priority.retry);
      else this.#failed(key, error, pass);
    } finally {
      pass.end();
    }
  }

  #succeeded(key: ObjectKey, outcome: Outcome, tookMs: number): void {
    const { metrics, random } = this.#deps;
    this.queue.forget(key);
    metrics.passed(outcome.kind === "done" ? "success" : "requeue_after", tookMs);
    if (outcome.kind === "done") return;
    const spread = outcome.afterMs >= jitteredFromMs ? 1 + 0.1 * random() : 1;
    this.queue.addAfter(key, Math.round(outcome.afterMs * spread));
  }

  #failed(key: ObjectKey, thrown: unknown, pass: Pass): void {
    const { clock, metrics } = this.#deps;
    const error = pass.timedOut ?? thrown;
    const stalled = retryOf(error) !== "backoff";
    const failures = this.queue.failuresOf(key) + 1;
    const delayMs = stalled ? this.#stall(key) : this.queue.retry(key, retryAfterMs(error));
    metrics.failed(stalled, clock.now() - pass.now);
    const code = isAppError(error) ? error.code : undefined;
    pass.log.warn({ code, error: textOf(error), failures, retryInMs: delayMs }, "the pass failed");
  }

  #stall(key: ObjectKey): number {
    this.queue.forget(key);
    const delayMs = Math.round(stalledRetryMs * (1 + 0.1 * this.#deps.random()));
    this.queue.addAfter(key, delayMs, priority.resync);
    return delayMs;
  }
}

/** The keys that a change wakes. */
function keysFor(watch: WatchDefinition, change: Change<KubeObject>): readonly ObjectKey[] {
  if (watch.predicate?.(change) === false) return [];
  return watch.map?.(change) ?? [keyOf(change.object)];
}

/** A first list is a resync; a change of the object itself is as urgent as its kind of watch allows. */
function urgencyOf(change: Change<KubeObject>, most: number): number {
  if (change.type === "added") return change.initial ? priority.resync : most;
  if (change.type === "deleted") return most;
  return isOwnChange(change.old, change.object) ? most : priority.generation;
}

/** True when more than the status has changed. */
function isOwnChange({ metadata: a }: KubeObject, { metadata: b }: KubeObject): boolean {
  return (
    a.generation !== b.generation ||
    a.deletionTimestamp !== b.deletionTimestamp ||
    !sameTexts(a.labels, b.labels) ||
    !sameTexts(a.annotations, b.annotations)
  );
}

function sameTexts(a: Readonly<Record<string, string>> = {}, b: Readonly<Record<string, string>> = {}): boolean {
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => a[name] === b[name]);
}

/** The context of one pass. The log is made when it is first used: most passes have nothing to say. */
class Pass implements Context {
  now: number;
  timedOut: Error | undefined;
  readonly #definition: ControllerDefinition;
  readonly #key: ObjectKey;
  readonly #deps: ControllerDependencies;
  readonly #controller = new AbortController();
  readonly #abort: AbortSignal;
  #cancel: (() => void) | undefined;
  #log: Logger | undefined;

  constructor(definition: ControllerDefinition, key: ObjectKey, deps: ControllerDependencies, abort: AbortSignal) {
    this.#definition = definition;
    this.#key = key;
    this.#deps = deps;
    this.#abort = abort;
    this.now = deps.clock.now();
    abort.addEventListener("abort", this.#follow, { once: true });
    if (abort.aborted) this.#follow();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get log(): Logger {
    this.#log ??= this.#deps.log.child({
      controller: this.#definition.name,
      ...(this.#key.namespace === "" ? {} : { namespace: this.#key.namespace }),
      name: this.#key.name,
      reconcileID: randomUUID(),
    });
    return this.#log;
  }

  /** The time of the pass begins, after the wait for our own writes. */
  start(): void {
    const afterMs = this.#definition.passTimeoutMs ?? defaultPassTimeoutMs;
    this.now = this.#deps.clock.now();
    this.#cancel = this.#deps.clock.after(afterMs, () => {
      this.timedOut = runtimeErrors.PASS_TIMEOUT({ controller: this.#definition.name, afterMs });
      this.#controller.abort(this.timedOut);
    });
  }

  end(): void {
    this.#cancel?.();
    this.#abort.removeEventListener("abort", this.#follow);
  }

  readonly #follow = (): void => this.#controller.abort(this.#abort.reason);
}
