import type { CelType } from "./types.ts";
import {
  type CelValue,
  Duration,
  ListValue,
  MapValue,
  ObjectValue,
  OpaqueValue,
  OptionalValue,
  Timestamp,
  TypeValue,
  Uint,
} from "./values.ts";

type Kind = CelType["kind"];

const tests: Readonly<Partial<Record<Kind, (value: CelValue) => boolean>>> = {
  bool: (value) => typeof value === "boolean",
  int: (value) => typeof value === "bigint",
  uint: (value) => value instanceof Uint,
  double: (value) => typeof value === "number",
  string: (value) => typeof value === "string",
  bytes: (value) => value instanceof Uint8Array,
  timestamp: (value) => value instanceof Timestamp,
  duration: (value) => value instanceof Duration,
  null: (value) => value === null,
  list: (value) => value instanceof ListValue,
  map: (value) => value instanceof MapValue,
  object: (value) => value instanceof ObjectValue,
  optional: (value) => value instanceof OptionalValue,
  type: (value) => value instanceof TypeValue,
};

/** Whether a value is of a type at run time; only the first item of a list is looked at. */
export function isOfType(type: CelType, value: CelValue): boolean {
  if (type.kind === "opaque") return value instanceof OpaqueValue && value.typeName === type.name;
  const test = tests[type.kind];
  if (test === undefined) return true;
  return test(value) && (type.kind !== "list" || isListOf(type.item, value as ListValue));
}

function isListOf(type: CelType, { items: [first] }: ListValue): boolean {
  return first === undefined || isOfType(type, first);
}
