import type { Schema } from "@kyma-operators/schema";
import { equalValues } from "./equal.ts";
import { emptySet, type FieldSet, leaf, nodeOf } from "./field-set.ts";
import { fieldElement } from "./path-element.ts";
import { commonShape, type Fields, fieldSchema, isFields, itemSchema, itemsOf, type Shape } from "./shape.ts";

/** What differs between two objects, by path. */
export interface Comparison {
  readonly added: FieldSet;
  readonly modified: FieldSet;
  readonly removed: FieldSet;
}

/** No difference; compared by identity. */
export const same: Comparison = { added: emptySet, modified: emptySet, removed: emptySet };

const addedHere: Comparison = { ...same, added: leaf };
const modifiedHere: Comparison = { ...same, modified: leaf };
const removedHere: Comparison = { ...same, removed: leaf };

/** Compares two values under one schema; `undefined` stands for an absent one. Returns {@link same} when they are equal. */
export function compareValues(schema: Schema, before: unknown, after: unknown): Comparison {
  if (before === after) return same;
  const shape = commonShape(schema, before, after);
  if (shape === undefined) return compareUnlike(schema, before, after);
  return compareShaped(shape, schema, before, after);
}

/** A value that changed its form: everything below the old one goes, everything below the new one comes. */
function compareUnlike(schema: Schema, before: unknown, after: unknown): Comparison {
  const { removed } = compareFields(schema, isFields(before) ? before : noFields, noFields);
  const { added } = compareFields(schema, noFields, isFields(after) ? after : noFields);
  return { added, modified: leaf, removed };
}

function compareShaped(shape: Shape, schema: Schema, before: unknown, after: unknown): Comparison {
  // Two empty containers compare as wholes, which keeps null, absent and empty apart.
  if (shape === "leaf" || (isHollow(before) && isHollow(after))) return compareWhole(before, after);
  const below = shape === "fields" ? compareFields(schema, before, after) : compareItems(schema, before, after);
  if (before === undefined) return { ...below, added: nodeOf(true, below.added.children) };
  if (after === undefined) return { ...below, removed: nodeOf(true, below.removed.children) };
  return below;
}

function compareWhole(before: unknown, after: unknown): Comparison {
  if (before === undefined) return after === undefined ? same : addedHere;
  if (after === undefined) return removedHere;
  return equalValues(before, after) ? same : modifiedHere;
}

function isHollow(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return !isFields(value) || Object.keys(value).length === 0;
}

const noFields: Fields = {};

function compareFields(schema: Schema, before: unknown, after: unknown): Comparison {
  const old = isFields(before) ? before : noFields;
  const next = isFields(after) ? after : noFields;
  const below = new Collector();
  for (const name of Object.keys(next)) {
    if (old[name] !== next[name]) compareField(below, fieldSchema(schema, name), { name, old, next, before, after });
  }
  for (const name of Object.keys(old)) {
    if (next[name] !== undefined || old[name] === undefined) continue;
    compareField(below, fieldSchema(schema, name), { name, old, next, before, after });
  }
  return below.result();
}

interface FieldPair {
  readonly name: string;
  readonly old: Fields;
  readonly next: Fields;
  readonly before: unknown;
  readonly after: unknown;
}

/** What a present struct leaves out has its stored zero; what an absent one leaves out is absent. */
function compareField(below: Collector, schema: Schema, { name, old, next, before, after }: FieldPair): void {
  const left = old[name] === undefined && before !== undefined ? schema.zero : old[name];
  const right = next[name] === undefined && after !== undefined ? schema.zero : next[name];
  below.add(fieldElement(name), compareValues(schema, left, right));
}

function compareItems(schema: Schema, before: unknown, after: unknown): Comparison {
  const old = groupItems(schema, before);
  const next = groupItems(schema, after);
  const below = new Collector();
  for (const [element, values] of next) below.add(element, compareGroup(schema, old.get(element) ?? [], values));
  for (const [element, values] of old) if (!next.has(element)) below.add(element, compareGroup(schema, values, []));
  return below.result();
}

/** Live objects may hold several items under one key; those compare as one whole. */
function compareGroup(schema: Schema, before: readonly unknown[], after: readonly unknown[]): Comparison {
  if (before.length <= 1 && after.length <= 1) return compareValues(itemSchema(schema), before[0], after[0]);
  if (before.length === 0) return addedHere;
  if (after.length === 0) return removedHere;
  return equalValues(before, after) ? same : modifiedHere;
}

function groupItems(schema: Schema, list: unknown): ReadonlyMap<string, readonly unknown[]> {
  const groups = new Map<string, unknown[]>();
  if (!Array.isArray(list)) return groups;
  for (const { element, value } of itemsOf(schema, list)) {
    const group = groups.get(element);
    if (group === undefined) groups.set(element, [value]);
    else group.push(value);
  }
  return groups;
}

/** Gathers the comparisons of children under their path elements. */
class Collector {
  #added: Map<string, FieldSet> | undefined;
  #modified: Map<string, FieldSet> | undefined;
  #removed: Map<string, FieldSet> | undefined;

  add(element: string, below: Comparison): void {
    if (below === same) return;
    this.#added = put(this.#added, element, below.added);
    this.#modified = put(this.#modified, element, below.modified);
    this.#removed = put(this.#removed, element, below.removed);
  }

  result(): Comparison {
    if (this.#added === undefined && this.#modified === undefined && this.#removed === undefined) return same;
    return { added: asSet(this.#added), modified: asSet(this.#modified), removed: asSet(this.#removed) };
  }
}

type Children = Map<string, FieldSet> | undefined;

function put(children: Children, element: string, below: FieldSet): Children {
  if (!below.member && below.children.size === 0) return children;
  const next = children ?? new Map<string, FieldSet>();
  next.set(element, below);
  return next;
}

function asSet(children: Children): FieldSet {
  return children === undefined ? emptySet : nodeOf(false, children);
}
