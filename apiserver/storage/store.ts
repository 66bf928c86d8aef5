import type { AnyObject } from "@kyma-operators/kube";
import { Dependents } from "./dependents.ts";
import type { StoreKey } from "./store-key.ts";

/** One version of one object. Never changed once it is in the store. */
export interface Stored {
  readonly object: AnyObject;
  readonly revision: number;
  /** The object as JSON text, made once. */
  json(): string;
  /** The text without `kind` and `apiVersion`, as lists of built-in kinds hold it. */
  itemJson(): string;
}

/** One change, in order of revision. */
export interface StoreEvent {
  readonly collection: string;
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly namespace: string;
  readonly name: string;
  /** The new state; for DELETED the last state with the revision of the deletion. */
  readonly stored: Stored;
  readonly previous: Stored | undefined;
}

/** Keeps objects beyond the process; see `storage/sqlite-files.ts`. */
export interface Journal {
  load(): Iterable<StoreKey & { readonly revision: number; readonly json: string }>;
  revision(): number;
  /** Durable when it returns. `undefined` removes the object. */
  write(key: StoreKey, revision: number, json: string | undefined): void;
  close(): void;
}

/** Objects as they were at one revision. */
export interface Snapshot {
  readonly revision: number;
  readonly items: readonly Stored[];
}

interface Bucket {
  readonly items: Map<string, Stored>;
  /** Names in order; absent after an object came or went. */
  names: readonly string[] | undefined;
}

interface Collection {
  readonly buckets: Map<string, Bucket>;
  readonly history: StoreEvent[];
  /** History before and at this revision is forgotten. */
  compacted: number;
  readonly listeners: Set<(event: StoreEvent) => void>;
}

const historyLimit = 10_000;

/**
 * All objects of one server, with a revision that grows by one per write.
 *
 * Reads and writes are synchronous, so a read-compute-write without an `await` in between is atomic. Listeners are
 * called in the order of revisions, before `put` and `remove` return.
 */
export class Store {
  readonly #collections = new Map<string, Collection>();
  readonly #everyone = new Set<(event: StoreEvent) => void>();
  readonly #dependents = new Dependents();
  readonly #journal: Journal | undefined;
  #revision = 1;

  constructor(journal?: Journal) {
    this.#journal = journal;
    if (journal === undefined) return;
    for (const { collection, namespace, name, revision, json } of journal.load()) {
      const bucket = bucketOf(this.#collection(collection), namespace);
      const object = JSON.parse(json) as AnyObject;
      bucket.items.set(name, storedVersion(object, revision, json));
      this.#dependents.track({ collection, namespace, name }, object, undefined);
    }
    this.#revision = Math.max(1, journal.revision());
    for (const collection of this.#collections.values()) collection.compacted = this.#revision;
  }

  /** The revision of the last write. */
  get revision(): number {
    return this.#revision;
  }

  get({ collection, namespace, name }: StoreKey): Stored | undefined {
    return this.#collections.get(collection)?.buckets.get(namespace)?.items.get(name);
  }

  /** Objects of a namespace, or of all, ordered by namespace and name. */
  list(collection: string, namespace?: string): readonly Stored[] {
    const buckets = this.#collections.get(collection)?.buckets;
    if (buckets === undefined) return [];
    if (namespace !== undefined) return sortedItems(buckets.get(namespace));
    return [...buckets.keys()].sort().flatMap((key) => sortedItems(buckets.get(key)));
  }

  /** Where the objects that name the owner with this uid are kept, in no order. */
  dependents(uid: string): readonly StoreKey[] {
    return this.#dependents.of(uid);
  }

  /** The list as it was at an older revision; `undefined` when that history is gone. */
  listAt(collection: string, namespace: string | undefined, revision: number): readonly Stored[] | undefined {
    const events = this.#eventsSince(collection, revision);
    if (events === undefined) return undefined;
    const undone = new Map<string, Stored | undefined>();
    for (const event of events) {
      const key = `${event.namespace}/${event.name}`;
      if (!undone.has(key)) undone.set(key, event.previous);
    }
    if (undone.size === 0) return this.list(collection, namespace);
    const kept = this.list(collection, namespace).filter(({ object }) => !undone.has(storeName(object)));
    const restored = [...undone.values()].filter(
      (stored) =>
        stored !== undefined && (namespace === undefined || (stored.object.metadata.namespace ?? "") === namespace),
    ) as Stored[];
    return [...kept, ...restored].sort(byName);
  }

  /** Writes one version; `metadata.resourceVersion` of the stored object is the new revision. */
  put(key: StoreKey, object: AnyObject): Stored {
    const collection = this.#collection(key.collection);
    const bucket = bucketOf(collection, key.namespace);
    const previous = bucket.items.get(key.name);
    const stored = this.#version(object);
    this.#journal?.write(key, stored.revision, stored.json());
    this.#revision = stored.revision;
    bucket.items.set(key.name, stored);
    this.#dependents.track(key, stored.object, previous?.object);
    if (previous === undefined) bucket.names = undefined;
    this.#publish(collection, { ...key, type: previous === undefined ? "ADDED" : "MODIFIED", stored, previous });
    return stored;
  }

  /** Removes the object; the event carries `last` (default: the stored state) with the revision of the deletion. */
  remove(key: StoreKey, last?: AnyObject): Stored | undefined {
    const collection = this.#collection(key.collection);
    const bucket = bucketOf(collection, key.namespace);
    const previous = bucket.items.get(key.name);
    if (previous === undefined) return undefined;
    const stored = this.#version(last ?? previous.object);
    this.#journal?.write(key, stored.revision, undefined);
    this.#revision = stored.revision;
    bucket.items.delete(key.name);
    this.#dependents.track(key, undefined, previous.object);
    bucket.names = undefined;
    if (bucket.items.size === 0) collection.buckets.delete(key.namespace);
    this.#publish(collection, { ...key, type: "DELETED", stored, previous });
    return stored;
  }

  /**
   * Calls back for every change of a collection after `revision`, the past ones at once.
   *
   * Returns how to end it, or `undefined` when changes since `revision` are already forgotten.
   */
  subscribe(collection: string, revision: number, listener: (event: StoreEvent) => void): (() => void) | undefined {
    const past = this.#eventsSince(collection, revision);
    if (past === undefined) return undefined;
    for (const event of past) listener(event);
    const { listeners } = this.#collection(collection);
    listeners.add(listener);
    return () => listeners.delete(listener);
  }

  /** Calls back for every change of every collection from now on. */
  subscribeAll(listener: (event: StoreEvent) => void): () => void {
    this.#everyone.add(listener);
    return () => this.#everyone.delete(listener);
  }

  /** The oldest revision a watch of the collection can start from. */
  oldest(collection: string): number {
    return this.#collections.get(collection)?.compacted ?? 0;
  }

  close(): void {
    this.#journal?.close();
  }

  #collection(name: string): Collection {
    let collection = this.#collections.get(name);
    if (collection === undefined) {
      collection = { buckets: new Map(), history: [], compacted: 0, listeners: new Set() };
      this.#collections.set(name, collection);
    }
    return collection;
  }

  #version(object: AnyObject): Stored {
    const revision = this.#revision + 1;
    const { kind, apiVersion, metadata, ...rest } = object;
    const versioned = {
      kind,
      apiVersion,
      metadata: { ...metadata, resourceVersion: String(revision) },
      ...rest,
    } as AnyObject;
    return storedVersion(versioned, revision);
  }

  #publish(collection: Collection, event: StoreEvent): void {
    collection.history.push(event);
    if (collection.history.length > historyLimit * 1.25) {
      const forgotten = collection.history.splice(0, collection.history.length - historyLimit);
      collection.compacted = forgotten.at(-1)?.stored.revision ?? collection.compacted;
    }
    for (const listener of collection.listeners) listener(event);
    for (const listener of this.#everyone) listener(event);
  }

  #eventsSince(name: string, revision: number): readonly StoreEvent[] | undefined {
    const collection = this.#collections.get(name);
    if (collection === undefined) return [];
    if (revision < collection.compacted) return undefined;
    const { history } = collection;
    let first = history.length;
    while (first > 0 && (history[first - 1]?.stored.revision ?? 0) > revision) first -= 1;
    return history.slice(first);
  }
}

/** One version of an object; `known` is its text when it is at hand. */
export function storedVersion(object: AnyObject, revision: number, known?: string): Stored {
  let text = known;
  const json = (): string => (text ??= JSON.stringify(object));
  const head = JSON.stringify({ kind: object.kind, apiVersion: object.apiVersion }).length;
  return { object, revision, json, itemJson: () => `{${json().slice(head)}` };
}

function bucketOf(collection: Collection, namespace: string): Bucket {
  let bucket = collection.buckets.get(namespace);
  if (bucket === undefined) {
    bucket = { items: new Map(), names: undefined };
    collection.buckets.set(namespace, bucket);
  }
  return bucket;
}

function sortedItems(bucket: Bucket | undefined): readonly Stored[] {
  if (bucket === undefined) return [];
  bucket.names ??= [...bucket.items.keys()].sort();
  return bucket.names.map((name) => bucket.items.get(name) as Stored);
}

const storeName = (object: AnyObject): string => `${object.metadata.namespace ?? ""}/${object.metadata.name ?? ""}`;
const orderKey = ({ object }: Stored): readonly [string, string] => [
  object.metadata.namespace ?? "",
  object.metadata.name ?? "",
];

function byName(a: Stored, b: Stored): number {
  const [namespaceA, nameA] = orderKey(a);
  const [namespaceB, nameB] = orderKey(b);
  if (namespaceA !== namespaceB) return namespaceA < namespaceB ? -1 : 1;
  if (nameA === nameB) return 0;
  return nameA < nameB ? -1 : 1;
}
