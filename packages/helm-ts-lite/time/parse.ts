import { quote } from "../go/quote.ts";
import { type Chunk, months, splitLayout, weekdays } from "./layout.ts";
import { GoTime, type Parts } from "./time.ts";
import { daysFromCivil, fixedZone, utc, type Zone } from "./zone.ts";

/** A text that is no time of the wanted layout, in Go's words. */
export class TimeError extends Error {
  override readonly name = "TimeError";
}

/** What has been read so far; months and days that were not given are -1. */
interface Reading {
  year: number;
  month: number;
  day: number;
  yearDay: number;
  hour: number;
  minute: number;
  second: number;
  nanosecond: number;
  half: "am" | "pm" | undefined;
  zone: Zone | undefined;
}

/** Takes an element off the front of the value; undefined when it does not fit, a text names what is out of range. */
type Reader = (
  value: string,
  into: Reading,
  next: Chunk | undefined,
) => string | undefined | { readonly range: string };

type NumberField = "year" | "month" | "day" | "yearDay" | "hour" | "minute" | "second";

function digits(pattern: RegExp, field: NumberField, check?: { min: number; max: number; name: string }): Reader {
  return (value, into) => {
    const match = pattern.exec(value);
    if (match === null) return undefined;
    const number = Number(match[1]);
    into[field] = number;
    if (check !== undefined && (number < check.min || number > check.max)) return { range: check.name };
    return value.slice(match[0].length);
  };
}

function nameOf(names: readonly string[], short: boolean, store: (into: Reading, index: number) => void): Reader {
  return (value, into) => {
    const index = names.findIndex((name) =>
      value.toLowerCase().startsWith((short ? name.slice(0, 3) : name).toLowerCase()),
    );
    if (index < 0) return undefined;
    store(into, index);
    return value.slice(short ? 3 : (names[index] ?? "").length);
  };
}

const setMonth = (into: Reading, index: number): void => {
  into.month = index + 1;
};

function half(lower: boolean): Reader {
  return (value, into) => {
    const text = value.slice(0, 2);
    if (lower ? !/^[ap]m$/.test(text) : !/^[AP]M$/.test(text)) return undefined;
    into.half = text.toLowerCase() === "pm" ? "pm" : "am";
    return value.slice(2);
  };
}

const month = { min: 1, max: 12, name: "month" };
const hour = { min: 0, max: 23, name: "hour" };
const hour12 = { min: 0, max: 12, name: "hour" };
const sixty = (name: string): { min: number; max: number; name: string } => ({ min: 0, max: 59, name });

/** Seconds may carry a fraction that the layout does not mention. */
function seconds(pattern: RegExp): Reader {
  const read = digits(pattern, "second", sixty("second"));
  return (value, into, next) => {
    const rest = read(value, into, next);
    const fraction = typeof rest === "string" ? /^[.,]([0-9]+)/.exec(rest) : null;
    if (typeof rest !== "string" || fraction === null || /^[.,]/.test(next?.element === true ? next.text : ""))
      return rest;
    into.nanosecond = nanoseconds(fraction[1] ?? "");
    return rest.slice(fraction[0].length);
  };
}

const nanoseconds = (fraction: string): number => Number(fraction.slice(0, 9).padEnd(9, "0"));

const readers: Readonly<Record<string, Reader>> = {
  "2006": digits(/^([0-9]{4})/, "year"),
  "06": (value, into) => {
    if (!/^[0-9]{2}/.test(value)) return undefined;
    const year = Number(value.slice(0, 2));
    into.year = year + (year >= 69 ? 1_900 : 2_000);
    return value.slice(2);
  },
  January: nameOf(months, false, setMonth),
  Jan: nameOf(months, true, setMonth),
  "01": digits(/^([0-9]{2})/, "month", month),
  "1": digits(/^([0-9]{1,2})/, "month", month),
  Monday: nameOf(weekdays, false, () => undefined),
  Mon: nameOf(weekdays, true, () => undefined),
  "02": digits(/^([0-9]{2})/, "day"),
  "2": digits(/^([0-9]{1,2})/, "day"),
  _2: digits(/^ ?([0-9]{1,2})/, "day"),
  "002": digits(/^([0-9]{3})/, "yearDay"),
  __2: digits(/^ {0,2}([0-9]{1,3})/, "yearDay"),
  "15": digits(/^([0-9]{1,2})/, "hour", hour),
  "03": digits(/^([0-9]{2})/, "hour", hour12),
  "3": digits(/^([0-9]{1,2})/, "hour", hour12),
  "04": digits(/^([0-9]{2})/, "minute", sixty("minute")),
  "4": digits(/^([0-9]{1,2})/, "minute", sixty("minute")),
  "05": seconds(/^([0-9]{2})/),
  "5": seconds(/^([0-9]{1,2})/),
  PM: half(false),
  pm: half(true),
  MST: zoneName,
};

function zoneName(value: string, into: Reading): string | undefined {
  if (value.startsWith("UTC")) {
    into.zone = utc;
    return value.slice(3);
  }
  const match = /^(?:GMT([-+][0-9]{1,2})?|[-+][0-9]{2}|ChST|MeST|WITA|[A-Z]{3,4}T|[A-Z]{3})/.exec(value);
  if (match === null) return undefined;
  into.zone = fixedZone(Number(match[1] ?? 0) * 3_600, match[0]);
  return value.slice(match[0].length);
}

const offsetShapes: Readonly<Record<string, RegExp>> = {
  "07:00:00": /^([-+])([0-9]{2}):([0-9]{2}):([0-9]{2})/,
  "070000": /^([-+])([0-9]{2})([0-9]{2})([0-9]{2})/,
  "07:00": /^([-+])([0-9]{2}):([0-9]{2})/,
  "0700": /^([-+])([0-9]{2})([0-9]{2})/,
  "07": /^([-+])([0-9]{2})/,
};

function readOffset(element: string, value: string, into: Reading): string | undefined | { range: string } {
  if (element.startsWith("Z") && value.startsWith("Z")) {
    into.zone = utc;
    return value.slice(1);
  }
  const match = offsetShapes[element.slice(1)]?.exec(value) ?? undefined;
  return match === undefined ? undefined : takeOffset(match, value, into);
}

function takeOffset(match: RegExpExecArray, value: string, into: Reading): string | { range: string } {
  const [hours = 0, minutes = 0, rest = 0] = match.slice(2).map(Number);
  if (hours > 24) return { range: "time zone offset hour" };
  if (minutes > 60) return { range: "time zone offset minute" };
  const size = hours * 3_600 + minutes * 60 + rest;
  into.zone = offsetZone(match[1] === "-" ? -size : size);
  return value.slice(match[0].length);
}

const offsetZone = (offset: number): Zone => (offset === 0 ? utc : fixedZone(offset, ""));

function readFraction(element: string, value: string, into: Reading): string | undefined {
  const exact = element.charAt(1) === "0";
  const match = (exact ? new RegExp(`^[.,]([0-9]{${element.length - 1}})`) : /^[.,]([0-9]+)/).exec(value);
  if (match === null) return exact ? undefined : value;
  into.nanosecond = nanoseconds(match[1] ?? "");
  return value.slice(match[0].length);
}

function readElement(
  chunk: Chunk,
  value: string,
  into: Reading,
  next: Chunk | undefined,
): string | undefined | { range: string } {
  const read = readers[chunk.text];
  if (read !== undefined) return read(value, into, next);
  return /^[.,]/.test(chunk.text) ? readFraction(chunk.text, value, into) : readOffset(chunk.text, value, into);
}

/** A run of blanks in a layout matches any run of blanks. */
function skipText(text: string, value: string): string | undefined {
  const pattern = text
    .split(/( +)/)
    .map((part) => (/^ +$/.test(part) ? " *" : part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")))
    .join("");
  const match = new RegExp(`^${pattern}`).exec(value);
  return match === null ? undefined : value.slice(match[0].length);
}

function daysIn(year: number, monthNumber: number): number {
  return (
    daysFromCivil(monthNumber === 12 ? year + 1 : year, (monthNumber % 12) + 1, 1) - daysFromCivil(year, monthNumber, 1)
  );
}

const unread = (): Reading => ({
  year: 0,
  month: -1,
  day: -1,
  yearDay: -1,
  hour: 0,
  minute: 0,
  second: 0,
  nanosecond: 0,
  half: undefined,
  zone: undefined,
});

function hourOf({ hour: read, half: part }: Reading): number {
  if (part === "pm" && read < 12) return read + 12;
  return part === "am" && read === 12 ? 0 : read;
}

/** Month and day, perhaps from the day of the year; undefined when there is no such day. */
function dateOf(reading: Reading): Pick<Parts, "month" | "day"> | undefined {
  const { year, yearDay } = reading;
  const first = reading.month < 0 ? 1 : reading.month;
  if (yearDay >= 0) {
    const length = daysFromCivil(year + 1, 1, 1) - daysFromCivil(year, 1, 1);
    return yearDay >= 1 && yearDay <= length ? { month: 1, day: yearDay } : undefined;
  }
  const day = reading.day < 0 ? 1 : reading.day;
  return day >= 1 && day <= daysIn(year, first) ? { month: first, day } : undefined;
}

/** Reads a time as Go's `time.ParseInLocation`. Throws {@link TimeError}. */
export function parseTime(layout: string, text: string, local: Zone): GoTime {
  const reading = unread();
  const fail = (message: string): TimeError => new TimeError(`parsing time ${quote(text)}${message}`);
  const mismatch = (value: string, element: string): TimeError =>
    fail(` as ${quote(layout)}: cannot parse ${quote(value)} as ${quote(element)}`);
  let value = text;
  const chunks = splitLayout(layout);
  for (const [index, chunk] of chunks.entries()) {
    const rest = chunk.element ? readElement(chunk, value, reading, chunks[index + 1]) : skipText(chunk.text, value);
    if (rest === undefined) throw mismatch(value, chunk.text);
    if (typeof rest !== "string") throw fail(`: ${rest.range} out of range`);
    value = rest;
  }
  if (value !== "") throw fail(`: extra text: ${quote(value)}`);
  const date = dateOf(reading);
  if (date === undefined) throw fail(`: day${reading.yearDay >= 0 ? "-of-year" : ""} out of range`);
  const { year, minute, second, nanosecond } = reading;
  return GoTime.ofParts({ year, ...date, hour: hourOf(reading), minute, second }, nanosecond, reading.zone ?? local);
}

const units: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  μs: 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};

/** Reads a Go duration such as `1h30m` into nanoseconds. Throws {@link TimeError}. */
export function parseDuration(text: string): bigint {
  const sign = text.startsWith("-") ? -1n : 1n;
  const body = text.replace(/^[-+]/, "");
  if (body === "0") return 0n;
  const parts = [...body.matchAll(/([0-9]*)(?:\.([0-9]*))?([a-zµμ]+)/g)];
  const whole = parts.map(([part]) => part).join("");
  if (body === "" || whole !== body) throw new TimeError(durationProblem(text, body));
  return sign * parts.reduce((sum, part) => sum + partOf(text, part), 0n);
}

function partOf(text: string, [, whole = "", fraction = "", unit = ""]: RegExpMatchArray): bigint {
  const size = units[unit];
  if (whole + fraction === "") throw new TimeError(`time: invalid duration ${quote(text)}`);
  if (size === undefined) throw new TimeError(`time: unknown unit ${quote(unit)} in duration ${quote(text)}`);
  return (
    BigInt(whole || "0") * size + (fraction === "" ? 0n : (BigInt(fraction) * size) / 10n ** BigInt(fraction.length))
  );
}

function durationProblem(text: string, body: string): string {
  return /^[0-9.]+$/.test(body) && body !== "."
    ? `time: missing unit in duration ${quote(text)}`
    : `time: invalid duration ${quote(text)}`;
}
