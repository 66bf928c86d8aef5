import type { Schema } from "../types.ts";
import { escapeName } from "./declarations.ts";

/** How large a value can become: characters, bytes, items or entries. */
export interface Size {
  readonly max: number;
  /** Of an item of a list, or a value of a map. */
  readonly item?: Size;
  /** Of a key of a map. */
  readonly key?: Size;
  /** Of a field of a struct. */
  readonly field?: (name: string) => Size | undefined;
}

/** A scalar. */
export const scalarSize: Size = { max: 1 };
/** Nothing is known: as large as it gets. */
export const unknownSize: Size = { max: Number.POSITIVE_INFINITY };

/** The largest request that Kubernetes accepts, in bytes. */
const requestLimitBytes = 3 * 1024 * 1024;

/** How large the values of a schema can be. Without a bound in the schema, the size of a request is the bound. */
export function sizeOfSchema(schema: Schema): Size {
  if (schema.intOrString) return { max: requestLimitBytes };
  if (schema.type === "string") return { max: textLimit(schema) };
  if (schema.type === "array") return listSize(schema);
  return schema.type === "object" ? objectSize(schema) : scalarSize;
}

function textLimit({ limits, enum: allowed, format }: Schema): number {
  if (allowed !== undefined) return Math.max(0, ...allowed.map((value) => String(value).length));
  if (format === "date-time" || format === "date" || format === "duration") return 30;
  return limits.maxLength ?? requestLimitBytes - 2;
}

function listSize({ items, limits }: Schema): Size {
  const item = items === undefined ? unknownSize : sizeOfSchema(items);
  return { max: limits.maxItems ?? countOf(items), item };
}

/** How many of these fit into one list or map of a request. */
export function countOf(item: Schema | undefined): number {
  return Math.floor(requestLimitBytes / leastBytes(item));
}

/** The fewest bytes that a value takes in JSON, its separator included. */
function leastBytes(schema: Schema | undefined): number {
  if (schema?.type === "object") return 3 + schema.required.length * 4;
  if (schema?.type === "boolean") return 5;
  return schema?.type === "string" || schema?.type === "array" ? 3 : 2;
}

function objectSize(schema: Schema): Size {
  const { additional, limits } = schema;
  if (typeof additional === "object") {
    const key = { max: requestLimitBytes };
    return { max: limits.maxProperties ?? countOf(additional), item: sizeOfSchema(additional), key };
  }
  const known = new Map<string, Size>();
  return {
    max: 1,
    field: (name) => {
      const size = known.get(name) ?? fieldSize(schema, name);
      if (size !== undefined) known.set(name, size);
      return size;
    },
  };
}

function fieldSize(schema: Schema, name: string): Size | undefined {
  for (const [field, child] of schema.properties) if (escapeName(field) === name) return sizeOfSchema(child);
  return undefined;
}
