import { compareBytes, normalizeText } from "./bytes.ts";
import { Int } from "./int.ts";
import { formatValue } from "./print.ts";
import {
  Bytes,
  type GoMap,
  type GoValue,
  isNilCollection,
  listItems,
  TypedList,
  TypedMap,
  typeName,
} from "./values.ts";

/** Go's `reflect.DeepEqual`: type and value. A pair that is met again counts as equal, so values may contain themselves. */
export function deepEqual(a: GoValue, b: GoValue): boolean {
  return new Comparison().equal(a, b);
}

const isNil = (value: GoValue): value is null | undefined => value === null || value === undefined;

class Comparison {
  #met: Map<object, Set<object>> | undefined;

  equal(a: GoValue, b: GoValue): boolean {
    if (a === b) return true;
    if (isNil(a) || isNil(b)) return isNil(a) && isNil(b);
    if (typeName(a) !== typeName(b)) return false;
    if (typeof a === "string" && typeof b === "string") return normalizeText(a) === normalizeText(b);
    return typeof a === "object" && typeof b === "object" && this.#objects(a, b);
  }

  /** Both have the same type. */
  #objects(a: NonNullable<GoValue> & object, b: NonNullable<GoValue> & object): boolean {
    if (isNilCollection(a) !== isNilCollection(b)) return false;
    if (a instanceof Int && b instanceof Int) return a.value === b.value;
    if (this.#isMet(a, b)) return true;
    if (a instanceof Map && b instanceof Map) return this.#maps(a, b);
    const items = listItems(a);
    const others = listItems(b);
    if (items === undefined || others === undefined) return formatValue(a) === formatValue(b);
    return items.length === others.length && items.every((item, index) => this.equal(item, others[index]));
  }

  #isMet(a: object, b: object): boolean {
    this.#met ??= new Map();
    const others = this.#met.get(a);
    if (others?.has(b) === true) return true;
    if (others === undefined) this.#met.set(a, new Set([b]));
    else others.add(b);
    return false;
  }

  #maps(a: GoMap, b: GoMap): boolean {
    if (a.size !== b.size) return false;
    for (const [key, value] of a) {
      if (!b.has(key) || !this.equal(value, b.get(key))) return false;
    }
    return true;
  }
}

/** The kinds that the comparison functions tell apart. */
export type BasicKind = "bool" | "int" | "float" | "string";

export function basicKind(value: GoValue): BasicKind | undefined {
  if (typeof value === "boolean") return "bool";
  if (typeof value === "number") return "float";
  if (typeof value === "string") return "string";
  return value instanceof Int ? "int" : undefined;
}

/** Compares two values of the same basic kind. */
export function compareBasic(a: GoValue, b: GoValue): number {
  if (typeof a === "string" && typeof b === "string") return compareBytes(a, b);
  const [x, y] = [orderable(a), orderable(b)];
  if (x < y) return -1;
  return x > y ? 1 : x === y ? 0 : Number.NaN;
}

function orderable(value: GoValue): number | bigint {
  if (value instanceof Int) return value.value;
  return typeof value === "number" ? value : Number(value);
}

/** A copy that shares nothing with the original. */
export function deepCopy(value: GoValue): GoValue {
  if (isNilCollection(value)) return value;
  if (value instanceof Map) {
    const copy: GoMap = value instanceof TypedMap ? value.emptied() : new Map();
    for (const [key, item] of value) copy.set(key, deepCopy(item));
    return copy;
  }
  if (Array.isArray(value)) return value.map(deepCopy);
  if (value instanceof TypedList) return new TypedList(value.type, value.items.map(deepCopy));
  return value instanceof Bytes ? new Bytes(Uint8Array.from(value.data)) : value;
}
