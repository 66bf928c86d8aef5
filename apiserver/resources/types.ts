import { type GoField, messageFields, messageName } from "../facts/go-types.ts";
import { type Fields, isFields } from "./kinds/edit.ts";
import { isQuantity } from "./quantity.ts";

const quantityText = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

const rfc3339 =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:[.,]\d+)?(?:Z|[+-]\d\d:\d\d)$/;
/** The parts of a time as Go names them, in order. */
const timeParts: readonly (readonly [name: string, pattern: RegExp])[] = [
  ["2006", /^\d{4}/],
  ["-", /^-/],
  ["01", /^\d\d/],
  ["-", /^-/],
  ["02", /^\d\d/],
  ["T", /^T/],
  ["15", /^\d\d/],
  [":", /^:/],
  ["04", /^\d\d/],
  [":", /^:/],
  ["05", /^\d\d(?:[.,]\d+)?/],
  ["Z07:00", /^(?:Z|[+-]\d\d:\d\d)/],
];
const ranges: Readonly<Record<string, readonly [name: string, most: number]>> = {
  "01": ["month", 12],
  "02": ["day", 31],
  "15": ["hour", 23],
  "04": ["minute", 59],
  "05": ["second", 59],
};

/** What Go says of a text that is no time. */
function timeProblem(text: string): string {
  const shown = JSON.stringify(text);
  let rest = text;
  for (const [name, pattern] of timeParts) {
    const found = pattern.exec(rest)?.[0];
    if (found === undefined) {
      return `parsing time ${shown} as "2006-01-02T15:04:05Z07:00": cannot parse ${JSON.stringify(rest)} as ${JSON.stringify(name)}`;
    }
    const [part = "", most = Number.POSITIVE_INFINITY] = ranges[name] ?? [];
    if (Number.parseInt(found, 10) > most) return `parsing time ${shown}: ${part} out of range`;
    rest = rest.slice(found.length);
  }
  return rest === ""
    ? `parsing time ${shown}: day out of range`
    : `parsing time ${shown}: extra text: ${JSON.stringify(rest)}`;
}

/** Where a field stands. */
export interface Place {
  /** Name of the Go type that has the field. */
  readonly struct: string;
  readonly path: string;
}

/**
 * The first value that the Go type of a built-in kind can't hold, in the words of Go's decoder; `undefined` when all fit.
 * Nulls are absent values to Go.
 */
export function typeProblem(apiVersion: string, kind: string, object: Fields): string | undefined {
  return inMessage(messageName(apiVersion, kind), object, "");
}

function inMessage(message: string, fields: Fields, path: string): string | undefined {
  for (const [name, value] of Object.entries(fields)) {
    const found = value === null ? undefined : fieldOf(message, name);
    if (found === undefined) continue;
    const place = { struct: shortName(found.message), path: path === "" ? name : `${path}.${name}` };
    const problem = inValue(found.field.type, value, place);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** A field by its JSON name, looked for in inline parts, too. */
function fieldOf(message: string, name: string): { readonly field: GoField; readonly message: string } | undefined {
  for (const field of messageFields(message) ?? []) {
    if (field.name === name) return { field, message };
    const inner = field.name === "" ? fieldOf(field.type, name) : undefined;
    if (inner !== undefined) return inner;
  }
  return undefined;
}

const shortName = (message: string): string => message.slice(message.indexOf(".") + 1);

function inValue(type: string, value: unknown, place: Place): string | undefined {
  if (type.startsWith("[]")) return inList(type, value, place);
  if (type.startsWith("map[]")) return inMap(type, value, place);
  const check = checks[type];
  if (check !== undefined) return check(value, place);
  if (messageFields(type) === undefined) return undefined;
  return isFields(value) ? inMessage(type, value, place.path) : mismatch(value, place, `v1.${shortName(type)}`);
}

function inList(type: string, value: unknown, place: Place): string | undefined {
  if (!Array.isArray(value)) return mismatch(value, place, goType(type));
  for (const item of value as readonly unknown[]) {
    const problem = item === null ? undefined : inValue(type.slice(2), item, place);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function inMap(type: string, value: unknown, place: Place): string | undefined {
  if (!isFields(value)) return mismatch(value, place, goType(type));
  for (const item of Object.values(value)) {
    const problem = item === null ? undefined : inValue(type.slice(5), item, place);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function goType(type: string): string {
  if (type.startsWith("[]")) return `[]${goType(type.slice(2))}`;
  if (type.startsWith("map[]")) return `map[string]${goType(type.slice(5))}`;
  return type.includes("/") ? `v1.${shortName(type)}` : (goNames[type] ?? type);
}

const goNames: Readonly<Record<string, string>> = { double: "float64", bytes: "[]uint8" };

type Check = (value: unknown, place: Place) => string | undefined;

const integer =
  (name: string): Check =>
  (value, place) =>
    Number.isInteger(value) ? undefined : mismatch(value, place, name);
const time: Check = (value, place) => {
  if (typeof value !== "string") return mismatch(value, place, "string");
  return rfc3339.test(value) ? undefined : timeProblem(value);
};

const checks: Readonly<Record<string, Check>> = {
  string: (value, place) => (typeof value === "string" ? undefined : mismatch(value, place, "string")),
  bool: (value, place) => (typeof value === "boolean" ? undefined : mismatch(value, place, "bool")),
  int: integer("int"),
  int32: integer("int32"),
  int64: integer("int64"),
  double: (value, place) => (typeof value === "number" ? undefined : mismatch(value, place, "float64")),
  bytes: (value, place) => {
    if (typeof value !== "string") return mismatch(value, place, "[]uint8");
    return base64.test(value.replaceAll(/[\r\n]/g, "")) ? undefined : "illegal base64 data at input byte 0";
  },
  quantity: (value) => (isQuantity(value) ? undefined : quantityText),
  intOrString: (value, place) =>
    typeof value === "string" || Number.isInteger(value) ? undefined : mismatch(value, place, "int32"),
  time,
  microTime: (value, place) => {
    if (typeof value !== "string") return mismatch(value, place, "string");
    if (/\.\d{6}(?:Z|[+-]\d\d:\d\d)$/.test(value)) return undefined;
    const rest = /(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)?$/.exec(value)?.[0] ?? "";
    return `parsing time ${JSON.stringify(value)} as "2006-01-02T15:04:05.000000Z07:00": cannot parse ${JSON.stringify(rest)} as ".000000"`;
  },
};

/** What Go's decoder says of a value of another type. */
export function mismatch(value: unknown, { struct, path }: Place, expected: string): string {
  return `json: cannot unmarshal ${goName(value)} into Go struct field ${struct}.${path} of type ${expected}`;
}

function goName(value: unknown): string {
  if (Array.isArray(value)) return "array";
  if (typeof value === "boolean") return "bool";
  if (typeof value === "number") return Number.isInteger(value) ? "number" : `number ${String(value)}`;
  return typeof value;
}
