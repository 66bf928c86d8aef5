import { isRecord } from "./compile.ts";
import type { Schema, Value } from "./types.ts";

/**
 * Fills absent fields with the schema's defaults, deeply, and drops nulls that are neither allowed nor defaulted.
 *
 * Returns the same value when nothing was missing. Defaults are copied, never shared, so that a caller may change
 * what it got.
 */
export function applyDefaults<T = Value>(schema: Schema, value: T): T {
  return visit(schema, value) as T;
}

function visit(schema: Schema, value: Value): Value {
  if (Array.isArray(value)) return visitItems(schema, value);
  if (isRecord(value)) return visitFields(schema, value);
  return value;
}

function visitItems(schema: Schema, items: readonly Value[]): Value {
  const { items: child } = schema;
  if (child === undefined) return items;
  let changed = false;
  const next = items.map((item) => {
    const filled = visit(child, isForbiddenNull(child, item) ? structuredClone(child.default ?? null) : item);
    changed ||= filled !== item;
    return filled;
  });
  return changed ? next : items;
}

function visitFields(schema: Schema, fields: Readonly<Record<string, Value>>): Value {
  // A spread keeps an own field called `__proto__` a field; building the copy up by assignment would not.
  let copy: Record<string, Value> | undefined;
  for (const [name, value] of Object.entries(fields)) {
    const filled = visitField(schema, name, value);
    if (filled === value) continue;
    copy ??= { ...fields };
    if (filled === undefined) delete copy[name];
    else copy[name] = filled;
  }
  if (!schema.hasDefaults) return copy ?? fields;
  return addMissing(schema, fields, copy);
}

/** Undefined when the field has to go. */
function visitField(schema: Schema, name: string, value: Value): Value {
  const additional = typeof schema.additional === "object" ? schema.additional : undefined;
  const child = schema.properties.get(name) ?? additional;
  if (child === undefined) return value;
  if (!isForbiddenNull(child, value)) return visit(child, value);
  return child.default === undefined ? undefined : visit(child, structuredClone(child.default));
}

function addMissing(schema: Schema, fields: Readonly<Record<string, Value>>, begun?: Record<string, Value>): Value {
  let copy = begun;
  for (const [name, child] of schema.properties) {
    if (child.default === undefined || Object.hasOwn(copy ?? fields, name)) continue;
    copy ??= { ...fields };
    copy[name] = visit(child, structuredClone(child.default));
  }
  return copy ?? fields;
}

function isForbiddenNull(schema: Schema, value: Value): boolean {
  return value === null && !schema.nullable;
}
