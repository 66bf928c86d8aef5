import { rangeLimit } from "../call-cost.ts";
import {
  type CelValue,
  compare,
  Duration,
  equals,
  fail,
  isNumeric,
  ListValue,
  MapValue,
  none,
  OptionalValue,
  plain,
  Uint,
} from "../values.ts";
import { asDuration, asInt, asUint } from "./operators.ts";
import { declare } from "./registry.ts";

function sum(list: ListValue): CelValue {
  return list.items.reduce<CelValue>((total, item) => add(total, item), zeroFor(list.items[0]));
}

function zeroFor(first: CelValue | undefined): CelValue {
  if (typeof first === "number") return 0;
  if (first instanceof Uint) return new Uint(0n);
  return first instanceof Duration ? new Duration(0n) : 0n;
}

function add(a: CelValue, b: CelValue): CelValue {
  if (a instanceof Duration && b instanceof Duration) return asDuration(a.ns + b.ns);
  if (a instanceof Uint && b instanceof Uint) return asUint(a.value + b.value);
  if (typeof a === "bigint" && typeof b === "bigint") return asInt(a + b);
  return isNumeric(a) && isNumeric(b) ? Number(plain(a)) + Number(plain(b)) : fail("no such overload");
}

function extreme(name: string, wins: (order: number) => boolean) {
  return ({ items: [first, ...rest] }: ListValue): CelValue => {
    if (first === undefined) return fail(`${name} called on empty list`);
    return rest.reduce((best, item) => (wins(compare(item, best)) ? item : best), first);
  };
}

const sortedItems = (items: readonly CelValue[]): readonly CelValue[] => [...items].sort(compare);

function distinct({ items }: ListValue): ListValue {
  return new ListValue(items.filter((item, at) => items.findIndex((other) => equals(item, other)) === at));
}

function slice({ items }: ListValue, start: bigint, end: bigint): ListValue {
  if (start < 0n || end < 0n) return fail(`cannot slice(${start}, ${end}), negative indexes not supported`);
  if (start > end) return fail(`cannot slice(${start}, ${end}), start index must be less than or equal to end index`);
  if (end > BigInt(items.length)) return fail(`cannot slice(${start}, ${end}), list is length ${items.length}`);
  return new ListValue(items.slice(Number(start), Number(end)));
}

function flatten({ items }: ListValue, depth = 1n): ListValue {
  if (depth < 0n) return fail("level must be non-negative");
  const flat = items.flatMap((item) => (item instanceof ListValue ? deeper(item, depth) : [item]));
  return new ListValue(flat);
}

function deeper(item: ListValue, depth: bigint): readonly CelValue[] {
  if (depth === 0n) return [item];
  return depth === 1n ? item.items : flatten(item, depth - 1n).items;
}

function range(end: bigint): ListValue {
  if (end > BigInt(rangeLimit)) return fail(`lists.range(${end}) exceeds ${rangeLimit} items`);
  return new ListValue(Array.from({ length: Math.max(0, Number(end)) }, (_, at) => BigInt(at)));
}

const positionOf = (at: number): bigint => BigInt(at);
const has = (list: ListValue, item: CelValue): boolean => list.items.some((other) => equals(other, item));
const hasAll = (list: ListValue, sub: ListValue): boolean => sub.items.every((item) => has(list, item));

/** What `list.sum()`, `min()` and the others take. */
const summable = ["int", "uint", "double", "duration"];
const comparable = [...summable, "bool", "string", "bytes", "timestamp"];

const forTypes = (types: readonly string[], signature: (type: string) => string, run: (list: ListValue) => CelValue) =>
  Object.fromEntries(types.map((type) => [signature(type), run]));

export const lists = declare({
  "size(list(A)): int": (list: ListValue) => BigInt(list.items.length),
  "list(A).size(): int": (list: ListValue) => BigInt(list.items.length),
  "size(map(A, B)): int": (map: MapValue) => BigInt(map.entries.size),
  "map(A, B).size(): int": (map: MapValue) => BigInt(map.entries.size),
  ...forTypes(summable, (type) => `list(${type}).sum(): ${type}`, sum),
  ...forTypes(
    comparable,
    (type) => `list(${type}).min(): ${type}`,
    extreme("min", (order) => order < 0),
  ),
  ...forTypes(
    comparable,
    (type) => `list(${type}).max(): ${type}`,
    extreme("max", (order) => order > 0),
  ),
  ...forTypes(
    comparable,
    (type) => `list(${type}).isSorted(): bool`,
    ({ items }) => items.every((item, at) => at === 0 || compare(items[at - 1] ?? item, item) <= 0),
  ),
  ...forTypes(
    comparable,
    (type) => `list(${type}).sort(): list(${type})`,
    ({ items }) => new ListValue(sortedItems(items)),
  ),
  "list(A).indexOf(A): int": ({ items }: ListValue, item: CelValue) =>
    positionOf(items.findIndex((other) => equals(other, item))),
  "list(A).lastIndexOf(A): int": ({ items }: ListValue, item: CelValue) =>
    positionOf(items.findLastIndex((other) => equals(other, item))),
  "list(A).slice(int, int): list(A)": slice,
  "list(A).distinct(): list(A)": distinct,
  "list(A).reverse(): list(A)": ({ items }: ListValue) => new ListValue([...items].reverse()),
  "list(list(A)).flatten(): list(A)": (list: ListValue) => flatten(list),
  "list(dyn).flatten(int): list(dyn)": flatten,
  "list(A).first(): optional(A)": ({ items }: ListValue) => new OptionalValue(items[0]),
  "list(A).last(): optional(A)": ({ items }: ListValue) => new OptionalValue(items.at(-1)),
  "lists.range(int): list(int)": range,
  "sets.contains(list(A), list(A)): bool": hasAll,
  "sets.equivalent(list(A), list(A)): bool": (a: ListValue, b: ListValue) => hasAll(a, b) && hasAll(b, a),
  "sets.intersects(list(A), list(A)): bool": (a: ListValue, b: ListValue) => b.items.some((item) => has(a, item)),
});

function isZero(value: CelValue): boolean {
  if (isNumeric(value)) return Number(plain(value)) === 0;
  if (value instanceof ListValue) return value.items.length === 0;
  if (value instanceof MapValue) return value.entries.size === 0;
  if (value instanceof Uint8Array) return value.length === 0;
  if (value instanceof Duration) return value.ns === 0n;
  return value === "" || value === false || value === null;
}

export const optionals = declare({
  "optional.of(A): optional(A)": (value: CelValue) => new OptionalValue(value),
  "optional.ofNonZeroValue(A): optional(A)": (value: CelValue) => (isZero(value) ? none : new OptionalValue(value)),
  "optional.none(): optional(A)": () => none,
  "optional(A).hasValue(): bool": ({ value }: OptionalValue) => value !== undefined,
  "optional(A).value(): A": ({ value }: OptionalValue) => value ?? absent(value),
  "optional(A).or(optional(A)): optional(A)": (a: OptionalValue, b: OptionalValue) => (a.value === undefined ? b : a),
  "optional(A).orValue(A): A": ({ value }: OptionalValue, other: CelValue) => (value === undefined ? other : value),
});

/** A null value is a value. */
function absent(value: CelValue | undefined): CelValue {
  return value === null ? null : fail("optional.none() dereference");
}
