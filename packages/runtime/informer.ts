import type { Client, Clock, KubeObject, Resource } from "@kyma-operators/kube";
import { deepFreeze } from "./freeze.ts";
import { keyOf, keyText } from "./keys.ts";
import { Reflector, type ReflectorSink, type Selection } from "./reflector.ts";
import { compareVersions } from "./resource-versions.ts";
import { IndexedStore } from "./store.ts";
import type { Random } from "./system-random.ts";
import type { Change, IndexFunction, Informer, Logger } from "./types.ts";

export interface SharedInformerOptions<T extends KubeObject> {
  readonly client: Client;
  readonly resource: Resource;
  readonly selection: Selection;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Freeze what enters the store. */
  readonly freeze: boolean;
  readonly relistMs: number;
  /** Cuts an object down before it is stored. */
  readonly transform: ((object: T) => T) | undefined;
  /** Called for each failure of list or watch, for metrics. */
  readonly onFailure: (error: unknown) => void;
}

type Handler<T> = (change: Change<T>) => void;

/**
 * The watch-fed copy of one kind with its handlers.
 *
 * `managedFields` are not kept: nobody reads them from a store, and they are half of many objects. Identity is the
 * uid, so an object that was deleted and created again is reported as deleted and added even when the deletion itself
 * was never seen.
 */
export class SharedInformer<T extends KubeObject> implements Informer<T> {
  readonly resource: Resource;
  readonly selection: Selection;
  readonly store: IndexedStore<T>;
  synced = false;
  /** Last sign of life of the list or watch, in milliseconds since the epoch. */
  aliveAt: number;
  /** Why there has been no sign of life since. */
  failure: unknown;
  readonly #options: SharedInformerOptions<T>;
  readonly #handlers = new Set<Handler<T>>();
  readonly #listeners = new Set<(seen: Seen) => void>();
  readonly #syncWaiters: (() => void)[] = [];
  readonly #reflector: Reflector<T>;

  constructor(options: SharedInformerOptions<T>) {
    this.#options = options;
    this.resource = options.resource;
    this.selection = options.selection;
    this.store = new IndexedStore(options.resource.kind);
    this.aliveAt = options.clock.now();
    const { client, resource, selection, clock, random, log, relistMs } = options;
    this.#reflector = new Reflector({ client, resource, selection, clock, random, log, relistMs, sink: this.#sink() });
  }

  addIndexes(indexes: Readonly<Record<string, IndexFunction<T>>>): void {
    for (const [name, valuesOf] of Object.entries(indexes)) this.store.addIndex(name, valuesOf);
  }

  onChange(handler: Handler<T>): () => void {
    this.#handlers.add(handler);
    // Whoever comes late still hears of everything that is there.
    if (this.synced) for (const object of this.store.list()) handler({ type: "added", object, initial: true });
    return () => this.#handlers.delete(handler);
  }

  /** Tells what the watch has shown, for those who wait for their own writes. */
  onSeen(listener: (seen: Seen) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Resolves when the first list is complete, or when the signal aborts. */
  whenSynced(signal: AbortSignal): Promise<void> {
    if (this.synced || signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      this.#syncWaiters.push(resolve);
      signal.addEventListener("abort", () => resolve(), { once: true });
    });
  }

  /** Follows the collection until the signal aborts. */
  run(signal: AbortSignal): Promise<void> {
    return this.#reflector.run(signal);
  }

  /** Lists again, because the server contradicts the store; at most once a minute. */
  relist(): void {
    this.#reflector.relist();
  }

  #sink(): ReflectorSink<T> {
    return {
      replace: (items, resourceVersion) => this.#replace(items, resourceVersion),
      upsert: (object) => this.#upsert(this.#prepare(object)),
      remove: (object) => this.#remove(object),
      alive: () => {
        this.aliveAt = this.#options.clock.now();
        this.failure = undefined;
      },
      failed: (error) => {
        this.failure = error;
        this.#options.onFailure(error);
      },
    };
  }

  #prepare(object: T): T {
    delete object.metadata.managedFields;
    const prepared = this.#options.transform === undefined ? object : this.#options.transform(object);
    return this.#options.freeze ? deepFreeze(prepared) : prepared;
  }

  #replace(items: readonly T[], resourceVersion: string): void {
    const present = new Set(items.map((item) => keyText(keyOf(item))));
    for (const old of this.store.list()) {
      if (!present.has(keyText(keyOf(old)))) this.#remove(old);
    }
    for (const item of items) this.#upsert(this.#prepare(item), true);
    this.#notify({ kind: "list", resourceVersion });
    this.synced = true;
    for (const resolve of this.#syncWaiters.splice(0)) resolve();
  }

  #upsert(object: T, listed = false): void {
    const old = this.store.get(keyOf(object));
    if (old === undefined) {
      this.store.put(object);
      this.#emit({ type: "added", object, initial: listed && !this.synced });
    } else if (old.metadata.uid !== object.metadata.uid) {
      this.#remove(old);
      this.store.put(object);
      this.#emit({ type: "added", object, initial: false });
    } else if (isNews(old, object, listed)) {
      this.store.put(object);
      this.#emit({ type: "updated", object, old });
    }
    this.#notify({ kind: "object", object });
  }

  #remove(object: T): void {
    const old = this.store.get(keyOf(object));
    // A late event about the predecessor says nothing about the object of today.
    if (old !== undefined && old.metadata.uid === object.metadata.uid) {
      this.store.remove(keyOf(object));
      this.#emit({ type: "deleted", object });
    }
    this.#notify({ kind: "gone", object });
  }

  #emit(change: Change<T>): void {
    for (const handler of this.#handlers) handler(change);
  }

  #notify(seen: Seen): void {
    for (const listener of this.#listeners) listener(seen);
  }
}

/** What an informer has just read: one object, its deletion, or the whole list. */
export type Seen =
  | { readonly kind: "object"; readonly object: KubeObject }
  | { readonly kind: "gone"; readonly object: KubeObject }
  | { readonly kind: "list"; readonly resourceVersion: string };

/** A list is the truth even where its version looks older (a restored backup); an event may be a late repetition. */
function isNews(old: KubeObject, next: KubeObject, listed: boolean): boolean {
  const [before = "", after = ""] = [old.metadata.resourceVersion, next.metadata.resourceVersion];
  return listed ? before !== after : (compareVersions(before, after) ?? -1) < 0;
}
