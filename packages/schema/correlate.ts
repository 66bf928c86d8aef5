import { isRecord } from "./compile.ts";
import type { Schema, Value } from "./types.ts";

/** The stored items of a keyed list by their keys; undefined for any other list, whose items have no past. */
export function itemsByKey(schema: Schema, old: Value): ReadonlyMap<string, Value> | undefined {
  if (schema.listType !== "map" || !Array.isArray(old)) return undefined;
  return new Map(old.map((item: Value) => [keyOf(schema, item), item]));
}

/** What names an item of a keyed list; the same text for the same keys, defaults included. */
export function keyOf({ listKeys, items }: Schema, item: Value): string {
  if (!isRecord(item)) return "";
  return JSON.stringify(listKeys.map((key) => item[key] ?? items?.properties.get(key)?.default ?? ""));
}

/** The stored value of a field; undefined where there is none. */
export function fieldOf(old: Value, name: string): Value {
  return isRecord(old) && Object.hasOwn(old, name) ? old[name] : undefined;
}
