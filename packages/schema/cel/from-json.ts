import { isRecord } from "../compile.ts";
import { parseDuration } from "../duration.ts";
import type { Schema, Value } from "../types.ts";
import { escapeName, metadataOf } from "./declarations.ts";
import { parseTimestamp } from "./time.ts";
import { type CelValue, Duration, fail, ListValue, MapValue, ObjectValue, Timestamp, textOf } from "./values.ts";

/** Sees a JSON value through its schema. Containers are read only as far as an expression reaches into them. */
export function fromJson(schema: Schema, value: Value): CelValue {
  if (value === null || value === undefined) return null;
  if (schema.intOrString || schema.type === undefined) return untyped(value);
  if (Array.isArray(value)) return fromList(schema, value);
  if (isRecord(value)) return fromFields(schema, value);
  return fromScalar(schema, value);
}

/** Sees a value by its own type. */
export function untyped(value: Value): CelValue {
  if (Array.isArray(value)) return new ListValue(() => value.map(untyped));
  if (isRecord(value)) {
    return new MapValue(() => Object.entries(value).map(([key, inner]) => ({ key, value: untyped(inner) })));
  }
  if (typeof value === "number") return Number.isInteger(value) ? BigInt(value) : value;
  return scalar(value);
}

function scalar(value: Value): CelValue {
  if (typeof value === "string" || typeof value === "boolean" || typeof value === "bigint") return value;
  return null;
}

function fromScalar(schema: Schema, value: Value): CelValue {
  if (typeof value === "string") return fromText(schema, value);
  if (typeof value !== "number" && typeof value !== "bigint") return scalar(value);
  if (schema.type === "number") return Number(value);
  return typeof value === "bigint" ? value : BigInt(Math.trunc(value));
}

function fromText({ format }: Schema, text: string): CelValue {
  if (format === "byte") return Uint8Array.from(Buffer.from(text, "base64"));
  if (format === "duration") return new Duration(parseDuration(text) ?? fail(`Invalid duration ${text}`));
  if (format === "date") return new Timestamp(parseTimestamp(`${text}T00:00:00Z`) ?? fail(`Invalid date ${text}`));
  if (format === "date-time") return new Timestamp(parseTimestamp(text) ?? fail(`Invalid date-time ${text}`));
  return text;
}

function fromList(schema: Schema, list: readonly Value[]): ListValue {
  const { items } = schema;
  const convert = (item: Value): CelValue => (items === undefined ? untyped(item) : fromJson(items, item));
  return new ListValue(() => list.map(convert), identityOf(schema));
}

/** What names an item where the order of a list does not count. */
function identityOf({ listType, listKeys }: Schema): ((item: CelValue) => string) | undefined {
  if (listType === "set") return (item) => `${typeof item}:${textOf(item)}`;
  if (listType !== "map") return undefined;
  const keys = listKeys.map((key) => escapeName(key) ?? key);
  return (item) => (item instanceof ObjectValue ? keys.map((key) => textOf(item.get(key))).join("\u0000") : "");
}

function fromFields(schema: Schema, fields: Readonly<Record<string, Value>>): CelValue {
  const { additional } = schema;
  if (typeof additional === "object") {
    return new MapValue(() =>
      Object.entries(fields).map(([key, value]) => ({ key, value: fromJson(additional, value) })),
    );
  }
  const byName = namesOf(schema);
  return new ObjectValue("object", [...byName.keys()], (name) => {
    const field = byName.get(name);
    const value = field === undefined || !Object.hasOwn(fields, field.name) ? undefined : fields[field.name];
    return field === undefined || value === undefined || value === null ? undefined : fromJson(field.schema, value);
  });
}

interface NamedField {
  readonly name: string;
  readonly schema: Schema;
}

const known = new WeakMap<Schema, ReadonlyMap<string, NamedField>>();

/** Fields by the name that CEL knows them by; made once per schema. */
function namesOf(schema: Schema): ReadonlyMap<string, NamedField> {
  const made = known.get(schema);
  if (made !== undefined) return made;
  const names = new Map<string, NamedField>();
  for (const [name, child] of schema.properties) {
    const visible = schema.embeddedResource && name === "metadata" ? metadataOf(child) : child;
    names.set(escapeName(name) ?? name, { name, schema: visible });
  }
  known.set(schema, names);
  return names;
}
