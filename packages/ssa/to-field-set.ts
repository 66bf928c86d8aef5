import type { Schema } from "@kyma-operators/schema";
import { emptySet, type FieldSet, leaf, nodeOf, union } from "./field-set.ts";
import { fieldElement } from "./path-element.ts";
import { type Fields, fieldSchema, isFields, isNamedField, itemSchema, itemsOf, shapeOf } from "./shape.ts";

/**
 * The paths that an applied configuration owns: its scalars, its atomic lists and maps, the items of its keyed lists,
 * the keys of its maps, and structs that are empty.
 */
export function toFieldSet(schema: Schema, value: unknown): FieldSet {
  const set = visit(schema, value);
  return set.member ? nodeOf(false, set.children) : set;
}

function visit(schema: Schema, value: unknown): FieldSet {
  const shape = shapeOf(schema, value);
  if (shape === "leaf") return leaf;
  if (shape === "fields" && isFields(value)) return visitFields(schema, value);
  if (shape === "items" && Array.isArray(value)) return visitItems(schema, value);
  return emptySet;
}

function visitFields(schema: Schema, fields: Fields): FieldSet {
  const children = new Map<string, FieldSet>();
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) continue;
    const below = visit(fieldSchema(schema, name), value);
    const owned = below.member || !isNamedField(schema, name) || isHollow(value);
    if (owned || below.children.size > 0) children.set(fieldElement(name), nodeOf(owned, below.children));
  }
  return nodeOf(false, children);
}

/** Null and `{}` are owned themselves, because nothing below them could be. */
function isHollow(value: unknown): boolean {
  return value === null || (isFields(value) && Object.keys(value).length === 0);
}

function visitItems(schema: Schema, list: readonly unknown[]): FieldSet {
  const children = new Map<string, FieldSet>();
  for (const { element, value } of itemsOf(schema, list)) {
    const below = visit(itemSchema(schema), value);
    const item = nodeOf(true, below.children);
    const twin = children.get(element);
    children.set(element, twin === undefined ? item : union(twin, item));
  }
  return nodeOf(false, children);
}
