import { formatSeconds, formatTimestamp } from "../time.ts";
import {
  type CelValue,
  Duration,
  fail,
  ListValue,
  MapValue,
  Timestamp,
  TypeValue,
  textOf,
  typeNameOf,
  Uint,
} from "../values.ts";
import { formatDouble } from "./conversions.ts";

/** `string.format`: `%s %d %f %e %b %x %X %o` and `%%`, with a precision for `%f` and `%e`. */
export function formatText(template: string, args: readonly CelValue[]): string {
  let next = 0;
  return template.replaceAll(/%(?:\.(\d+))?(.)?/gs, (_, precision: string | undefined, verb: string | undefined) => {
    if (verb === "%") return "%";
    if (next >= args.length) return fail(`index ${next} out of range`);
    const value = args[next++] ?? null;
    return formatOne(verb ?? "", value, precision === undefined ? 6 : Number(precision));
  });
}

function formatOne(verb: string, value: CelValue, precision: number): string {
  const format = verbs[verb];
  return format === undefined
    ? fail(`could not parse formatting clause: unrecognized formatting clause "${verb}"`)
    : format(value, precision);
}

const verbs: Readonly<Record<string, (value: CelValue, precision: number) => string>> = {
  s: formatString,
  d: (value) => integerOf("decimal", value).toString(),
  f: (value, precision) => doubleOf("fixed-point", value).toFixed(precision),
  e: (value, precision) => scientific(doubleOf("scientific notation", value), precision),
  b: (value) => (typeof value === "boolean" ? String(Number(value)) : integerOf("binary", value).toString(2)),
  o: (value) => integerOf("octal", value).toString(8),
  x: hexadecimal,
  X: (value) => hexadecimal(value).toUpperCase(),
};

function integerOf(clause: string, value: CelValue): bigint {
  if (typeof value === "bigint") return value;
  if (value instanceof Uint) return value.value;
  return fail(`error during formatting: ${clause} clause can only be used on integers, was given ${typeNameOf(value)}`);
}

function doubleOf(clause: string, value: CelValue): number {
  if (typeof value === "number") return value;
  if (typeof value === "bigint") return Number(value);
  return fail(`error during formatting: ${clause} clause can only be used on doubles, was given ${typeNameOf(value)}`);
}

const superscripts = "⁰¹²³⁴⁵⁶⁷⁸⁹";

/** `1.234500×10⁰³`, as the extension prints it in its default locale. */
function scientific(value: number, precision: number): string {
  const [mantissa = "", exponent = "0"] = value.toExponential(precision).split("e");
  const digits = String(Math.abs(Number(exponent))).padStart(2, "0");
  const raised = Array.from(digits, (digit) => superscripts[Number(digit)] ?? "").join("");
  return `${mantissa}×10${Number(exponent) < 0 ? "⁻" : ""}${raised}`;
}

function hexadecimal(value: CelValue): string {
  if (typeof value === "string") return hexadecimal(new TextEncoder().encode(value));
  if (value instanceof Uint8Array) return Array.from(value, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return integerOf("hexadecimal", value).toString(16);
}

/** `%s`: texts as they are, containers as JSON. */
function formatString(value: CelValue): string {
  if (value instanceof ListValue) return `[${value.items.map(formatInner).join(",")}]`;
  if (value instanceof MapValue) {
    const entries = [...value.entries.values()].map(({ key, value: inner }) => `${keyText(key)}:${formatInner(inner)}`);
    return `{${entries.sort().join(",")}}`;
  }
  return formatSimple(value);
}

function formatInner(value: CelValue): string {
  return typeof value === "string" ? JSON.stringify(value) : formatString(value);
}

function keyText(key: CelValue): string {
  return JSON.stringify(formatString(key));
}

function formatSimple(value: CelValue): string {
  if (typeof value === "number") return formatDouble(value);
  if (value instanceof Uint8Array) return new TextDecoder().decode(value);
  if (value instanceof Uint) return String(value.value);
  if (value instanceof Timestamp) return formatTimestamp(value.ns);
  if (value instanceof Duration) return formatSeconds(value.ns);
  return value instanceof TypeValue ? value.name : textOf(value);
}
