type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** True when two JSON values say the same; a field that is undefined is absent. */
export function jsonEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, index) => jsonEqual(item, b[index]));
  }
  if (!isFields(a) || !isFields(b)) return false;
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  for (const name of names) {
    if (!jsonEqual(a[name], b[name])) return false;
  }
  return true;
}

/**
 * The JSON merge patch (RFC 7386) that turns one value into another; undefined when they are equal.
 *
 * Lists are replaced as a whole. A null inside `after` can't be said by a merge patch: it removes the field, as it does
 * in Kubernetes.
 */
export function mergePatchBetween(before: unknown, after: unknown): unknown {
  if (jsonEqual(before, after)) return undefined;
  if (!isFields(before) || !isFields(after)) return after ?? null;
  const patch: Record<string, unknown> = {};
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const change = mergePatchBetween(before[name], after[name]);
    if (change !== undefined) patch[name] = change;
  }
  return patch;
}
