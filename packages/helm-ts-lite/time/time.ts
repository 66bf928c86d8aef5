import { Int, int, int64 } from "../go/int.ts";
import type { GoMethod, GoObject, GoValue } from "../go/values.ts";
import { months, splitLayout, weekdays } from "./layout.ts";
import { daysFromCivil, utc, type Zone } from "./zone.ts";

/** The parts of a time in its zone. */
export interface Parts {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
}

const billion = 1_000_000_000n;
const floorDiv = (a: bigint, b: bigint): bigint => (a >= 0n ? a / b : -((b - 1n - a) / b));

/** Go's `time.Time`: nanoseconds since the Unix epoch, seen in a zone. */
export class GoTime implements GoObject {
  readonly goType = "time.Time";
  readonly goKind = "struct";
  readonly nanoseconds: bigint;
  readonly zone: Zone;

  constructor(nanoseconds: bigint, zone: Zone) {
    this.nanoseconds = nanoseconds;
    this.zone = zone;
  }

  static ofParts(parts: Parts, nanosecond: number, zone: Zone): GoTime {
    const days = civilDays(parts);
    const local = days * 86_400 + parts.hour * 3_600 + parts.minute * 60 + parts.second;
    // The offset at the wanted local time: right unless a change of the clocks lies between the two guesses.
    const guess = local - zone.at(local).offset;
    const seconds = local - zone.at(guess).offset;
    return new GoTime(BigInt(seconds) * billion + BigInt(nanosecond), zone);
  }

  get unixSeconds(): number {
    return Number(floorDiv(this.nanoseconds, billion));
  }

  get nanosecond(): number {
    return Number(this.nanoseconds - floorDiv(this.nanoseconds, billion) * billion);
  }

  get isZero(): boolean {
    return this.nanoseconds === zeroTime.nanoseconds;
  }

  in(zone: Zone): GoTime {
    return new GoTime(this.nanoseconds, zone);
  }

  add(nanoseconds: bigint): GoTime {
    return new GoTime(this.nanoseconds + nanoseconds, this.zone);
  }

  parts(): Parts {
    const local = this.unixSeconds + this.zone.at(this.unixSeconds).offset;
    const days = Math.floor(local / 86_400);
    const rest = local - days * 86_400;
    return {
      ...civilFromDays(days),
      hour: Math.floor(rest / 3_600),
      minute: Math.floor((rest % 3_600) / 60),
      second: rest % 60,
    };
  }

  weekday(): number {
    const local = this.unixSeconds + this.zone.at(this.unixSeconds).offset;
    return (((Math.floor(local / 86_400) + 4) % 7) + 7) % 7;
  }

  yearDay(): number {
    const { year, month, day } = this.parts();
    return daysFromCivil(year, month, day) - daysFromCivil(year, 1, 1) + 1;
  }

  format(layout: string): string {
    const parts = this.parts();
    return splitLayout(layout)
      .map(({ element, text }) => (element ? this.#element(text, parts) : text))
      .join("");
  }

  goText(): string {
    return this.format("2006-01-02 15:04:05.999999999 -0700 MST");
  }

  toData(): GoValue {
    return this.format("2006-01-02T15:04:05.999999999Z07:00");
  }

  method(name: string): GoMethod | undefined {
    return Object.hasOwn(methods, name) ? methods[name]?.(this) : undefined;
  }

  #element(element: string, parts: Parts): string {
    const show = formats[element];
    if (show !== undefined) return show(parts, this);
    if (element.startsWith(".") || element.startsWith(",")) return this.#fraction(element);
    const { offset, name } = this.zone.at(this.unixSeconds);
    if (element === "MST") return name === "" ? formatOffset(offset, "-0700", true) : name;
    return element.startsWith("Z") && offset === 0 ? "Z" : formatOffset(offset, element, false);
  }

  #fraction(element: string): string {
    const digits = String(this.nanosecond)
      .padStart(9, "0")
      .slice(0, element.length - 1);
    if (element.charAt(1) === "0") return element.charAt(0) + digits;
    const kept = digits.replace(/0+$/, "");
    return kept === "" ? "" : element.charAt(0) + kept;
  }
}

function civilDays({ year, month, day }: Parts): number {
  // Months may lie outside the year, as Go allows when adding.
  const zeroBased = month - 1;
  return daysFromCivil(year + Math.floor(zeroBased / 12), (((zeroBased % 12) + 12) % 12) + 1, 1) + day - 1;
}

function civilFromDays(days: number): { year: number; month: number; day: number } {
  const shifted = days + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1_460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const shiftedMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9;
  return {
    year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0),
    month,
    day: dayOfYear - Math.floor((153 * shiftedMonth + 2) / 5) + 1,
  };
}

/** The zero time: the first of January of the year 1. */
export const zeroTime = new GoTime(BigInt(daysFromCivil(1, 1, 1)) * 86_400n * billion, utc);

const two = (value: number): string => String(value).padStart(2, "0");
const hour12 = (hour: number): number => (hour % 12 === 0 ? 12 : hour % 12);
const yearText = (year: number): string =>
  year < 0 ? `-${String(-year).padStart(4, "0")}` : String(year).padStart(4, "0");
const shortOf = (names: readonly string[], index: number): string => (names[index] ?? "").slice(0, 3);

const formats: Readonly<Record<string, (parts: Parts, time: GoTime) => string>> = {
  "2006": ({ year }) => yearText(year),
  "06": ({ year }) => two(((year % 100) + 100) % 100),
  January: ({ month }) => months[month - 1] ?? "",
  Jan: ({ month }) => shortOf(months, month - 1),
  "01": ({ month }) => two(month),
  "1": ({ month }) => String(month),
  Monday: (_parts, time) => weekdays[time.weekday()] ?? "",
  Mon: (_parts, time) => shortOf(weekdays, time.weekday()),
  "02": ({ day }) => two(day),
  "2": ({ day }) => String(day),
  _2: ({ day }) => String(day).padStart(2, " "),
  "002": (_parts, time) => String(time.yearDay()).padStart(3, "0"),
  __2: (_parts, time) => String(time.yearDay()).padStart(3, " "),
  "15": ({ hour }) => two(hour),
  "03": ({ hour }) => two(hour12(hour)),
  "3": ({ hour }) => String(hour12(hour)),
  "04": ({ minute }) => two(minute),
  "4": ({ minute }) => String(minute),
  "05": ({ second }) => two(second),
  "5": ({ second }) => String(second),
  PM: ({ hour }) => (hour >= 12 ? "PM" : "AM"),
  pm: ({ hour }) => (hour >= 12 ? "pm" : "am"),
};

function formatOffset(offset: number, element: string, short: boolean): string {
  const size = Math.abs(offset);
  const [hours, minutes, seconds] = [Math.floor(size / 3_600), Math.floor((size % 3_600) / 60), size % 60];
  const colon = element.includes(":") ? ":" : "";
  const sign = offset < 0 ? "-" : "+";
  if (short && minutes === 0) return sign + two(hours);
  const shape = element.slice(1).replaceAll(":", "").length;
  return sign + two(hours) + (shape >= 4 ? colon + two(minutes) : "") + (shape >= 6 ? colon + two(seconds) : "");
}

const method = (params: GoMethod["params"], call: GoMethod["call"]): GoMethod => ({ params, call });
const number = (value: GoValue): number => (value instanceof Int ? Number(value.value) : 0);
const other = (value: GoValue): GoTime => (value instanceof GoTime ? value : zeroTime);

function addDate(time: GoTime, [years, months, days]: readonly GoValue[]): GoTime {
  const parts = time.parts();
  const moved = {
    ...parts,
    year: parts.year + number(years),
    month: parts.month + number(months),
    day: parts.day + number(days),
  };
  return GoTime.ofParts(moved, time.nanosecond, time.zone);
}

const methods: Readonly<Record<string, (time: GoTime) => GoMethod>> = {
  Year: (time) => method([], () => int(time.parts().year)),
  Month: (time) => method([], () => new Int("time.Month", BigInt(time.parts().month))),
  Day: (time) => method([], () => int(time.parts().day)),
  Weekday: (time) => method([], () => new Int("time.Weekday", BigInt(time.weekday()))),
  YearDay: (time) => method([], () => int(time.yearDay())),
  Hour: (time) => method([], () => int(time.parts().hour)),
  Minute: (time) => method([], () => int(time.parts().minute)),
  Second: (time) => method([], () => int(time.parts().second)),
  Nanosecond: (time) => method([], () => int(time.nanosecond)),
  Unix: (time) => method([], () => int64(BigInt(time.unixSeconds))),
  UnixNano: (time) => method([], () => int64(time.nanoseconds)),
  UnixMilli: (time) => method([], () => int64(floorDiv(time.nanoseconds, 1_000_000n))),
  UnixMicro: (time) => method([], () => int64(floorDiv(time.nanoseconds, 1_000n))),
  Format: (time) => method(["string"], ([layout]) => time.format(typeof layout === "string" ? layout : "")),
  String: (time) => method([], () => time.goText()),
  AddDate: (time) => method(["int", "int", "int"], (args) => addDate(time, args)),
  UTC: (time) => method([], () => time.in(utc)),
  IsZero: (time) => method([], () => time.isZero),
  Before: (time) => method(["time"], ([value]) => time.nanoseconds < other(value).nanoseconds),
  After: (time) => method(["time"], ([value]) => time.nanoseconds > other(value).nanoseconds),
  Equal: (time) => method(["time"], ([value]) => time.nanoseconds === other(value).nanoseconds),
  Sub: (time) => method(["time"], ([value]) => new Int("time.Duration", time.nanoseconds - other(value).nanoseconds)),
};
