import { isRecord } from "./compile.ts";
import { childPath, itemPath } from "./paths.ts";
import type { Schema, Value } from "./types.ts";

/** What pruning leaves, and which fields it took. */
export interface Pruned<T = Value> {
  readonly value: T;
  /** Paths of the removed fields in the order of the object, for example `spec.ports[0].nme`. */
  readonly removed: readonly string[];
}

const identity: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata"]);

/**
 * Removes the fields that the schema does not know. Returns the same value when there are none.
 *
 * `apiVersion`, `kind` and `metadata` stay in embedded resources and, with `root`, in the object itself.
 */
export function prune<T = Value>(schema: Schema, value: T, options: { readonly root?: boolean } = {}): Pruned<T> {
  const removed: string[] = [];
  const kept = new Pruner(removed).visit({ schema, value, path: "", resource: options.root ?? false });
  return { value: kept as T, removed };
}

/** The paths of the fields that {@link prune} would remove; what field validation calls unknown fields. */
export function unknownFields(
  schema: Schema,
  value: Value,
  options: { readonly root?: boolean } = {},
): readonly string[] {
  return prune(schema, value, options).removed;
}

interface Visit {
  /** Undefined below a value of which the schema knows nothing: every field there goes. */
  readonly schema: Schema | undefined;
  readonly value: Value;
  readonly path: string;
  readonly resource: boolean;
}

class Pruner {
  readonly #removed: string[];

  constructor(removed: string[]) {
    this.#removed = removed;
  }

  visit(visit: Visit): Value {
    if (Array.isArray(visit.value)) return this.#list(visit, visit.value);
    if (isRecord(visit.value)) return this.#fields(visit, visit.value);
    return visit.value;
  }

  #list({ schema, path }: Visit, items: readonly Value[]): Value {
    if (schema?.preserveUnknown === true && schema.items === undefined) return items;
    let changed = false;
    const kept = items.map((value, index) => {
      const next = this.visit({ schema: schema?.items, value, path: itemPath(path, index), resource: false });
      changed ||= next !== value;
      return next;
    });
    return changed ? kept : items;
  }

  #fields(visit: Visit, fields: Readonly<Record<string, Value>>): Value {
    const { schema, path } = visit;
    const resource = visit.resource || schema?.embeddedResource === true;
    // A spread keeps an own field called `__proto__` a field; building the copy up by assignment would not.
    let copy: Record<string, Value> | undefined;
    for (const [name, value] of Object.entries(fields)) {
      if (resource && identity.has(name)) continue;
      const next = this.#field(schema, value, childPath(path, name), name);
      if (next === value) continue;
      copy ??= { ...fields };
      if (next === gone) delete copy[name];
      else copy[name] = next;
    }
    return copy ?? fields;
  }

  #field(schema: Schema | undefined, value: Value, path: string, name: string): Value {
    const child = schema?.properties.get(name);
    if (child !== undefined) return this.visit({ schema: child, value, path, resource: false });
    if (schema !== undefined && schema.additional !== false) {
      if (schema.additional === true && schema.preserveUnknown) return value;
      const additional = schema.additional === true ? undefined : schema.additional;
      return this.visit({ schema: additional, value, path, resource: false });
    }
    if (schema?.preserveUnknown === true) return value;
    this.#removed.push(path);
    return gone;
  }
}

const gone = Symbol("removed");
