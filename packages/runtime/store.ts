import type { KubeObject, ObjectKey } from "@kyma-operators/kube";
import { runtimeErrors } from "./errors.ts";
import { keyOf, keyText } from "./keys.ts";
import type { IndexFunction, Store } from "./types.ts";

class Index<T> {
  readonly valuesOf: IndexFunction<T>;
  readonly #buckets = new Map<string, Map<string, T>>();

  constructor(valuesOf: IndexFunction<T>) {
    this.valuesOf = valuesOf;
  }

  get(value: string): readonly T[] {
    const bucket = this.#buckets.get(value);
    return bucket === undefined ? [] : [...bucket.values()];
  }

  add(key: string, object: T): void {
    for (const value of this.valuesOf(object)) {
      const bucket = this.#buckets.get(value);
      if (bucket === undefined) this.#buckets.set(value, new Map([[key, object]]));
      else bucket.set(key, object);
    }
  }

  remove(key: string, object: T): void {
    for (const value of this.valuesOf(object)) {
      const bucket = this.#buckets.get(value);
      bucket?.delete(key);
      if (bucket?.size === 0) this.#buckets.delete(value);
    }
  }
}

/** Objects by key, with indexes. Only its informer writes to it. */
export class IndexedStore<T extends KubeObject> implements Store<T> {
  readonly #kind: string;
  readonly #objects = new Map<string, T>();
  readonly #indexes = new Map<string, Index<T>>();
  #listed: readonly T[] | undefined;

  constructor(kind: string) {
    this.#kind = kind;
  }

  get size(): number {
    return this.#objects.size;
  }

  get(key: ObjectKey): T | undefined {
    return this.#objects.get(keyText(key));
  }

  list(): readonly T[] {
    this.#listed ??= Object.freeze([...this.#objects.values()]);
    return this.#listed;
  }

  byIndex(index: string, value: string): readonly T[] {
    const found = this.#indexes.get(index);
    if (found === undefined) {
      throw runtimeErrors.UNKNOWN_INDEX({ index, kind: this.#kind, known: [...this.#indexes.keys()] });
    }
    return found.get(value);
  }

  /** Adds an index; the same function under the same name again changes nothing. */
  addIndex(name: string, valuesOf: IndexFunction<T>): void {
    const present = this.#indexes.get(name);
    if (present?.valuesOf === valuesOf) return;
    if (present !== undefined) throw runtimeErrors.INDEX_EXISTS({ index: name, kind: this.#kind });
    const index = new Index(valuesOf);
    for (const [key, object] of this.#objects) index.add(key, object);
    this.#indexes.set(name, index);
  }

  /** Puts an object in the place of the one with its key, which is returned. */
  put(object: T): T | undefined {
    const key = keyText(keyOf(object));
    const old = this.#objects.get(key);
    for (const index of this.#indexes.values()) {
      if (old !== undefined) index.remove(key, old);
      index.add(key, object);
    }
    this.#objects.set(key, object);
    this.#listed = undefined;
    return old;
  }

  /** Removes and returns the object of a key. */
  remove(key: ObjectKey): T | undefined {
    const text = keyText(key);
    const old = this.#objects.get(text);
    if (old === undefined) return undefined;
    for (const index of this.#indexes.values()) index.remove(text, old);
    this.#objects.delete(text);
    this.#listed = undefined;
    return old;
  }
}
