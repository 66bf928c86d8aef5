import { isDate } from "../formats.ts";
import { dateAt, parseIso, yearStart } from "../system-date.ts";

const second = 1_000_000_000n;

/** Reads an RFC 3339 time, to the nanosecond; undefined when it is none. */
export function parseTimestamp(text: string): bigint | undefined {
  const match = /^(\d{4}-\d{2}-\d{2})[Tt](\d{2}:\d{2}:\d{2})(?:\.(\d{1,9}))?([Zz]|[+-]\d{2}:\d{2})$/.exec(text);
  const [, date = "", time = "", fraction = "", zone = "Z"] = match ?? [];
  if (match === null || !isDate(date)) return undefined;
  const ms = parseIso(`${date}T${time}${zone.toUpperCase()}`);
  return Number.isNaN(ms) ? undefined : BigInt(ms) * 1_000_000n + BigInt(fraction.padEnd(9, "0"));
}

/** Writes a time as Go's RFC3339Nano: UTC, without trailing zeros. */
export function formatTimestamp(ns: bigint): string {
  const seconds = floorDivide(ns, second);
  const fraction = String(ns - seconds * second)
    .padStart(9, "0")
    .replace(/0+$/, "");
  const whole = dateAt(seconds).toISOString().slice(0, 19);
  return `${whole}${fraction === "" ? "" : `.${fraction}`}Z`;
}

/** Writes a duration in seconds, as CEL does: `5400s`, `1.5s`. */
export function formatSeconds(ns: bigint): string {
  const size = ns < 0n ? -ns : ns;
  const fraction = String(size % second)
    .padStart(9, "0")
    .replace(/0+$/, "");
  return `${ns < 0n ? "-" : ""}${size / second}${fraction === "" ? "" : `.${fraction}`}s`;
}

export interface DateParts {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly weekday: number;
  readonly yearDay: number;
  readonly hours: number;
  readonly minutes: number;
  readonly seconds: number;
  readonly milliseconds: number;
}

/** A time taken apart in a zone: `UTC`, an IANA name, or an offset such as `-02:30`. Undefined for an unknown zone. */
export function datePartsOf(ns: bigint, zone: string): DateParts | undefined {
  const offset = offsetOf(ns, zone);
  if (offset === undefined) return undefined;
  const seconds = floorDivide(ns, second);
  const date = dateAt(seconds + BigInt(offset));
  const year = date.getUTCFullYear();
  return {
    year,
    month: date.getUTCMonth(),
    day: date.getUTCDate(),
    weekday: date.getUTCDay(),
    yearDay: Math.floor((date.getTime() - yearStart(year)) / 86_400_000),
    hours: date.getUTCHours(),
    minutes: date.getUTCMinutes(),
    seconds: date.getUTCSeconds(),
    milliseconds: Number((ns - seconds * second) / 1_000_000n),
  };
}

/** Seconds east of UTC. */
function offsetOf(ns: bigint, zone: string): number | undefined {
  if (zone === "" || zone === "UTC") return 0;
  if (/^[+-]?\d{2}:\d{2}$/.test(zone)) return secondsOf(zone);
  try {
    const format = new Intl.DateTimeFormat("en-US", { timeZone: zone, timeZoneName: "longOffset" });
    const parts = format.formatToParts(dateAt(floorDivide(ns, second)));
    return secondsOf(parts.find(({ type }) => type === "timeZoneName")?.value.slice("GMT".length) ?? "");
  } catch {
    // Intl throws on a zone that it does not know.
    return undefined;
  }
}

/** `-02:30` in seconds; an empty text is no offset. */
function secondsOf(offset: string): number {
  const [hours = 0, minutes = 0] = offset.replace(/^[+-]/, "").split(":").map(Number);
  return (offset.startsWith("-") ? -1 : 1) * (hours * 3600 + minutes * 60);
}

function floorDivide(a: bigint, b: bigint): bigint {
  const quotient = a / b;
  return a % b < 0n ? quotient - 1n : quotient;
}
