import { formatFloat } from "./float.ts";
import { Int } from "./int.ts";
import { type GoValue, isGoObject, listItems, sortedKeys } from "./values.ts";

/** The text of a value in `%v`; nil is `<nil>`. */
export function formatValue(value: GoValue): string {
  if (typeof value === "string") return value;
  if (value === null || value === undefined) return "<nil>";
  if (typeof value === "number") return formatFloat(value);
  return typeof value === "boolean" ? String(value) : formatObject(value);
}

function formatObject(value: Exclude<GoValue, null | undefined | boolean | number | string>): string {
  if (value instanceof Int) return textOfInt(value);
  if (value instanceof Map) return formatMap(value);
  if (isGoObject(value)) return value.goText();
  return `[${(listItems(value) ?? []).map(formatValue).join(" ")}]`;
}

const months = "January February March April May June July August September October November December".split(" ");
const weekdays = "Sunday Monday Tuesday Wednesday Thursday Friday Saturday".split(" ");

function textOfInt(value: Int): string {
  if (value.type === "time.Month") return months[Number(value.value) - 1] ?? `%!Month(${value.value})`;
  if (value.type === "time.Weekday") return weekdays[Number(value.value)] ?? `%!Weekday(${value.value})`;
  return value.type === "time.Duration" ? formatDuration(value.value) : value.toString();
}

function formatMap(map: ReadonlyMap<string, GoValue>): string {
  return `map[${sortedKeys(map)
    .map((key) => `${key}:${formatValue(map.get(key))}`)
    .join(" ")}]`;
}

/** The text an action prints: as {@link formatValue}, but nil is `<no value>`. */
export function printed(value: GoValue): string {
  return value === undefined || value === null ? "<no value>" : formatValue(value);
}

/** Go's `fmt.Sprint`: a blank between two operands that are both no texts. */
export function sprint(values: readonly GoValue[]): string {
  let text = "";
  values.forEach((value, index) => {
    const before = values[index - 1];
    if (index > 0 && typeof value !== "string" && typeof before !== "string") text += " ";
    text += formatValue(value);
  });
  return text;
}

const second = 1_000_000_000n;

function trimFraction(value: bigint, unit: bigint): string {
  const fraction = (value % unit)
    .toString()
    .padStart(unit.toString().length - 1, "0")
    .replace(/0+$/, "");
  return fraction === "" ? (value / unit).toString() : `${value / unit}.${fraction}`;
}

function shortDuration(size: bigint): string {
  if (size < 1_000n) return `${size}ns`;
  if (size < 1_000_000n) return `${trimFraction(size, 1_000n)}µs`;
  return `${trimFraction(size, 1_000_000n)}ms`;
}

/** Go's text of a duration in nanoseconds: `1h1m1s`, `1.5s`, `0s`. */
export function formatDuration(nanoseconds: bigint): string {
  if (nanoseconds === 0n) return "0s";
  const sign = nanoseconds < 0n ? "-" : "";
  const size = nanoseconds < 0n ? -nanoseconds : nanoseconds;
  if (size < second) return sign + shortDuration(size);
  const minutes = size / (60n * second);
  const seconds = `${trimFraction(size % (60n * second), second)}s`;
  if (minutes === 0n) return sign + seconds;
  const hours = minutes / 60n;
  return `${sign}${hours === 0n ? "" : `${hours}h`}${minutes % 60n}m${seconds}`;
}
