import { createHash } from "node:crypto";

/**
 * SHA-256 over the canonical JSON of a value (keys sorted, no blanks), as 32 hex digits.
 *
 * Half a digest is plenty to notice a change and keeps `status` small; content from outside is verified against full
 * digests elsewhere.
 */
export function digestOf(value: unknown): string {
  return createHash("sha256").update(canonicalJson(value)).digest("hex").slice(0, 32);
}

/** JSON with sorted keys; fields that are `undefined` are left out. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, entry: unknown) => (isRecord(entry) ? sorted(entry) : entry)) ?? "null";
}

function sorted(record: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.keys(record)
      .sort()
      .map((key) => [key, record[key]]),
  );
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
