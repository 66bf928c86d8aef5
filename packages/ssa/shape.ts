import { anything, type Schema } from "@kyma-operators/schema";
import { canonicalKeys, canonicalValue } from "./path-element.ts";

export type Fields = Readonly<Record<string, unknown>>;

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Sets a field of a copy; an assignment to `__proto__` would set no field. */
export function setField(fields: Record<string, unknown>, name: string, value: unknown): void {
  Object.defineProperty(fields, name, { value, enumerable: true, configurable: true, writable: true });
}

/**
 * How a value is owned: as a whole (`leaf`: scalars, atomic lists and maps), field by field, or item by item
 * (`items`: lists of type map and set).
 */
export type Shape = "leaf" | "fields" | "items";

/** The shape of a value under its schema. Where the schema leaves the type open, the value decides. */
export function shapeOf(schema: Schema, value: unknown): Shape {
  if (schema.type === "object") return schema.atomicMap ? "leaf" : "fields";
  if (schema.type === "array") return schema.listType === "map" || schema.listType === "set" ? "items" : "leaf";
  if (schema.type === undefined && schema.preserveUnknown && !schema.intOrString)
    return isFields(value) ? "fields" : "leaf";
  return "leaf";
}

/**
 * The shape in which two values meet. An absent side takes the form of the other one, and so does a null where the
 * schema leaves the type open. Undefined when they have none in common.
 */
export function commonShape(schema: Schema, a: unknown, b: unknown): Shape | undefined {
  if (isFormless(schema, b)) return shapeOf(schema, a);
  const shape = shapeOf(schema, b);
  return isFormless(schema, a) || shapeOf(schema, a) === shape ? shape : undefined;
}

function isFormless(schema: Schema, value: unknown): boolean {
  return value === undefined || (value === null && schema.type === undefined);
}

/** The schema of a field; what the schema does not name is taken as it comes. */
export function fieldSchema(schema: Schema, name: string): Schema {
  const property = schema.properties.get(name);
  if (property !== undefined) return property;
  return typeof schema.additional === "object" ? schema.additional : anything;
}

/** A field of a struct, as opposed to a key of a map. */
export function isNamedField(schema: Schema, name: string): boolean {
  return schema.properties.has(name);
}

export function itemSchema(schema: Schema): Schema {
  return schema.items ?? anything;
}

/** One entry of a list of type map or set under the path element that names it. */
export interface Item {
  readonly element: string;
  readonly value: unknown;
}

/** The items of a list by path element, in order. Items that lack a key stand under their index. */
export function itemsOf(schema: Schema, list: readonly unknown[]): readonly Item[] {
  return list.map((value, index) => ({ element: elementOf(schema, value, index), value }));
}

function elementOf(schema: Schema, value: unknown, index: number): string {
  if (schema.listType === "set") return canonicalValue(value);
  return keyedElement(schema, value) ?? `i:${index}`;
}

/** Undefined when the item carries none of the keys, which then have no defaults either. */
export function keyedElement(schema: Schema, value: unknown): string | undefined {
  if (!isFields(value)) return undefined;
  const keys: Record<string, unknown> = {};
  for (const name of schema.listKeys) {
    const key = value[name] ?? schema.items?.properties.get(name)?.default;
    if (key !== undefined && key !== null) keys[name] = key;
  }
  return Object.keys(keys).length === 0 ? undefined : canonicalKeys(keys);
}
