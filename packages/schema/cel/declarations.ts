import type { Schema } from "../types.ts";
import {
  bool,
  bytes,
  type CelType,
  double,
  duration,
  dyn,
  int,
  listOf,
  mapOf,
  type ObjectField,
  string,
  timestamp,
} from "./types.ts";

const keywords: ReadonlySet<string> = new Set([
  ..."true false null in as break const continue else for function if import let loop package namespace return".split(
    " ",
  ),
  ..."var void while".split(" "),
]);

/** The name by which CEL knows a field; undefined when it cannot be named in CEL at all. */
export function escapeName(name: string): string | undefined {
  if (!/^[A-Za-z_][A-Za-z0-9_./-]*$/.test(name)) return undefined;
  if (keywords.has(name)) return `__${name}__`;
  return name
    .replaceAll("__", "__underscores__")
    .replaceAll(".", "__dot__")
    .replaceAll("-", "__dash__")
    .replaceAll("/", "__slash__");
}

/**
 * The CEL type of a schema, as Kubernetes declares it; undefined for a value that rules cannot see (its type is open).
 *
 * @param path - names struct types in messages, for example `selfType.spec`
 */
export function typeOfSchema(schema: Schema, path: string): CelType | undefined {
  if (schema.intOrString) return dyn;
  if (schema.type === "array") return listType(schema, path);
  if (schema.type === "object") return objectType(schema, path);
  if (schema.type === "string") return stringType(schema);
  return schema.type === undefined ? undefined : scalars[schema.type];
}

const scalars = { boolean: bool, integer: int, number: double };

function stringType({ format }: Schema): CelType {
  if (format === "byte") return bytes;
  if (format === "duration") return duration;
  return format === "date" || format === "date-time" ? timestamp : string;
}

function listType({ items }: Schema, path: string): CelType | undefined {
  const item = items === undefined ? undefined : typeOfSchema(items, `${path}.@idx`);
  return item === undefined ? undefined : listOf(item);
}

function objectType(schema: Schema, path: string): CelType | undefined {
  if (typeof schema.additional === "object") {
    const value = typeOfSchema(schema.additional, `${path}.@elem`);
    return value === undefined ? undefined : mapOf(string, value);
  }
  const fields = new Map<string, ObjectField>();
  for (const [name, child] of schema.properties) addField(fields, name, { child, schema, path });
  return { kind: "object", name: path, fields };
}

interface Parent {
  readonly child: Schema;
  readonly schema: Schema;
  readonly path: string;
}

function addField(fields: Map<string, ObjectField>, name: string, { child, schema, path }: Parent): void {
  const escaped = escapeName(name);
  const visible = schema.embeddedResource && name === "metadata" ? metadataOf(child) : child;
  const type = escaped === undefined ? undefined : typeOfSchema(visible, `${path}.${name}`);
  if (escaped !== undefined && type !== undefined) fields.set(escaped, { name, schema: visible, type });
}

/** Rules see only the names of an object's metadata. */
export function metadataOf(metadata: Schema): Schema {
  const properties = new Map([...metadata.properties].filter(([name]) => name === "name" || name === "generateName"));
  return { ...metadata, properties };
}
