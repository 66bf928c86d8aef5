import { type DateParts, datePartsOf } from "../time.ts";
import { type Duration, fail, type Timestamp } from "../values.ts";
import { declare } from "./registry.ts";

const parts: Readonly<Record<string, (date: DateParts) => number>> = {
  getFullYear: ({ year }) => year,
  getMonth: ({ month }) => month,
  getDate: ({ day }) => day,
  getDayOfMonth: ({ day }) => day - 1,
  getDayOfWeek: ({ weekday }) => weekday,
  getDayOfYear: ({ yearDay }) => yearDay,
  getHours: ({ hours }) => hours,
  getMinutes: ({ minutes }) => minutes,
  getSeconds: ({ seconds }) => seconds,
  getMilliseconds: ({ milliseconds }) => milliseconds,
};

function partIn(zone: string, { ns }: Timestamp, part: (date: DateParts) => number): bigint {
  return BigInt(part(datePartsOf(ns, zone) ?? fail(`unknown time zone ${zone}`)));
}

export const times = declare({
  ...Object.fromEntries(
    Object.entries(parts).flatMap(([name, part]) => [
      [`timestamp.${name}(): int`, (time: Timestamp) => partIn("UTC", time, part)],
      [`timestamp.${name}(string): int`, (time: Timestamp, zone: string) => partIn(zone, time, part)],
    ]),
  ),
  "duration.getHours(): int": ({ ns }: Duration) => ns / 3_600_000_000_000n,
  "duration.getMinutes(): int": ({ ns }: Duration) => ns / 60_000_000_000n,
  "duration.getSeconds(): int": ({ ns }: Duration) => ns / 1_000_000_000n,
  "duration.getMilliseconds(): int": ({ ns }: Duration) => (ns / 1_000_000n) % 1000n,
});
