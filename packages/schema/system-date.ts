/** The calendar, without a clock: nothing here asks what time it is. */

/** The date of a moment given in seconds since 1970. */
export function dateAt(seconds: bigint): Date {
  return new Date(Number(seconds) * 1000);
}

/** Milliseconds since 1970 of an ISO text; NaN when it is none. */
export function parseIso(text: string): number {
  return Date.parse(text);
}

/** Milliseconds since 1970 of the first moment of a year, UTC. */
export function yearStart(year: number): number {
  return Date.UTC(year, 0, 1);
}
