import { int64 } from "../go/int.ts";
import type { GoMap, GoValue } from "../go/values.ts";

function isPlainObject(value: object): value is Record<string, unknown> {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** Takes plain data into the value model; copies everything, so that templates cannot change the caller's data. */
export function toGoValue(value: unknown): GoValue {
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") return value;
  if (typeof value === "object" && value !== null) return toCollection(value);
  if (value === null || value === undefined) return null;
  if (typeof value === "bigint") return int64(value);
  throw notPlain(typeof value);
}

function toCollection(value: object): GoValue {
  if (Array.isArray(value)) return value.map(toGoValue);
  if (value instanceof Map) return toGoMap(value as ReadonlyMap<string, unknown>);
  if (isPlainObject(value)) return toGoMap(value);
  throw notPlain(value.constructor.name);
}

const notPlain = (found: string): TypeError => new TypeError(`values must be plain data, found ${found}`);

export function toGoMap(value: Readonly<Record<string, unknown>> | ReadonlyMap<string, unknown>): GoMap {
  const entries = value instanceof Map ? [...value] : Object.entries(value).filter(([, item]) => item !== undefined);
  return new Map(entries.map(([key, item]) => [String(key), toGoValue(item)]));
}
