/**
 * Brings a Shoot into the form in which two of them are compared as data: `null` equals absent, the empty deprecated
 * network field equals absent, durations and quantities count by value.
 */
export function comparable(value: unknown, key = ""): unknown {
  if (Array.isArray(value)) return value.map((item) => comparable(item));
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value)
      .map(([name, inner]) => [name, comparable(inner, name)] as const)
      .filter(([name, inner]) => inner !== null && inner !== undefined && !(name === "worker" && inner === ""));
    return Object.fromEntries(entries);
  }
  if (key === "ttl" && typeof value === "string") return secondsOf(value);
  if (key === "size" && typeof value === "string") return bytesOf(value);
  return value;
}

const unitSeconds: Readonly<Record<string, number>> = { h: 3600, m: 60, s: 1 };

function secondsOf(duration: string): number {
  return [...duration.matchAll(/(\d+)([hms])/g)].reduce(
    (sum, [, count, unit = ""]) => sum + Number(count) * (unitSeconds[unit] ?? 0),
    0,
  );
}

function bytesOf(quantity: string): number | string {
  const [, count, unit] = /^(\d+)([KMGT]i)?$/.exec(quantity) ?? [];
  if (count === undefined) return quantity;
  return Number(count) * 1024 ** (unit === undefined ? 0 : "KMGT".indexOf(unit.charAt(0)) + 1);
}
