import { isRecord } from "./compile.ts";
import { fieldOf, itemsByKey, keyOf } from "./correlate.ts";
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

/** Where faults go, and the stored value beside the one that is checked. */
interface Sink {
  readonly faults: FieldError[];
  readonly old: Value;
}

/**
 * Checks a value against its schema: types, bounds, formats, enums, required fields, `allOf`/`anyOf`/`oneOf`/`not`,
 * duplicates in lists of type set and map. Reports every fault, in Kubernetes' words.
 *
 * On an update, what has not changed is not held against the writer (ratcheting): a schema may become stricter without
 * locking the objects that are there. Rules (`x-kubernetes-validations`) are checked apart, see `validateRules`.
 *
 * @param path - where the value stands; empty for a whole object
 * @param old - the stored value on an update
 */
export function validate(schema: Schema, value: Value, path = "", old?: Value): readonly FieldError[] {
  const faults = faultsOf(schema, value, path, old);
  const excused = old !== undefined && listFaults(schema, old, path).length > 0;
  return excused ? faults : [...faults, ...listFaults(schema, value, path)];
}

function faultsOf(schema: Schema, value: Value, path: string, old: Value): readonly FieldError[] {
  const faults: FieldError[] = [];
  check(schema, value, path, { faults, old });
  return faults;
}

function check(schema: Schema, value: Value, path: string, into: Sink): void {
  if (into.old !== undefined && equalJson(into.old, value)) return;
  checkType(schema, value, path, into);
  if (value !== null) {
    checkLogic(schema, value, path, into);
    checkContent(schema, value, path, into);
  }
  if (schema.enum !== undefined && !schema.enum.some((allowed) => isAllowed(allowed, value))) {
    into.faults.push(notSupported(path, value, schema.enum));
  }
}

/** Kubernetes reads a number as the type of the allowed one, which cuts its fraction off. */
function isAllowed(allowed: Value, value: Value): boolean {
  if (typeof allowed === "number" && typeof value === "number" && Number.isInteger(allowed)) {
    return allowed === Math.trunc(value);
  }
  return equalJson(allowed, value);
}

function checkType(schema: Schema, value: Value, path: string, into: Sink): void {
  const found = jsonTypeOf(value);
  const expected = schema.intOrString ? "integer,string" : schema.type;
  if (expected === undefined || isOfType(expected, found) || (found === "null" && schema.nullable)) return;
  const formatted = schema.format !== undefined && value !== null && isFormatted(expected, schema.format, found);
  into.faults.push(formatted ? wrongType(path, schema.format, goTypeOf(value)) : wrongType(path, expected, found));
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

function checkContent(schema: Schema, value: Value, path: string, into: Sink): void {
  if (typeof value === "string") into.faults.push(...validateText(schema, value, path));
  else if (typeof value === "number" || typeof value === "bigint")
    into.faults.push(...validateNumber(schema, value, path));
  else if (Array.isArray(value)) checkList(schema, value, path, into);
  else if (isRecord(value)) checkFields(schema, value, path, into);
}

function checkList(schema: Schema, items: readonly Value[], path: string, into: Sink): void {
  const { minItems, maxItems, uniqueItems } = schema.limits;
  if (schema.items !== undefined) checkItems(schema, schema.items, items, { ...into, path });
  if (minItems !== undefined && items.length < minItems) {
    into.faults.push(invalid(path, items.length, `${path} in body should have at least ${minItems} items`));
  }
  if (maxItems !== undefined && items.length > maxItems) into.faults.push(tooMany(path, items.length, maxItems));
  if (uniqueItems && hasTwins(items)) into.faults.push(duplicate(path, items));
}

function checkItems(schema: Schema, child: Schema, items: readonly Value[], into: Sink & { path: string }): void {
  const before = itemsByKey(schema, into.old);
  for (const [index, item] of items.entries()) {
    const old = before?.get(keyOf(schema, item));
    check(child, item, itemPath(into.path, index), { faults: into.faults, old });
  }
}

function hasTwins(items: readonly Value[]): boolean {
  return items.some((item, index) => items.slice(0, index).some((earlier) => equalJson(earlier, item)));
}

function checkFields(schema: Schema, fields: Readonly<Record<string, Value>>, path: string, into: Sink): void {
  checkCount(schema, fields, path, into);
  const additional = typeof schema.additional === "object" ? schema.additional : undefined;
  for (const [name, value] of Object.entries(fields)) {
    const child = schema.properties.get(name) ?? additional;
    if (child !== undefined) check(child, value, childPath(path, name), { ...into, old: fieldOf(into.old, name) });
  }
  for (const name of schema.required) {
    if (!Object.hasOwn(fields, name)) into.faults.push(required(childPath(path, name)));
  }
  if (schema.embeddedResource) checkIdentity(fields, path, into);
}

function checkCount(schema: Schema, fields: object, path: string, into: Sink): void {
  const { minProperties, maxProperties } = schema.limits;
  if (minProperties === undefined && maxProperties === undefined) return;
  const count = Object.keys(fields).length;
  if (minProperties !== undefined && count < minProperties) {
    into.faults.push(invalid(path, count, `${path} in body should have at least ${minProperties} properties`));
  }
  if (maxProperties !== undefined && count > maxProperties) into.faults.push(tooMany(path, count, maxProperties));
}

/** An embedded resource says what it is. */
function checkIdentity(fields: Readonly<Record<string, Value>>, path: string, into: Sink): void {
  for (const name of ["apiVersion", "kind"]) {
    const field = childPath(path, name);
    const value = fields[name];
    if (value === undefined) into.faults.push(required(field));
    else if (typeof value !== "string") into.faults.push(invalid(field, value, "must be a string"));
    else if (value === "") into.faults.push(invalid(field, value, "must not be empty"));
  }
}

/** Inside of these nothing is ratcheted: they judge the value as it is. */
function checkLogic(schema: Schema, value: Value, path: string, into: Sink): void {
  if (schema.anyOf.length > 0) checkAnyOf(schema.anyOf, value, path, into);
  if (schema.oneOf.length > 0) checkOneOf(schema.oneOf, value, path, into);
  if (schema.allOf.length > 0) checkAllOf(schema.allOf, value, path, into);
  if (schema.not !== undefined && faultsOf(schema.not, value, path, undefined).length === 0) {
    into.faults.push(invalid(nowhere, "", `"${path}" must not validate the schema (not)`));
  }
}

function checkAnyOf(schemas: readonly Schema[], value: Value, path: string, into: Sink): void {
  const results = schemas.map((schema) => faultsOf(schema, value, path, undefined));
  if (results.some((result) => result.length === 0)) return;
  into.faults.push(invalid(nowhere, "", `"${path}" must validate at least one schema (anyOf)`), ...nearest(results));
}

function checkOneOf(schemas: readonly Schema[], value: Value, path: string, into: Sink): void {
  const results = schemas.map((schema) => faultsOf(schema, value, path, undefined));
  const valid = results.filter((result) => result.length === 0).length;
  if (valid === 1) return;
  const found = valid === 0 ? "Found none valid" : `Found ${valid} valid alternatives`;
  into.faults.push(invalid(nowhere, "", `"${path}" must validate one and only one schema (oneOf). ${found}`));
  if (valid === 0) into.faults.push(...nearest(results));
}

/** The alternative that misses by least says best what is wrong; an absent field misses by more than a wrong one. */
function nearest(results: readonly (readonly FieldError[])[]): readonly FieldError[] {
  return results.reduce((best, result) => (distanceOf(result) < distanceOf(best) ? result : best));
}

function distanceOf(faults: readonly FieldError[]): number {
  return faults.reduce((sum, { reason }) => sum + (reason === "FieldValueRequired" ? 1.5 : 1), 0);
}

function checkAllOf(schemas: readonly Schema[], value: Value, path: string, into: Sink): void {
  const results = schemas.map((schema) => faultsOf(schema, value, path, undefined));
  const valid = results.filter((result) => result.length === 0).length;
  if (valid === schemas.length) return;
  const none = valid === 0 ? ". None validated" : "";
  into.faults.push(...results.flat(), invalid(nowhere, "", `"${path}" must validate all the schemas (allOf)${none}`));
}
