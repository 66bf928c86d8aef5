import {
  type CelValue,
  compare,
  Duration,
  equals,
  fail,
  ListValue,
  type MapValue,
  none,
  OptionalValue,
  Timestamp,
  textOf,
  Uint,
} from "../values.ts";
import { declare } from "./registry.ts";

const maxInt = 9223372036854775807n;
const minInt = -maxInt - 1n;
const maxUint = 18446744073709551615n;
// CEL's times reach from the year 1 to 9999.
const firstTime = -62135596800n * 1_000_000_000n;
const lastTime = 253402300799999999999n;

export function asInt(value: bigint): bigint {
  return value < minInt || value > maxInt ? fail("integer overflow") : value;
}

export function asUint(value: bigint): Uint {
  return value < 0n || value > maxUint ? fail("unsigned integer overflow") : new Uint(value);
}

export function asTimestamp(ns: bigint): Timestamp {
  return ns < firstTime || ns > lastTime ? fail("timestamp overflow") : new Timestamp(ns);
}

export function asDuration(ns: bigint): Duration {
  return ns < minInt || ns > maxInt ? fail("duration overflow") : new Duration(ns);
}

const arithmetic = declare({
  "_+_(int, int): int": (a: bigint, b: bigint) => asInt(a + b),
  "_+_(uint, uint): uint": (a: Uint, b: Uint) => asUint(a.value + b.value),
  "_+_(double, double): double": (a: number, b: number) => a + b,
  "_+_(string, string): string": (a: string, b: string) => a + b,
  "_+_(bytes, bytes): bytes": (a: Uint8Array, b: Uint8Array) => Uint8Array.from([...a, ...b]),
  "_+_(list(A), list(A)): list(A)": concatenate,
  "_+_(timestamp, duration): timestamp": (a: Timestamp, b: Duration) => asTimestamp(a.ns + b.ns),
  "_+_(duration, timestamp): timestamp": (a: Duration, b: Timestamp) => asTimestamp(a.ns + b.ns),
  "_+_(duration, duration): duration": (a: Duration, b: Duration) => asDuration(a.ns + b.ns),
  "_-_(int, int): int": (a: bigint, b: bigint) => asInt(a - b),
  "_-_(uint, uint): uint": (a: Uint, b: Uint) => asUint(a.value - b.value),
  "_-_(double, double): double": (a: number, b: number) => a - b,
  "_-_(timestamp, timestamp): duration": (a: Timestamp, b: Timestamp) => asDuration(a.ns - b.ns),
  "_-_(timestamp, duration): timestamp": (a: Timestamp, b: Duration) => asTimestamp(a.ns - b.ns),
  "_-_(duration, duration): duration": (a: Duration, b: Duration) => asDuration(a.ns - b.ns),
  "_*_(int, int): int": (a: bigint, b: bigint) => asInt(a * b),
  "_*_(uint, uint): uint": (a: Uint, b: Uint) => asUint(a.value * b.value),
  "_*_(double, double): double": (a: number, b: number) => a * b,
  "_/_(int, int): int": (a: bigint, b: bigint) => (b === 0n ? fail("division by zero") : asInt(a / b)),
  "_/_(uint, uint): uint": (a: Uint, b: Uint) =>
    b.value === 0n ? fail("division by zero") : new Uint(a.value / b.value),
  "_/_(double, double): double": (a: number, b: number) => a / b,
  "_%_(int, int): int": (a: bigint, b: bigint) => (b === 0n ? fail("modulus by zero") : a % b),
  "_%_(uint, uint): uint": (a: Uint, b: Uint) =>
    b.value === 0n ? fail("modulus by zero") : new Uint(a.value % b.value),
  "-_(int): int": (a: bigint) => asInt(-a),
  "-_(double): double": (a: number) => -a,
  "!_(bool): bool": (a: boolean) => !a,
});

/** Lists of type set and map are joined as such: each item once, the right one wins. */
function concatenate(a: ListValue, b: ListValue): ListValue {
  const { identity } = a;
  if (identity === undefined) return new ListValue([...a.items, ...b.items]);
  const byName = new Map([...a.items, ...b.items].map((item) => [identity(item), item]));
  return new ListValue([...byName.values()], identity);
}

/** What can be ordered: alike, and numbers of any two types. */
const ordered: readonly (readonly [string, string])[] = [
  ...["int", "uint", "double"].flatMap((a) => ["int", "uint", "double"].map((b) => [a, b] as const)),
  ...["bool", "string", "bytes", "timestamp", "duration"].map((type) => [type, type] as const),
];

const orders: Readonly<Record<string, (order: number) => boolean>> = {
  "_<_": (order) => order < 0,
  "_<=_": (order) => order <= 0,
  "_>_": (order) => order > 0,
  "_>=_": (order) => order >= 0,
};

function isUnordered(value: CelValue): boolean {
  return typeof value === "number" && Number.isNaN(value);
}

const comparisons = declare(
  Object.fromEntries(
    Object.entries(orders).flatMap(([name, holds]) =>
      ordered.map(([a, b]) => [
        `${name}(${a}, ${b}): bool`,
        (left: CelValue, right: CelValue) => !isUnordered(left) && !isUnordered(right) && holds(compare(left, right)),
      ]),
    ),
  ),
);

function itemAt(list: ListValue, index: bigint): CelValue {
  return list.items[Number(index)] ?? fail(`index out of bounds: ${index}`);
}

function valueAt(map: MapValue, key: CelValue): CelValue {
  return map.get(key) ?? fail(`no such key: ${textOf(key)}`);
}

const maybeAt = (list: ListValue, index: bigint): OptionalValue => new OptionalValue(list.items[Number(index)]);
const maybeValue = (map: MapValue, key: CelValue): OptionalValue => new OptionalValue(map.get(key));
const inside = (outer: OptionalValue, read: (inner: CelValue) => OptionalValue): OptionalValue =>
  outer.value === undefined ? none : read(outer.value);

const access = declare({
  "_==_(A, A): bool": equals,
  "_!=_(A, A): bool": (a: CelValue, b: CelValue) => !equals(a, b),
  "@in(A, list(A)): bool": (item: CelValue, list: ListValue) => list.items.some((other) => equals(item, other)),
  "@in(A, map(A, B)): bool": (key: CelValue, map: MapValue) => map.get(key) !== undefined,
  "_[_](list(A), int): A": itemAt,
  "_[_](map(A, B), A): B": valueAt,
  "_[_](optional(list(A)), int): optional(A)": (list: OptionalValue, index: bigint) =>
    inside(list, (inner) => maybeAt(inner as ListValue, index)),
  "_[_](optional(map(A, B)), A): optional(B)": (map: OptionalValue, key: CelValue) =>
    inside(map, (inner) => maybeValue(inner as MapValue, key)),
  "_[?_](list(A), int): optional(A)": maybeAt,
  "_[?_](map(A, B), A): optional(B)": maybeValue,
  "_[?_](optional(list(A)), int): optional(A)": (list: OptionalValue, index: bigint) =>
    inside(list, (inner) => maybeAt(inner as ListValue, index)),
  "_[?_](optional(map(A, B)), A): optional(B)": (map: OptionalValue, key: CelValue) =>
    inside(map, (inner) => maybeValue(inner as MapValue, key)),
});

/** Declared for the checker; the evaluator runs them itself, because they do not need all of their arguments. */
const lazy = (): never => fail("no such overload");
const logic = declare({
  "_&&_(bool, bool): bool": lazy,
  "_||_(bool, bool): bool": lazy,
  "_?_:_(bool, A, A): A": lazy,
});

export const operators = [...arithmetic, ...comparisons, ...access, ...logic];
