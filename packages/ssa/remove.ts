import type { Schema } from "@kyma-operators/schema";
import { type FieldSet, nodeOf } from "./field-set.ts";
import { fieldElement } from "./path-element.ts";
import { type Fields, fieldSchema, isFields, isNamedField, itemSchema, itemsOf, shapeOf } from "./shape.ts";

/**
 * Removes the paths of the set, each with everything below it. Containers that become empty become null, as in
 * Kubernetes. Returns the same value when it held none of the paths.
 */
export function removePaths(schema: Schema, value: unknown, paths: FieldSet): unknown {
  const shape = shapeOf(schema, value);
  if (shape === "fields" && isFields(value)) return removeFields(schema, value, paths);
  if (shape === "items" && Array.isArray(value)) return removeItems(schema, value, paths);
  return value;
}

function removeFields(schema: Schema, fields: Fields, paths: FieldSet): unknown {
  let copy: Record<string, unknown> | undefined;
  for (const name of Object.keys(fields)) {
    const below = paths.children.get(fieldElement(name));
    if (below === undefined) continue;
    const rest = below.member ? undefined : removePaths(fieldSchema(schema, name), fields[name], below);
    if (rest === fields[name]) continue;
    copy ??= { ...fields };
    if (rest === undefined) delete copy[name];
    else copy[name] = rest;
  }
  if (copy === undefined) return fields;
  return Object.keys(copy).length === 0 ? null : copy;
}

function removeItems(schema: Schema, list: readonly unknown[], paths: FieldSet): unknown {
  const kept: unknown[] = [];
  let changed = false;
  for (const { element, value } of itemsOf(schema, list)) {
    const below = paths.children.get(element);
    const rest = below === undefined ? value : restOf(schema, value, below);
    changed ||= rest !== value;
    if (rest !== undefined) kept.push(rest);
  }
  if (!changed) return list;
  return kept.length === 0 ? null : kept;
}

function restOf(schema: Schema, value: unknown, below: FieldSet): unknown {
  return below.member ? undefined : removePaths(itemSchema(schema), value, below);
}

/**
 * Adds every named struct field that has paths below it. Removal needs them: a struct goes when the last thing that
 * its owner put there goes.
 */
export function withNamedFields(schema: Schema, set: FieldSet): FieldSet {
  if (set.children.size === 0) return set;
  const children = new Map<string, FieldSet>();
  for (const [element, below] of set.children) {
    const name = element.startsWith("f:") ? element.slice(2) : undefined;
    const child = name === undefined ? itemSchema(schema) : fieldSchema(schema, name);
    const inner = withNamedFields(child, below);
    const named = name !== undefined && isNamedField(schema, name);
    children.set(element, named ? nodeOf(true, inner.children) : inner);
  }
  return nodeOf(set.member, children);
}
