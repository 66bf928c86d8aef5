import { deepEqual, equal, throws } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import { isTimeZone, lastDue, parseSchedule } from "./schedule.ts";

const at = (text: string): number => Date.parse(text);
const shown = (time: number | undefined): string | undefined =>
  time === undefined ? undefined : new Date(time).toISOString().slice(0, 16);

describe("parseSchedule", () => {
  const after = "2026-01-05T08:03:20Z"; // a Monday
  const cases: readonly (readonly [schedule: string, next: string | undefined, timeZone?: string])[] = [
    ["* * * * *", "2026-01-05T08:04"],
    ["*/15 * * * *", "2026-01-05T08:15"],
    ["10/20 9 * * *", "2026-01-05T09:10"],
    ["0 0 1 * *", "2026-02-01T00:00"],
    ["0 12 * * MON-FRI", "2026-01-05T12:00"],
    ["0 0 13 * 5", "2026-01-09T00:00"],
    ["0 0 29 2 *", "2028-02-29T00:00"],
    ["0 0 30 2 *", undefined],
    ["@daily", "2026-01-06T00:00"],
    ["@every 1h30m", "2026-01-05T09:33"],
    ["0 9 * * *", "2026-01-05T14:00", "America/New_York"],
    // This night has no half past two in Berlin.
    ["30 2 29 3 *", "2026-03-29T01:00", "Europe/Berlin"],
  ];
  for (const [schedule, next, timeZone = "UTC"] of cases) {
    test(`${schedule} in ${timeZone} comes next at ${next}`, () => {
      equal(shown(parseSchedule(schedule, timeZone).next(at(after))), next);
    });
  }

  const refused: readonly (readonly [schedule: string, message: string])[] = [
    ["x", "expected exactly 5 fields, found 1: [x]"],
    ["61 * * * *", "end of range (61) above maximum (59): 61"],
    ["* * 0 * *", "beginning of range (0) below minimum (1): 0"],
    ["a * * * *", 'failed to parse int from a: strconv.Atoi: parsing "a": invalid syntax'],
    ["*/0 * * * *", "step of range should be a positive number: */0"],
    ["5-1 * * * *", "beginning of range (5) beyond end of range (1): 5-1"],
    ["*/5/3 * * * *", "too many slashes: */5/3"],
    ["1-2-3 * * * *", "too many hyphens: 1-2-3"],
    ["@often", "unrecognized descriptor: @often"],
    ["TZ=UTC * * * * *", "cannot use TZ or CRON_TZ in schedule, use timeZone field instead"],
  ];
  for (const [schedule, message] of refused) {
    test(`refuses ${schedule}`, () => throws(() => parseSchedule(schedule, "UTC"), { message }));
  }
});

describe("lastDue", () => {
  const now = at("2026-01-05T08:03:20Z");
  test("finds the last time, however long ago it was and however often it was due", () => {
    deepEqual(
      ["* * * * *", "0 0 1 1 *", "0 0 29 2 *"].map((text) => shown(lastDue(parseSchedule(text, "UTC"), 0, now))),
      ["2026-01-05T08:03", "2026-01-01T00:00", "2024-02-29T00:00"],
    );
  });
  test("finds none before the start", () => {
    equal(lastDue(parseSchedule("0 0 1 1 *", "UTC"), at("2026-01-02T00:00:00Z"), now), undefined);
  });
});

test("time zones are known letter for letter", () => {
  deepEqual(["Europe/Berlin", "UTC", "europe/berlin", "Mars/X", "+02:00", ""].map(isTimeZone), [
    true,
    true,
    false,
    false,
    false,
    false,
  ]);
});
