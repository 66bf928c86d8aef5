import { Cron } from "croner";
import { plainFields } from "./cron-fields.ts";

/** When a CronJob is due. Times are milliseconds since the epoch. */
export interface Schedule {
  /** The first time after this one; `undefined` when there is none, as for February 30. */
  next(after: number): number | undefined;
}

const descriptors: Readonly<Record<string, string>> = {
  "@yearly": "0 0 1 1 *",
  "@annually": "0 0 1 1 *",
  "@monthly": "0 0 1 * *",
  "@weekly": "0 0 * * 0",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@hourly": "0 * * * *",
};

/**
 * Reads a schedule of five fields, a descriptor such as `@daily`, or `@every 1h30m`.
 *
 * Throws an error that says what is wrong, in the words of Kubernetes.
 */
export function parseSchedule(text: string, timeZone: string): Schedule {
  if (text.startsWith("@every ")) return everySchedule(text);
  if (/^(?:CRON_)?TZ=/.test(text)) throw new Error("cannot use TZ or CRON_TZ in schedule, use timeZone field instead");
  const known = descriptors[text];
  if (text.startsWith("@") && known === undefined) throw new Error(`unrecognized descriptor: ${text}`);
  const fields = plainFields(known ?? text);
  const cron = new Cron(fields.join(" "), { mode: "5-part", timezone: timeZone, paused: true });
  return { next: (after) => cron.nextRun(new Date(after))?.getTime() };
}

/** Whether a name such as `Europe/Berlin` is one of the time zone database, letter for letter. */
export function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).format(0) !== "" && /^[A-Z]/.test(name);
  } catch {
    return false;
  }
}

const unitsMs: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1_000, ms: 1 };

function everySchedule(text: string): Schedule {
  const duration = text.slice("@every ".length);
  const parts = [...duration.matchAll(/(\d+(?:\.\d+)?)(h|ms|m|s)/g)];
  if (parts.length === 0 || parts.map(([all]) => all).join("") !== duration)
    throw new Error(`failed to parse duration ${text}: time: invalid duration ${JSON.stringify(duration)}`);
  const ms = parts.reduce((sum, [, count, unit = ""]) => sum + Number(count) * (unitsMs[unit] ?? 0), 0);
  const delayMs = Math.max(1_000, Math.floor(ms / 1_000) * 1_000);
  return { next: (after) => Math.floor(after / 1_000) * 1_000 + delayMs };
}

/** How far back is looked for the last time that was due, in growing steps: most schedules are due within the first. */
const windowsMs = [120_000, 7_200_000, 172_800_000, 5_270_400_000, 63_244_800_000];

/** The last time after `earliest` that is not later than `now`. */
export function lastDue(schedule: Schedule, earliest: number, now: number): number | undefined {
  for (const windowMs of [...windowsMs, now - earliest]) {
    const from = Math.max(earliest, now - windowMs);
    let due: number | undefined;
    for (let time = schedule.next(from); time !== undefined && time <= now; time = schedule.next(time)) due = time;
    if (due !== undefined || from === earliest) return due;
  }
  return undefined;
}
