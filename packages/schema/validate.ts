import { isRecord } from "./compile.ts";
import {
  duplicate,
  type FieldError,
  invalid,
  notSupported,
  nowhere,
  required,
  tooMany,
  typeInvalid,
} from "./field-errors.ts";
import { isKnownFormat } from "./formats.ts";
import { listFaults } from "./list-faults.ts";
import { childPath, itemPath } from "./paths.ts";
import { equalJson, jsonTypeOf, validateNumber, validateText } from "./scalars.ts";
import type { Schema, Value } from "./types.ts";

/**
 * Checks a value against its schema: types, bounds, formats, enums, required fields, `allOf`/`anyOf`/`oneOf`/`not`,
 * duplicates in lists of type set and map. Reports every fault, in Kubernetes' words.
 *
 * Rules (`x-kubernetes-validations`) are checked apart, see `validateRules`.
 *
 * @param path - where the value stands; empty for a whole object
 */
export function validate(schema: Schema, value: Value, path = ""): readonly FieldError[] {
  const errors: FieldError[] = [];
  check(schema, value, path, errors);
  return [...errors, ...listFaults(schema, value, path)];
}

function check(schema: Schema, value: Value, path: string, errors: FieldError[]): void {
  checkType(schema, value, path, errors);
  if (value !== null) {
    checkLogic(schema, value, path, errors);
    checkContent(schema, value, path, errors);
  }
  if (schema.enum !== undefined && !schema.enum.some((allowed) => isAllowed(allowed, value))) {
    errors.push(notSupported(path, value, schema.enum));
  }
}

/** Kubernetes reads a number as the type of the allowed one, which cuts its fraction off. */
function isAllowed(allowed: Value, value: Value): boolean {
  if (typeof allowed === "number" && typeof value === "number" && Number.isInteger(allowed)) {
    return allowed === Math.trunc(value);
  }
  return equalJson(allowed, value);
}

function checkType(schema: Schema, value: Value, path: string, errors: FieldError[]): void {
  const found = jsonTypeOf(value);
  const expected = schema.intOrString ? "integer,string" : schema.type;
  if (expected === undefined || isOfType(expected, found) || (found === "null" && schema.nullable)) return;
  const formatted = schema.format !== undefined && value !== null && isFormatted(expected, schema.format, found);
  errors.push(formatted ? wrongType(path, schema.format, goTypeOf(value)) : wrongType(path, expected, found));
}

function wrongType(path: string, expected: string, found: string): FieldError {
  return typeInvalid(path, found, `${path} in body must be of type ${expected}: "${found}"`);
}

/** Where there is a format, Kubernetes asks for the format, and names what it found as Go does. */
function isFormatted(expected: string, format: string, found: string): boolean {
  if (expected === "string") return isKnownFormat(format);
  return (
    expected === "integer" && found !== "string" && found !== "array" && (format === "int32" || format === "int64")
  );
}

function goTypeOf(value: Value): string {
  if (typeof value === "bigint" || Number.isInteger(value)) return "int64";
  return typeof value === "number" ? "float64" : "";
}

function isOfType(expected: string, found: string): boolean {
  if (expected === "integer,string") return found === "integer" || found === "string";
  return expected === found || (expected === "number" && found === "integer");
}

function checkContent(schema: Schema, value: Value, path: string, errors: FieldError[]): void {
  if (typeof value === "string") errors.push(...validateText(schema, value, path));
  else if (typeof value === "number" || typeof value === "bigint") errors.push(...validateNumber(schema, value, path));
  else if (Array.isArray(value)) checkList(schema, value, path, errors);
  else if (isRecord(value)) checkFields(schema, value, path, errors);
}

function checkList(schema: Schema, items: readonly Value[], path: string, errors: FieldError[]): void {
  const { minItems, maxItems, uniqueItems } = schema.limits;
  const { items: child } = schema;
  if (child !== undefined)
    for (const [index, item] of items.entries()) check(child, item, itemPath(path, index), errors);
  if (minItems !== undefined && items.length < minItems) {
    errors.push(invalid(path, items.length, `${path} in body should have at least ${minItems} items`));
  }
  if (maxItems !== undefined && items.length > maxItems) errors.push(tooMany(path, items.length, maxItems));
  if (uniqueItems && hasTwins(items)) errors.push(duplicate(path, items));
}

function hasTwins(items: readonly Value[]): boolean {
  return items.some((item, index) => items.slice(0, index).some((earlier) => equalJson(earlier, item)));
}

function checkFields(
  schema: Schema,
  fields: Readonly<Record<string, Value>>,
  path: string,
  errors: FieldError[],
): void {
  checkCount(schema, fields, path, errors);
  const additional = typeof schema.additional === "object" ? schema.additional : undefined;
  for (const [name, value] of Object.entries(fields)) {
    const child = schema.properties.get(name) ?? additional;
    if (child !== undefined) check(child, value, childPath(path, name), errors);
  }
  for (const name of schema.required) {
    if (!Object.hasOwn(fields, name)) errors.push(required(childPath(path, name)));
  }
  if (schema.embeddedResource) checkIdentity(fields, path, errors);
}

function checkCount(schema: Schema, fields: object, path: string, errors: FieldError[]): void {
  const { minProperties, maxProperties } = schema.limits;
  if (minProperties === undefined && maxProperties === undefined) return;
  const count = Object.keys(fields).length;
  if (minProperties !== undefined && count < minProperties) {
    errors.push(invalid(path, count, `${path} in body should have at least ${minProperties} properties`));
  }
  if (maxProperties !== undefined && count > maxProperties) errors.push(tooMany(path, count, maxProperties));
}

/** An embedded resource says what it is. */
function checkIdentity(fields: Readonly<Record<string, Value>>, path: string, errors: FieldError[]): void {
  for (const name of ["apiVersion", "kind"]) {
    const field = childPath(path, name);
    const value = fields[name];
    if (value === undefined) errors.push(required(field));
    else if (typeof value !== "string") errors.push(invalid(field, value, "must be a string"));
    else if (value === "") errors.push(invalid(field, value, "must not be empty"));
  }
}

function checkLogic(schema: Schema, value: Value, path: string, errors: FieldError[]): void {
  if (schema.anyOf.length > 0) checkAnyOf(schema.anyOf, value, path, errors);
  if (schema.oneOf.length > 0) checkOneOf(schema.oneOf, value, path, errors);
  if (schema.allOf.length > 0) checkAllOf(schema.allOf, value, path, errors);
  if (schema.not !== undefined && validate(schema.not, value, path).length === 0) {
    errors.push(invalid(nowhere, "", `"${path}" must not validate the schema (not)`));
  }
}

function checkAnyOf(schemas: readonly Schema[], value: Value, path: string, errors: FieldError[]): void {
  const results = schemas.map((schema) => validate(schema, value, path));
  if (results.some((result) => result.length === 0)) return;
  errors.push(invalid(nowhere, "", `"${path}" must validate at least one schema (anyOf)`), ...nearest(results));
}

function checkOneOf(schemas: readonly Schema[], value: Value, path: string, errors: FieldError[]): void {
  const results = schemas.map((schema) => validate(schema, value, path));
  const valid = results.filter((result) => result.length === 0).length;
  if (valid === 1) return;
  const found = valid === 0 ? "Found none valid" : `Found ${valid} valid alternatives`;
  errors.push(invalid(nowhere, "", `"${path}" must validate one and only one schema (oneOf). ${found}`));
  if (valid === 0) errors.push(...nearest(results));
}

/** The alternative that misses by least says best what is wrong. */
function nearest(results: readonly (readonly FieldError[])[]): readonly FieldError[] {
  return results.reduce((best, result) => (result.length < best.length ? result : best));
}

function checkAllOf(schemas: readonly Schema[], value: Value, path: string, errors: FieldError[]): void {
  const results = schemas.map((schema) => validate(schema, value, path));
  const valid = results.filter((result) => result.length === 0).length;
  if (valid === schemas.length) return;
  const none = valid === 0 ? ". None validated" : "";
  errors.push(...results.flat(), invalid(nowhere, "", `"${path}" must validate all the schemas (allOf)${none}`));
}
