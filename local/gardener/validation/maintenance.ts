import { entriesAt, textAt, valueAt } from "./json.ts";
import type { Problems } from "./problems.ts";

const minute = 60;
const day = 24 * 60 * minute;

/** A window is 30 minutes to 6 hours long. */
export function validateMaintenance(spec: unknown, problems: Problems): void {
  const window = valueAt(spec, "maintenance", "timeWindow");
  if (window === undefined) return;
  const field = "spec.maintenance.timeWindow";
  const begin = parseTime(textAt(window, "begin"));
  const end = parseTime(textAt(window, "end"));
  const broken = typeof begin === "string" ? `begin time: ${begin}` : typeof end === "string" ? `end time: ${end}` : "";
  if (broken !== "") problems.invalid(`${field}.begin/end`, window, `could not parse ${broken}`);
  if (typeof begin === "string" || typeof end === "string") return;
  const seconds = (((end - begin) % day) + day) % day;
  if (seconds < 30 * minute) problems.invalid(field, window, "time window must not be smaller than 30m0s");
  if (seconds > 360 * minute) problems.invalid(field, window, "time window must not be greater than 6h0m0s");
}

const parts = [
  { layout: "15", pattern: /^\d{1,2}/, seconds: 60 * minute },
  { layout: "04", pattern: /^\d{2}/, seconds: minute },
  { layout: "05", pattern: /^\d{2}/, seconds: 1 },
] as const;

/** Seconds since midnight UTC of `HHMMSS+ZZZZ`, or the words with which a Go program refuses the text. */
function parseTime(text: string): number | string {
  const refusal = (rest: string, layout: string): string =>
    "could not parse the value into the maintenanceTime format: " +
    `parsing time "${text}" as "150405-0700": cannot parse "${rest}" as "${layout}"`;
  let rest = text;
  let seconds = 0;
  for (const part of parts) {
    const [digits] = part.pattern.exec(rest) ?? [];
    if (digits === undefined) return refusal(rest, part.layout);
    seconds += Number(digits) * part.seconds;
    rest = rest.slice(digits.length);
  }
  const zone = /^([+-])(\d{2})(\d{2})$/.exec(rest);
  if (zone === null) return refusal(rest, "-0700");
  const [, sign, hours, minutes] = zone;
  return seconds - (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * minute;
}

/** Start and end of hibernation are cron expressions of five fields. */
export function validateHibernation(spec: unknown, problems: Problems): void {
  for (const [index, schedule] of entriesAt(spec, "hibernation", "schedules")) {
    for (const key of ["start", "end"] as const) {
      const expression = schedule[key];
      if (typeof expression !== "string") continue;
      const count = expression.trim().split(/\s+/).length;
      if (count === 5) continue;
      const detail = `not a valid cron spec: Expected exactly 5 fields, found ${count}: ${expression}`;
      problems.invalid(`spec.hibernation.schedules[${index}].${key}`, expression, detail);
    }
  }
}
