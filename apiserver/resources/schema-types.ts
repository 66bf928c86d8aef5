import type { RawSchema } from "@kyma-operators/schema";
import { rawSchemas } from "../facts/facts.ts";
import { type Fields, isFields } from "./kinds/edit.ts";
import { mismatch, type Place } from "./types.ts";

/**
 * The first value that a built-in kind can't hold, judged by its OpenAPI definition: for kinds whose Go types are not
 * known, in the same words.
 */
export function definitionProblem(definition: string, object: Fields): string | undefined {
  return inDefinition(definition, object, "");
}

function inDefinition(definition: string, fields: Fields, path: string): string | undefined {
  const properties = rawSchemas()[definition]?.properties;
  if (!isFields(properties)) return undefined;
  for (const [name, value] of Object.entries(fields)) {
    const schema = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (!isFields(schema)) continue;
    const place = { struct: structName(definition), path: path === "" ? name : `${path}.${name}` };
    const problem = inValue(schema, value, place);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

const structName = (definition: string): string => definition.slice(definition.lastIndexOf(".") + 1);

function referenceOf({ $ref, allOf }: RawSchema): string | undefined {
  const reference = Array.isArray(allOf) ? (allOf[0] as { readonly $ref?: unknown } | undefined)?.$ref : $ref;
  return typeof reference === "string" ? reference.slice(reference.lastIndexOf("/") + 1) : undefined;
}

function inValue(schema: RawSchema, value: unknown, place: Place): string | undefined {
  if (value === null) return undefined;
  const definition = referenceOf(schema);
  if (definition !== undefined) return inReference(definition, value, place);
  const check = checks[String(schema.type)];
  return check?.(schema, value, place);
}

/** A definition without properties says its own type, or holds anything. */
function inReference(definition: string, value: unknown, place: Place): string | undefined {
  const target = rawSchemas()[definition];
  if (target === undefined) return undefined;
  if (target.properties === undefined) return inValue({ ...target, allOf: undefined }, value, place);
  return isFields(value)
    ? inDefinition(definition, value, place.path)
    : mismatch(value, place, `v1.${structName(definition)}`);
}

type Check = (schema: RawSchema, value: unknown, place: Place) => string | undefined;

const checks: Readonly<Record<string, Check>> = {
  string: (_schema, value, place) => (typeof value === "string" ? undefined : mismatch(value, place, "string")),
  boolean: (_schema, value, place) => (typeof value === "boolean" ? undefined : mismatch(value, place, "bool")),
  number: (_schema, value, place) => (typeof value === "number" ? undefined : mismatch(value, place, "float64")),
  integer: ({ format }, value, place) =>
    Number.isInteger(value) ? undefined : mismatch(value, place, typeof format === "string" ? format : "int64"),
  array: ({ items }, value, place) =>
    Array.isArray(value) ? firstProblem(items, value, place) : mismatch(value, place, `[]${goType(items)}`),
  object: ({ additionalProperties }, value, place) =>
    isFields(value)
      ? firstProblem(additionalProperties, Object.values(value), place)
      : mismatch(value, place, `map[string]${goType(additionalProperties)}`),
};

function firstProblem(schema: unknown, values: readonly unknown[], place: Place): string | undefined {
  if (!isFields(schema)) return undefined;
  for (const value of values) {
    const problem = inValue(schema, value, place);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function goType(schema: unknown): string {
  if (!isFields(schema)) return "interface {}";
  const definition = referenceOf(schema);
  const { format = schema.type } = schema;
  return definition === undefined
    ? typeof format === "string"
      ? format
      : "interface {}"
    : `v1.${structName(definition)}`;
}
