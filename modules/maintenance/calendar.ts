/**
 * Calendar arithmetic on the proleptic Gregorian calendar, as pure numbers: days and milliseconds since 1970-01-01,
 * minutes east of UTC. Conversion between days and dates after Howard Hinnant, "chrono-Compatible Low-Level Date
 * Algorithms".
 */

export const dayMs = 86_400_000;
const minuteMs = 60_000;

/** Days of the week as policies write them, beginning with the day of 1970-01-04. */
const dayNames = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"] as const;

/** Days since 1970-01-01 of a date; `month` counts from 1. */
export function daysFromCivil(year: number, month: number, day: number): number {
  const y = month <= 2 ? year - 1 : year;
  const era = Math.floor(y / 400);
  const yearOfEra = y - era * 400;
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146_097 + dayOfEra - 719_468;
}

/** Year, month (from 1) and day of a number of days since 1970-01-01. */
export function civilFromDays(days: number): readonly [number, number, number] {
  const z = days + 719_468;
  const era = Math.floor(z / 146_097);
  const dayOfEra = z - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const shifted = Math.floor((5 * dayOfYear + 2) / 153);
  const month = shifted + (shifted < 10 ? 3 : -9);
  const day = dayOfYear - Math.floor((153 * shifted + 2) / 5) + 1;
  return [yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day];
}

/** Day of the week of a number of days since 1970-01-01. */
export function dayName(days: number): string {
  return dayNames[(((days + 4) % 7) + 7) % 7] ?? "";
}

/** The date, as days since 1970-01-01, that a clock shows in a zone. */
export function localDay(atMs: number, offsetMinutes: number): number {
  return Math.floor((atMs + offsetMinutes * minuteMs) / dayMs);
}

/** An instant with the zone it was written in. */
export interface ZonedTime {
  readonly ms: number;
  readonly offsetMinutes: number;
}

/** A time of day in a zone: milliseconds since that zone's midnight. */
export interface TimeOfDay {
  readonly msOfDay: number;
  readonly offsetMinutes: number;
}

const zonePattern = String.raw`(Z|[+-]\d{2}:\d{2})`;
const clockPattern = String.raw`(\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,9}))?`;
const dateTime = new RegExp(String.raw`^(\d{4})-(\d{2})-(\d{2})T${clockPattern}${zonePattern}$`);
const timeOnly = new RegExp(`^${clockPattern}${zonePattern}$`);

/** Reads RFC 3339. Undefined: the text is none, or names a date or time that does not exist. */
export function parseRfc3339(text: string): ZonedTime | undefined {
  const match = dateTime.exec(text);
  if (match === null) return undefined;
  const [year, month, day] = [match[1], match[2], match[3]].map(Number) as [number, number, number];
  const time = timeOfDay(match.slice(4));
  const days = daysFromCivil(year, month, day);
  const [y, m, d] = civilFromDays(days);
  if (time === undefined || y !== year || m !== month || d !== day) return undefined;
  return { ms: days * dayMs + time.msOfDay - time.offsetMinutes * minuteMs, offsetMinutes: time.offsetMinutes };
}

/** Reads a time of day with a zone, for example `21:00:00+02:00` or `21:00:00Z`. */
export function parseTimeOfDay(text: string): TimeOfDay | undefined {
  const match = timeOnly.exec(text);
  return match === null ? undefined : timeOfDay(match.slice(1));
}

function timeOfDay([hour, minute, second, fraction, zone]: readonly (string | undefined)[]): TimeOfDay | undefined {
  const [h, m, s] = [Number(hour), Number(minute), Number(second)];
  const offsetMinutes = zoneMinutes(zone ?? "Z");
  if (h > 23 || m > 59 || s > 59 || offsetMinutes === undefined) return undefined;
  const fractionMs = Math.floor(Number(`0.${fraction ?? "0"}`) * 1000);
  return { msOfDay: ((h * 60 + m) * 60 + s) * 1000 + fractionMs, offsetMinutes };
}

function zoneMinutes(zone: string): number | undefined {
  if (zone === "Z") return 0;
  const [hours, minutes] = zone.slice(1).split(":").map(Number) as [number, number];
  if (hours > 24 || minutes > 59) return undefined;
  return (zone.startsWith("-") ? -1 : 1) * (hours * 60 + minutes);
}

/** Writes RFC 3339 with whole seconds in a zone. */
export function formatRfc3339(ms: number, offsetMinutes = 0): string {
  const day = localDay(ms, offsetMinutes);
  const [year, month, date] = civilFromDays(day);
  const seconds = Math.floor((ms + offsetMinutes * minuteMs - day * dayMs) / 1000);
  const clock = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60].map(two).join(":");
  return `${String(year).padStart(4, "0")}-${two(month)}-${two(date)}T${clock}${zoneText(offsetMinutes)}`;
}

function zoneText(offsetMinutes: number): string {
  if (offsetMinutes === 0) return "Z";
  const size = Math.abs(offsetMinutes);
  return `${offsetMinutes < 0 ? "-" : "+"}${two(Math.floor(size / 60))}:${two(size % 60)}`;
}

function two(value: number): string {
  return String(value).padStart(2, "0");
}
