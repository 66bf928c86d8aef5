import { parseGoDuration } from "../../duration.ts";
import { formatSeconds, formatTimestamp, parseTimestamp } from "../time.ts";
import {
  type CelValue,
  Duration,
  fail,
  type OpaqueValue,
  type Timestamp,
  TypeValue,
  typeNameOf,
  Uint,
} from "../values.ts";
import { asInt, asTimestamp, asUint } from "./operators.ts";
import { declare } from "./registry.ts";

const conversionError = (from: string, to: string): never => fail(`type conversion error from '${from}' to '${to}'`);

/** A double as Go's `%g` prints it. */
export function formatDouble(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "+Inf" : "-Inf";
  if (Object.is(value, -0)) return "-0";
  const [mantissa = "", exponent = "0"] = value.toExponential().split("e");
  const power = Number(exponent);
  // Below 10^-4 and from 10^6 on, an exponent of at least two digits; JavaScript writes the rest alike.
  if (power >= -4 && power < 6) return String(value);
  return `${mantissa}e${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;
}

function parseInteger(text: string): bigint {
  if (!/^[+-]?\d+$/.test(text)) return conversionError("string", "int");
  const value = BigInt(text.replace(/^\+/, ""));
  return value >= -(1n << 63n) && value < 1n << 63n ? value : conversionError("string", "int");
}

function parseUnsigned(text: string): Uint {
  if (!/^\d+$/.test(text) || BigInt(text) >= 1n << 64n) return conversionError("string", "uint");
  return new Uint(BigInt(text));
}

function parseDouble(text: string): number {
  const special = /^([+-]?)(inf(?:inity)?|nan)$/i.exec(text);
  if (special !== null) return specialDouble(special[1] === "-", special[2] ?? "");
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : conversionError("string", "double");
}

function specialDouble(negative: boolean, name: string): number {
  if (name.toLowerCase() === "nan") return Number.NaN;
  return negative ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
}

function truncate(value: number): bigint {
  if (!Number.isFinite(value)) return fail("integer overflow");
  return asInt(BigInt(Math.trunc(value)));
}

function truncateUnsigned(value: number): Uint {
  if (!Number.isFinite(value)) return fail("unsigned integer overflow");
  return asUint(BigInt(Math.trunc(value)));
}

const truths: Readonly<Record<string, boolean>> = {
  ...Object.fromEntries(["1", "t", "T", "true", "TRUE", "True"].map((text) => [text, true])),
  ...Object.fromEntries(["0", "f", "F", "false", "FALSE", "False"].map((text) => [text, false])),
};

function decode(value: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(value);
  } catch {
    return fail("invalid UTF-8 in bytes, cannot convert to string");
  }
}

export const conversions = declare({
  "int(int): int": (value: bigint) => value,
  "int(uint): int": (value: Uint) => asInt(value.value),
  "int(double): int": truncate,
  "int(string): int": parseInteger,
  "int(timestamp): int": (value: Timestamp) => value.ns / 1_000_000_000n,
  "int(duration): int": (value: Duration) => value.ns,
  "uint(uint): uint": (value: Uint) => value,
  "uint(int): uint": asUint,
  "uint(double): uint": truncateUnsigned,
  "uint(string): uint": parseUnsigned,
  "double(double): double": (value: number) => value,
  "double(int): double": Number,
  "double(uint): double": (value: Uint) => Number(value.value),
  "double(string): double": parseDouble,
  "bool(bool): bool": (value: boolean) => value,
  "bool(string): bool": (text: string) => truths[text] ?? conversionError("string", "bool"),
  "string(string): string": (text: string) => text,
  "string(bool): string": String,
  "string(int): string": String,
  "string(uint): string": (value: Uint) => String(value.value),
  "string(double): string": formatDouble,
  "string(bytes): string": decode,
  "string(timestamp): string": (value: Timestamp) => formatTimestamp(value.ns),
  "string(duration): string": (value: Duration) => formatSeconds(value.ns),
  "string(IP): string": (value: OpaqueValue) => value.toString(),
  "string(CIDR): string": (value: OpaqueValue) => value.toString(),
  "bytes(bytes): bytes": (value: Uint8Array) => value,
  "bytes(string): bytes": (text: string) => new TextEncoder().encode(text),
  "timestamp(timestamp): timestamp": (value: Timestamp) => value,
  "timestamp(string): timestamp": (text: string) =>
    asTimestamp(parseTimestamp(text) ?? conversionError("string", "google.protobuf.Timestamp")),
  "timestamp(int): timestamp": (seconds: bigint) => asTimestamp(seconds * 1_000_000_000n),
  "duration(duration): duration": (value: Duration) => value,
  "duration(string): duration": (text: string) =>
    new Duration(parseGoDuration(text) ?? conversionError("string", "google.protobuf.Duration")),
  "duration(int): duration": (ns: bigint) => new Duration(ns),
  "dyn(A): dyn": (value: CelValue) => value,
  "type(A): type": (value: CelValue) => new TypeValue(typeNameOf(value)),
});
