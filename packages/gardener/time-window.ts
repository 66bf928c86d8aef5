import type { TimeWindow } from "./shoot.ts";

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;

/** Least and greatest length of a maintenance window that Gardener takes, in seconds. */
export const windowLimits = { least: 30 * minute, greatest: 6 * hour } as const;

const shape = /^([01]\d|2[0-3])([0-5]\d)([0-5]\d)([+-])([01]\d|2[0-3])([0-5]\d)$/;

/** Seconds since midnight UTC of `HHMMSS+ZZZZ`, below 0 or above a day where the zone does that; undefined for other texts. */
export function parseMaintenanceTime(text: string): number | undefined {
  const found = shape.exec(text);
  if (found === null) return undefined;
  const [, hours, minutes, seconds, sign, zoneHours, zoneMinutes] = found;
  const local = Number(hours) * hour + Number(minutes) * minute + Number(seconds);
  const zone = Number(zoneHours) * hour + Number(zoneMinutes) * minute;
  return sign === "-" ? local + zone : local - zone;
}

/** Seconds from begin to end, over midnight where need be; undefined where one of the two can't be read. */
export function windowLength({ begin, end }: TimeWindow): number | undefined {
  const [from, to] = [parseMaintenanceTime(begin), parseMaintenanceTime(end)];
  return from === undefined || to === undefined ? undefined : (((to - from) % day) + day) % day;
}
