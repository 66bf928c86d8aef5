/** The time as API objects carry it, to the second: `2026-01-05T08:00:00Z`. */
export function timeText(epochMs: number): string {
  return `${new Date(epochMs).toISOString().slice(0, 19)}Z`;
}

/** The time as Leases and events carry it: six fractional digits, fewer are refused. */
export function microTimeText(epochMs: number): string {
  return `${new Date(epochMs).toISOString().slice(0, 23)}000Z`;
}

/** Milliseconds since the epoch of an RFC 3339 text; undefined for anything else. */
export function parseTime(text: string | undefined): number | undefined {
  if (text === undefined || !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(text)) return undefined;
  const epochMs = Date.parse(text);
  return Number.isNaN(epochMs) ? undefined : epochMs;
}
