import { RE2JS } from "re2js";
import { isRecord } from "./compile.ts";
import { type FieldError, invalid, nowhere, tooLong, typeInvalid } from "./field-errors.ts";
import { hasFormat } from "./formats.ts";
import type { Schema, Value } from "./types.ts";

/** The JSON type of a value in the words of OpenAPI; whole numbers are integers. */
export function jsonTypeOf(value: Value): string {
  if (value === null || value === undefined) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "bigint" || Number.isInteger(value)) return "integer";
  return typeof value;
}

/** Deep equality of JSON values. */
export function equalJson(a: Value, b: Value): boolean {
  if (a === b) return true;
  if (Array.isArray(a))
    return Array.isArray(b) && a.length === b.length && a.every((item, at) => equalJson(item, b[at]));
  if (!isRecord(a) || !isRecord(b)) return false;
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && equalJson(a[name], b[name]))
  );
}

export function validateText({ limits, format }: Schema, text: string, path: string): readonly FieldError[] {
  const lengthError = validateLength(limits, text, path);
  if (lengthError !== undefined) return [lengthError];
  const errors: FieldError[] = [];
  if (limits.pattern !== undefined && !matches(limits.pattern, text)) {
    errors.push(invalid(path, text, `${path} in body should match '${limits.pattern}'`));
  }
  if (format !== undefined && !hasFormat(format, text)) {
    errors.push(typeInvalid(path, text, `${path} in body must be of type ${format}: ${JSON.stringify(text)}`));
  }
  return errors;
}

function validateLength(
  { minLength, maxLength }: Schema["limits"],
  text: string,
  path: string,
): FieldError | undefined {
  if (minLength === undefined && maxLength === undefined) return undefined;
  const length = codePoints(text);
  if (maxLength !== undefined && length > maxLength) return tooLong(path, maxLength);
  if (minLength === undefined || length >= minLength) return undefined;
  return invalid(path, text, `${path} in body should be at least ${minLength} chars long`);
}

function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

const patterns = new Map<string, RE2JS | undefined>();
const patternLimit = 2_000;

/** Go's regular expressions: linear in the text, so that a pattern cannot be an attack. */
function matches(pattern: string, text: string): boolean {
  if (!patterns.has(pattern)) {
    if (patterns.size >= patternLimit) patterns.clear();
    patterns.set(pattern, compilePattern(pattern));
  }
  return patterns.get(pattern)?.matcher(text).find() ?? false;
}

/** Undefined for a pattern that Go does not compile. */
export function compilePattern(pattern: string): RE2JS | undefined {
  try {
    return RE2JS.compile(pattern);
  } catch {
    return undefined;
  }
}

/** Why Go does not compile a pattern; undefined when it does. */
export function patternProblem(pattern: string): string | undefined {
  try {
    RE2JS.compile(pattern);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

export function validateNumber(schema: Schema, value: number | bigint, path: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  const range = rangeOf(schema);
  if (range !== undefined && !isWholeWithin(value, range)) {
    const format = schema.format === undefined ? "(default format)" : `with format ${schema.format}`;
    errors.push(invalid(nowhere, "", `Checked value must be of type integer ${format} in ${path}`));
  }
  errors.push(...multipleFaults(schema.limits, value, path));
  for (const text of boundFaults(schema.limits, value))
    errors.push(invalid(path, value, `${path} in body should be ${text}`));
  return errors;
}

function multipleFaults({ multipleOf }: Schema["limits"], value: number | bigint, path: string): readonly FieldError[] {
  if (multipleOf === undefined) return [];
  const factor = isWhole(value) ? Math.trunc(multipleOf) : multipleOf;
  if (factor <= 0) return [invalid(path, factor, `factor MultipleOf declared for ${path} must be positive: ${factor}`)];
  return isMultiple(value, factor) ? [] : [invalid(path, value, `${path} in body should be a multiple of ${factor}`)];
}

function* boundFaults(limits: Schema["limits"], value: number | bigint): Generator<string> {
  const { exclusiveMaximum, exclusiveMinimum } = limits;
  const { maximum, minimum } = boundsFor(limits, value);
  if (maximum !== undefined && !isBelow(value, maximum, exclusiveMaximum)) {
    yield `less than ${exclusiveMaximum ? "" : "or equal to "}${maximum}`;
  }
  if (minimum !== undefined && !isBelow(minimum, value, exclusiveMinimum)) {
    yield `greater than ${exclusiveMinimum ? "" : "or equal to "}${minimum}`;
  }
}

/** Kubernetes holds a whole number against whole bounds: it cuts their fractions off. */
function boundsFor(
  { maximum, minimum }: Schema["limits"],
  value: number | bigint,
): { maximum?: number | undefined; minimum?: number | undefined } {
  if (!isWhole(value)) return { maximum, minimum };
  const whole = (bound: number | undefined): number | undefined =>
    bound === undefined ? undefined : Math.trunc(bound);
  return { maximum: whole(maximum), minimum: whole(minimum) };
}

function isWhole(value: number | bigint): boolean {
  return typeof value === "bigint" || Number.isInteger(value);
}

function isBelow(low: number | bigint, high: number | bigint, strictly: boolean): boolean {
  return strictly ? low < high : low <= high;
}

function isMultiple(value: number | bigint, factor: number): boolean {
  return Number.isInteger(Number(value) / factor);
}

const ranges: Readonly<Record<string, bigint>> = { int32: 1n << 31n, int64: 1n << 63n };

/** The power of two that bounds an integer; undefined where any number will do. */
function rangeOf({ type, format }: Schema): bigint | undefined {
  if (type !== "integer") return undefined;
  return ranges[format ?? "int64"] ?? ranges.int64;
}

function isWholeWithin(value: number | bigint, range: bigint): boolean {
  if (typeof value === "number" && !Number.isInteger(value)) return false;
  const whole = BigInt(value);
  return whole >= -range && whole < range;
}
