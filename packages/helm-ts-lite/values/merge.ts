import type { GoMap } from "../go/values.ts";

/** Merges user values: later ones win, maps merge in depth, everything else is replaced, null included. Changes nothing. */
export function mergeValues(first: GoMap, second: GoMap): GoMap {
  const merged: GoMap = new Map(first);
  for (const [key, value] of second) {
    const own = merged.get(key);
    merged.set(key, own instanceof Map && value instanceof Map ? mergeValues(own, value) : value);
  }
  return merged;
}
