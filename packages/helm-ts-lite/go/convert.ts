import { Int, maxInt64, minInt64 } from "./int.ts";
import { parseFloatText, parseIntText } from "./parse-number.ts";
import type { GoValue } from "./values.ts";

function truncate(value: number): bigint {
  if (!Number.isFinite(value) || value >= 2 ** 63 || value < -(2 ** 63)) return minInt64;
  return BigInt(Math.trunc(value));
}

function parseInt64(text: string): bigint {
  const parsed = parseIntText(/^(.*?)\.0+$/s.exec(text)?.[1] ?? text);
  return parsed !== undefined && parsed >= minInt64 && parsed <= maxInt64 ? parsed : 0n;
}

/** Any value as an int64, as sprig converts: what cannot be read is 0. */
export function toInt64(value: GoValue): bigint {
  if (value instanceof Int) return value.value;
  if (typeof value === "number") return truncate(value);
  if (typeof value === "boolean") return value ? 1n : 0n;
  return typeof value === "string" ? parseInt64(value) : 0n;
}

/** Any value as a float64, as sprig converts: what cannot be read is 0. */
export function toFloat64(value: GoValue): number {
  if (typeof value === "number") return value;
  if (value instanceof Int) return Number(value.value);
  if (typeof value === "boolean") return value ? 1 : 0;
  return typeof value === "string" ? (parseFloatText(value) ?? 0) : 0;
}
