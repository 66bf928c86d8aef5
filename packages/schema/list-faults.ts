import { isRecord } from "./compile.ts";
import { duplicate, type FieldError, invalid } from "./field-errors.ts";
import { childPath, itemPath, keyPath } from "./paths.ts";
import type { Schema, Value } from "./types.ts";

/** Items of a set, and keys of a keyed list, that occur twice, at any depth. */
export function listFaults(schema: Schema, value: Value, path: string): readonly FieldError[] {
  if (Array.isArray(value)) return itemFaults(schema, value, path);
  return isRecord(value) ? fieldFaults(schema, value, path) : [];
}

function fieldFaults(schema: Schema, fields: Readonly<Record<string, Value>>, path: string): readonly FieldError[] {
  const additional = typeof schema.additional === "object" ? schema.additional : undefined;
  const faults: FieldError[] = [];
  for (const [name, value] of Object.entries(fields)) {
    if (typeof value !== "object") continue;
    const property = schema.properties.get(name);
    if (property !== undefined) faults.push(...listFaults(property, value, childPath(path, name)));
    else if (additional !== undefined) faults.push(...listFaults(additional, value, keyPath(path, name)));
  }
  return faults;
}

function itemFaults(schema: Schema, items: readonly Value[], path: string): readonly FieldError[] {
  const faults = [...ownFaults(schema, items, path)];
  const { items: child } = schema;
  if (child === undefined) return faults;
  for (const [index, item] of items.entries()) {
    if (typeof item === "object") faults.push(...listFaults(child, item, itemPath(path, index)));
  }
  return faults;
}

function* ownFaults(schema: Schema, items: readonly Value[], path: string): Generator<FieldError> {
  if (schema.listType !== "set" && schema.listType !== "map") return;
  const keyed = schema.listType === "map";
  const stray = keyed ? items.findIndex((item) => item !== null && !isRecord(item)) : -1;
  if (stray >= 0) {
    yield invalid(itemPath(path, stray), items[stray], "must be an object for an array of list-type map");
    return;
  }
  const seen = new Map<string, number>();
  for (const [index, item] of items.entries()) {
    const name = keyed ? keysOf(schema, item) : item;
    const text = identityOf(name);
    const times = (seen.get(text) ?? 0) + 1;
    seen.set(text, times);
    // A third one says nothing new.
    if (times === 2) yield duplicate(itemPath(path, index), name);
  }
}

function keysOf(schema: Schema, item: Value): Value {
  const fields = isRecord(item) ? item : {};
  return Object.fromEntries(
    schema.listKeys.filter((key) => fields[key] !== undefined).map((key) => [key, fields[key]]),
  );
}

/** The same text for equal values. */
function identityOf(value: Value): string {
  return JSON.stringify(value, (_, inner: unknown) => {
    if (typeof inner === "bigint") return String(inner);
    return isRecord(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner;
  });
}
