import { parseMaintenanceTime, windowLength, windowLimits } from "@kyma-operators/gardener";
import { entriesAt, textAt, valueAt } from "./json.ts";
import type { Problems } from "./problems.ts";

/** A window is 30 minutes to 6 hours long. */
export function validateMaintenance(spec: unknown, problems: Problems): void {
  const window = valueAt(spec, "maintenance", "timeWindow");
  if (window === undefined) return;
  const field = "spec.maintenance.timeWindow";
  const [begin, end] = [textAt(window, "begin"), textAt(window, "end")];
  const seconds = windowLength({ begin, end });
  if (seconds === undefined) {
    const which =
      parseMaintenanceTime(begin) === undefined ? `begin time: ${refusal(begin)}` : `end time: ${refusal(end)}`;
    problems.invalid(`${field}.begin/end`, window, `could not parse ${which}`);
    return;
  }
  if (seconds < windowLimits.least) problems.invalid(field, window, "time window must not be smaller than 30m0s");
  if (seconds > windowLimits.greatest) problems.invalid(field, window, "time window must not be greater than 6h0m0s");
}

const parts = [
  { layout: "15", pattern: /^\d{1,2}/, name: "hour", limit: 24 },
  { layout: "04", pattern: /^\d{2}/, name: "minute", limit: 60 },
  { layout: "05", pattern: /^\d{2}/, name: "second", limit: 60 },
] as const;

/** The words with which a Go program refuses a text that is no `HHMMSS+ZZZZ`. */
function refusal(text: string): string {
  const refused = (why: string): string =>
    `could not parse the value into the maintenanceTime format: parsing time "${text}"${why}`;
  const unread = (rest: string, layout: string): string =>
    refused(` as "150405-0700": cannot parse "${rest}" as "${layout}"`);
  let rest = text;
  for (const { layout, pattern, name, limit } of parts) {
    const [digits] = pattern.exec(rest) ?? [];
    if (digits === undefined) return unread(rest, layout);
    if (Number(digits) >= limit) return refused(`: ${name} out of range`);
    rest = rest.slice(digits.length);
  }
  return unread(rest, "-0700");
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
