/** A point in time as libraries want it that know nothing else. */
export function dateOf(epochMs: number): Date {
  return new Date(epochMs);
}
