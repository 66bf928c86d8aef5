/** Values of CEL at run time. Integers are bigint, doubles are number, strings, booleans and null are themselves. */
export type CelValue =
  | bigint
  | number
  | string
  | boolean
  | null
  | Uint8Array
  | Uint
  | Timestamp
  | Duration
  | ListValue
  | MapValue
  | ObjectValue
  | OptionalValue
  | TypeValue
  | OpaqueValue;

export class Uint {
  readonly value: bigint;
  constructor(value: bigint) {
    this.value = value;
  }
}

/** A moment, in nanoseconds since 1970. */
export class Timestamp {
  readonly ns: bigint;
  constructor(ns: bigint) {
    this.ns = ns;
  }
}

export class Duration {
  readonly ns: bigint;
  constructor(ns: bigint) {
    this.ns = ns;
  }
}

/** A list. Those of list type set and map compare and concatenate as such. */
export class ListValue {
  readonly #make: () => readonly CelValue[];
  #items: readonly CelValue[] | undefined;
  /** Identity of an item in a set or keyed list; undefined for a list whose order counts. */
  readonly identity: ((item: CelValue) => string) | undefined;

  constructor(items: readonly CelValue[] | (() => readonly CelValue[]), identity?: (item: CelValue) => string) {
    this.#make = typeof items === "function" ? items : () => items;
    this.identity = identity;
  }

  get items(): readonly CelValue[] {
    return (this.#items ??= this.#make());
  }
}

export interface MapEntry {
  readonly key: CelValue;
  readonly value: CelValue;
}

/** A map. Keys that are equal numbers are the same key, whatever their type. */
export class MapValue {
  readonly #make: () => readonly MapEntry[];
  #entries: ReadonlyMap<string, MapEntry> | undefined;

  constructor(entries: readonly MapEntry[] | (() => readonly MapEntry[])) {
    this.#make = typeof entries === "function" ? entries : () => entries;
  }

  get entries(): ReadonlyMap<string, MapEntry> {
    return (this.#entries ??= new Map(this.#make().map((entry) => [keyOf(entry.key), entry])));
  }

  get(key: CelValue): CelValue | undefined {
    return this.entries.get(keyOf(key))?.value;
  }
}

/** A struct of a schema, read field by field. */
export class ObjectValue {
  readonly typeName: string;
  readonly names: readonly string[];
  readonly #read: (name: string) => CelValue | undefined;

  constructor(typeName: string, names: readonly string[], read: (name: string) => CelValue | undefined) {
    this.typeName = typeName;
    this.names = names;
    this.#read = read;
  }

  /** Undefined for an absent field, which a nullable field that is null is too. */
  get(name: string): CelValue | undefined {
    return this.#read(name);
  }
}

export class OptionalValue {
  readonly value: CelValue | undefined;
  constructor(value: CelValue | undefined) {
    this.value = value;
  }
}

export const none = new OptionalValue(undefined);

export class TypeValue {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

/** A value of a Kubernetes library; equal when its text is. */
export abstract class OpaqueValue {
  abstract readonly typeName: string;
  abstract toString(): string;
  /** What makes two of them equal. */
  identity(): string {
    return this.toString();
  }
}

/** A failure of an expression at run time, worded as cel-go does. */
export class EvaluationError extends Error {}

export function fail(message: string): never {
  throw new EvaluationError(message);
}

function keyOf(key: CelValue): string {
  return isNumeric(key) ? `n${plain(key)}` : `${typeof key}${textOf(key)}`;
}

/** A scalar in words, for messages and keys. */
export function textOf(value: CelValue | undefined): string {
  if (value instanceof Uint || value instanceof Timestamp || value instanceof Duration)
    return String("ns" in value ? value.ns : value.value);
  return typeof value === "object" && value !== null ? value.constructor.name : String(value);
}

const names: readonly (readonly [(value: CelValue) => boolean, string])[] = [
  [(value) => value === null, "null_type"],
  [(value) => typeof value === "bigint", "int"],
  [(value) => typeof value === "number", "double"],
  [(value) => typeof value === "string", "string"],
  [(value) => typeof value === "boolean", "bool"],
  [(value) => value instanceof Uint8Array, "bytes"],
  [(value) => value instanceof Uint, "uint"],
  [(value) => value instanceof Timestamp, "google.protobuf.Timestamp"],
  [(value) => value instanceof Duration, "google.protobuf.Duration"],
  [(value) => value instanceof ListValue, "list"],
  [(value) => value instanceof MapValue, "map"],
  [(value) => value instanceof OptionalValue, "optional_type"],
  [(value) => value instanceof TypeValue, "type"],
];

/** The name of a value's type, as `type(x)` gives it. */
export function typeNameOf(value: CelValue): string {
  if (value instanceof ObjectValue || value instanceof OpaqueValue) return value.typeName;
  return names.find(([matches]) => matches(value))?.[1] ?? "dyn";
}

type Numeric = bigint | number | Uint;

export function isNumeric(value: CelValue): value is Numeric {
  return typeof value === "bigint" || typeof value === "number" || value instanceof Uint;
}

/** A number in a form that JavaScript compares exactly: bigint against number is exact. */
export function plain(value: Numeric): bigint | number {
  return value instanceof Uint ? value.value : value;
}

export function equals(a: CelValue, b: CelValue): boolean {
  if (typeof a === typeof b && typeof a !== "object") return a === b;
  if (isNumeric(a) && isNumeric(b)) return looselyEqual(plain(a), plain(b));
  if (a === b) return true;
  const equal = pairs.find(({ kind }) => a instanceof kind && b instanceof kind)?.equal;
  return equal?.(a as never, b as never) ?? false;
}

// An int against a double: exact comparison without a conversion that loses digits.
function looselyEqual(a: bigint | number, b: bigint | number): boolean {
  return !(a < b) && !(a > b) && !Number.isNaN(a) && !Number.isNaN(b);
}

type Kind = abstract new (...args: never[]) => unknown;

function pair<T>(kind: abstract new (...args: never[]) => T, equal: (a: T, b: T) => boolean) {
  return { kind: kind as Kind, equal: equal as (a: never, b: never) => boolean };
}

const pairs = [
  pair(ListValue, equalLists),
  pair(MapValue, equalMaps),
  pair(ObjectValue, equalObjects),
  pair(Timestamp, (a, b) => a.ns === b.ns),
  pair(Duration, (a, b) => a.ns === b.ns),
  pair(Uint8Array, (a, b) => compareBytes(a, b) === 0),
  pair(TypeValue, (a, b) => a.name === b.name),
  pair(OptionalValue, equalOptionals),
  pair(OpaqueValue, (a, b) => a.typeName === b.typeName && a.identity() === b.identity()),
];

function equalOptionals(a: OptionalValue, b: OptionalValue): boolean {
  if (a.value === undefined || b.value === undefined) return a.value === b.value;
  return equals(a.value, b.value);
}

function equalLists(a: ListValue, b: ListValue): boolean {
  if (a.items.length !== b.items.length) return false;
  const identity = a.identity ?? b.identity;
  if (identity === undefined) return a.items.every((item, at) => equals(item, b.items[at] ?? null));
  const others = new Map(b.items.map((item) => [identity(item), item]));
  return a.items.every((item) => {
    const other = others.get(identity(item));
    return other !== undefined && equals(item, other);
  });
}

function equalMaps(a: MapValue, b: MapValue): boolean {
  if (a.entries.size !== b.entries.size) return false;
  for (const { key, value } of a.entries.values()) {
    const other = b.get(key);
    if (other === undefined || !equals(value, other)) return false;
  }
  return true;
}

function equalObjects(a: ObjectValue, b: ObjectValue): boolean {
  return [...new Set([...a.names, ...b.names])].every((name) => {
    const [left, right] = [a.get(name), b.get(name)];
    return left === undefined || right === undefined ? left === right : equals(left, right);
  });
}

export function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const shared = Math.min(a.length, b.length);
  for (let at = 0; at < shared; at++) {
    const difference = (a[at] ?? 0) - (b[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

/** Orders two values of one ordered kind. Texts order by code point, as their UTF-8 bytes do. */
export function compare(a: CelValue, b: CelValue): number {
  if (typeof a === "bigint" && typeof b === "bigint") return comparePlain(a, b);
  const [left, right] = [ordinalOf(a), ordinalOf(b)];
  if (left !== undefined && right !== undefined) return comparePlain(left, right);
  const [x, y] = [bytesOf(a), bytesOf(b)];
  return x === undefined || y === undefined ? fail("no such overload") : compareBytes(x, y);
}

function ordinalOf(value: CelValue): bigint | number | undefined {
  if (isNumeric(value)) return plain(value);
  if (typeof value === "boolean") return Number(value);
  return value instanceof Timestamp || value instanceof Duration ? value.ns : undefined;
}

function bytesOf(value: CelValue): Uint8Array | undefined {
  if (typeof value === "string") return new TextEncoder().encode(value);
  return value instanceof Uint8Array ? value : undefined;
}

function comparePlain(a: bigint | number, b: bigint | number): number {
  if (a < b) return -1;
  return a > b ? 1 : 0;
}
