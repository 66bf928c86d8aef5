import { byteLength, toBytes } from "../go/bytes.ts";
import { basicKind, compareBasic, deepEqual } from "../go/compare.ts";
import { Int, int } from "../go/int.ts";
import { formatValue, printed, sprint } from "../go/print.ts";
import { sprintf } from "../go/sprintf.ts";
import {
  type GoValue,
  isGoObject,
  isNilCollection,
  isTrue,
  kindName,
  listItems,
  TypedMap,
  typeName,
} from "../go/values.ts";
import { GoError } from "../template/errors.ts";
import { nodeText, type OperandNode } from "../template/nodes.ts";
import type { State } from "../template/state.ts";
import { type FuncTable, func, variadic } from "./define.ts";
import { escapeHtml, escapeJs, escapeQuery } from "./escape.ts";

const isNil = (value: GoValue): value is null | undefined => value === null || value === undefined;

/** Go's name of a kind that comparison errors show. */
function describe(value: GoValue): string {
  return `${sprintf("%s", [value])}: ${typeName(value)}`;
}

function kindOfBasic(value: GoValue): string {
  if (isNil(value)) throw new GoError("invalid type for comparison");
  const kind = basicKind(value);
  if (kind === undefined) throw new GoError("invalid type for comparison");
  return kind;
}

const comparable = (value: GoValue): boolean => !(value instanceof Map) && listItems(value) === undefined;

function checkComparable(value: GoValue): void {
  if (!comparable(value)) throw new GoError(`non-comparable type ${describe(value)}`);
}

function incompatible(a: GoValue, b: GoValue, state: State): GoError {
  const types = state.runtime.functions.compat === 3 ? "" : `: ${typeName(a)} and ${typeName(b)}`;
  return new GoError(`incompatible types for comparison${types}`);
}

function equalOne(a: GoValue, b: GoValue, state: State): boolean {
  const [kindA, kindB] = [basicKind(a), basicKind(b)];
  if (isNil(a) && isNil(b)) return true;
  if (kindA !== kindB) {
    if (isNil(a) || isNil(b)) return false;
    throw incompatible(a, b, state);
  }
  return kindA === undefined ? equalObjects(a, b) : compareBasic(a, b) === 0;
}

const hasNil = (value: GoValue): boolean => isNil(value) || isNilCollection(value);

/** Maps and slices can be compared with nil only. */
function equalObjects(a: GoValue, b: GoValue): boolean {
  if (!isNil(a) && !isNil(b) && kindName(a) !== kindName(b))
    throw new GoError(`non-comparable types ${describe(a)}, ${typeName(b)}: ${formatValue(b)}`);
  if (hasNil(a) || hasNil(b)) return hasNil(a) && hasNil(b);
  checkComparable(b);
  return deepEqual(a, b);
}

function equal(first: GoValue, others: readonly GoValue[], state: State): boolean {
  if (others.length === 0) throw new GoError("missing argument for comparison");
  return others.some((other) => equalOne(first, other, state));
}

function less(a: GoValue, b: GoValue, state: State): boolean {
  const [kindA, kindB] = [kindOfBasic(a), kindOfBasic(b)];
  if (kindA !== kindB) throw incompatible(a, b, state);
  if (kindA === "bool") throw new GoError("invalid type for comparison");
  return compareBasic(a, b) < 0;
}

/** The number of bytes, elements or keys. */
function length(value: GoValue): Int {
  if (isNil(value)) throw new GoError("len of nil pointer");
  if (typeof value === "string") return int(byteLength(value));
  if (value instanceof Map) return int(value.size);
  const size = listItems(value)?.length ?? (isGoObject(value) ? value.entries?.().length : undefined);
  if (size === undefined) throw new GoError(`len of type ${typeName(value)}`);
  return int(size);
}

function indexInto(length: number, key: GoValue): number {
  if (isNil(key)) throw new GoError("cannot index slice/array with nil");
  if (!(key instanceof Int)) throw new GoError(`cannot index slice/array with type ${typeName(key)}`);
  if (key.value < 0n || key.value > BigInt(length)) throw new GoError(`index out of range: ${key.value}`);
  return Number(key.value);
}

function indexText(text: string, key: GoValue): GoValue {
  const bytes = toBytes(text);
  const byte = bytes[indexInto(bytes.length, key)];
  if (byte === undefined) throw new GoError("reflect: string index out of range");
  return new Int("uint8", BigInt(byte));
}

function indexMap(map: ReadonlyMap<string, GoValue>, key: GoValue): GoValue {
  if (isNil(key)) throw new GoError("value is nil; should be of type string");
  if (typeof key !== "string") throw new GoError(`value has type ${typeName(key)}; should be string`);
  return map.get(key) ?? (map instanceof TypedMap && map.type === "map[string]string" ? "" : null);
}

function indexOnce(value: GoValue, key: GoValue): GoValue {
  if (isNil(value)) throw new GoError("index of nil pointer");
  if (typeof value === "string") return indexText(value, key);
  if (value instanceof Map) return indexMap(value, key);
  const items = listItems(value);
  return items === undefined ? indexObject(value, key) : indexList(items, key);
}

function indexList(items: readonly GoValue[], key: GoValue): GoValue {
  const at = indexInto(items.length, key);
  if (at >= items.length) throw new GoError("reflect: slice index out of range");
  return items[at];
}

function indexObject(value: GoValue, key: GoValue): GoValue {
  if (isGoObject(value) && value.goKind === "map" && typeof key === "string") return value.field?.(key)?.value ?? null;
  throw new GoError(`can't index item of type ${typeName(value)}`);
}

function index(value: GoValue, keys: readonly GoValue[]): GoValue {
  if (isNil(value)) throw new GoError("index of untyped nil");
  return keys.reduce<GoValue>(indexOnce, value);
}

/** The text of arguments for the escapers: nil counts as `<no value>`. */
function argsText(values: readonly GoValue[]): string {
  const [only] = values;
  return values.length === 1 && typeof only === "string"
    ? only
    : sprint(values.map((value) => (isNil(value) ? printed(value) : value)));
}

function call([target]: readonly GoValue[], _state: State, source?: OperandNode): GoValue {
  const text = source === undefined ? "" : nodeText(source);
  if (isNil(target)) throw new GoError("call of nil");
  throw new GoError(`non-function ${text} of type ${typeName(target)}`);
}

export const builtinFunctions: FuncTable = {
  and: { params: ["value"], variadic: "value", stopsAt: false, call: (args) => args[0] },
  or: { params: ["value"], variadic: "value", stopsAt: true, call: (args) => args[0] },
  not: func(["value"], (value) => !isTrue(value)),
  eq: variadic(["value"], "value", equal),
  ne: func(["value", "value"], (a, b, state) => !equal(a, [b], state)),
  lt: func(["value", "value"], less),
  le: func(["value", "value"], (a, b, state) => less(a, b, state) || equalOne(a, b, state)),
  gt: func(["value", "value"], (a, b, state) => !(less(a, b, state) || equalOne(a, b, state))),
  ge: func(["value", "value"], (a, b, state) => !less(a, b, state)),
  len: func(["value"], length),
  index: variadic(["value"], "value", index),
  call: { params: ["value"], variadic: "value", call },
  print: variadic([], "any", sprint),
  println: variadic([], "any", (values) => `${values.map(formatValue).join(" ")}\n`),
  printf: variadic(["string"], "any", sprintf),
  html: variadic([], "any", (values) => escapeHtml(argsText(values))),
  js: variadic([], "any", (values) => escapeJs(argsText(values))),
  urlquery: variadic([], "any", (values) => escapeQuery(argsText(values))),
};
