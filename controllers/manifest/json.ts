/** A JSON object as it came from a document or a cluster. */
export type JsonRecord = Readonly<Record<string, unknown>>;

export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value at a path of keys, or `undefined` when a step is missing. */
export function valueAt(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((current, key) => (isRecord(current) ? current[key] : undefined), value);
}

/** A value from outside as text for a message; anything that is no scalar is shown as JSON. */
export function show(value: unknown, absent = ""): string {
  if (value === undefined || value === null) return absent;
  return typeof value === "string" ? value : JSON.stringify(value);
}
