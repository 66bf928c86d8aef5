import { formatLabelSelector } from "../selectors/format-label-selector.ts";
import { parseTimestamp } from "../system-clock.ts";

/** How long ago, as kubectl prints it: `5s`, `3m20s`, `2h`, `4d5h`, `1y20d`. */
export function formatAge(time: unknown, now: number): string {
  const start = parseTimestamp(time);
  return start === undefined ? "<unknown>" : formatDuration(now - start);
}

/** The steps of `duration.HumanDuration` of Kubernetes. */
export function formatDuration(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  if (seconds < -1) return "<invalid>";
  if (seconds < 0) return "0s";
  if (seconds < 120) return `${seconds}s`;
  return formatMinutes(Math.floor(seconds / 60), seconds);
}

function formatMinutes(minutes: number, seconds: number): string {
  if (minutes < 10) return withRest(minutes, "m", seconds % 60, "s");
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.floor(minutes / 60);
  if (hours < 8) return withRest(hours, "h", minutes % 60, "m");
  if (hours < 48) return `${hours}h`;
  return formatDays(Math.floor(hours / 24), hours);
}

function formatDays(days: number, hours: number): string {
  if (hours < 192) return withRest(days, "d", hours % 24, "h");
  if (days < 730) return `${days}d`;
  const years = Math.floor(days / 365);
  return years < 8 ? withRest(years, "y", days % 365, "d") : `${years}y`;
}

function withRest(whole: number, unit: string, rest: number, restUnit: string): string {
  return rest === 0 ? `${whole}${unit}` : `${whole}${unit}${rest}${restUnit}`;
}

/** A selector as text: `a=b,c in (d,e)`; `<none>` when it is empty. */
export function formatSelector(selector: unknown): string {
  const text = formatLabelSelector(selector);
  return text === "" ? "<none>" : text;
}
