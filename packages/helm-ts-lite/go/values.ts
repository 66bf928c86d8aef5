import { compareBytes } from "./bytes.ts";
import { Int } from "./int.ts";

/**
 * A value inside a template.
 *
 * | JavaScript | Go |
 * |---|---|
 * | `undefined` | no value at all: what a pipeline makes of nil |
 * | `null` | nil in an interface: a missing key, a null |
 * | `number`, {@link Int} | float64, the integer types |
 * | array, {@link TypedList}, {@link Bytes} | `[]interface {}`, other slices, `[]uint8` |
 * | `Map`, {@link TypedMap} | `map[string]interface {}`, other maps |
 * | {@link GoObject} | structs with fields and methods |
 */
export type GoValue =
  | undefined
  | null
  | boolean
  | number
  | string
  | Int
  | GoValue[]
  | TypedList
  | Bytes
  | GoMap
  | GoObject;

/** `map[string]interface {}` and the map types that are based on it. */
export type GoMap = Map<string, GoValue>;

/** A slice whose elements have a type of their own, for example `[]string`. */
export class TypedList {
  readonly type: string;
  readonly items: GoValue[];
  /** Go tells an empty slice from none at all: the latter is null in JSON. */
  readonly isNil: boolean;

  constructor(type: string, items: GoValue[], isNil = false) {
    this.type = type;
    this.items = items;
    this.isNil = isNil;
  }
}

/** A slice that is nil. */
export const nilList = (type = "[]interface {}"): TypedList => new TypedList(type, [], true);

/** A `map[string]interface {}` that is nil: empty, null in JSON, and refused by functions that write into it. */
export class NilMap extends Map<string, GoValue> {}

/** True for a slice or map that is nil, which has a type, unlike nil itself. */
export function isNilCollection(value: GoValue): boolean {
  return value instanceof NilMap || (value instanceof TypedList && value.isNil);
}

export const stringList = (items: string[]): TypedList => new TypedList("[]string", items);

/** `[]uint8`. */
export class Bytes {
  readonly type = "[]uint8";
  readonly data: Uint8Array;

  constructor(data: Uint8Array) {
    this.data = data;
  }
}

/** A map of another type than `map[string]interface {}`. */
export class TypedMap extends Map<string, GoValue> {
  readonly type: string;
  /** Whether functions that want `map[string]interface {}` take it. */
  readonly assignable: boolean;

  constructor(type: string, assignable: boolean, entries?: Iterable<readonly [string, GoValue]>) {
    super(entries);
    this.type = type;
    this.assignable = assignable;
  }

  /** An empty map of the same type. */
  emptied(): TypedMap {
    return new TypedMap(this.type, this.assignable);
  }

  /** The method of that name, which goes before the key of that name. */
  method(_name: string): GoMethod | undefined {
    return undefined;
  }
}

/** A struct-like object: templates reach exactly the fields and methods that it lists, never JavaScript properties. */
export interface GoObject {
  readonly goType: string;
  readonly goKind: "struct" | "ptr" | "map" | "slice";
  /** The field of that name, or undefined when there is none. */
  field?(name: string): { readonly value: GoValue } | undefined;
  /** The method of that name, or undefined when there is none. */
  method?(name: string): GoMethod | undefined;
  /** Elements for `range`, `len` and printing, where the object is a map or list. */
  entries?(): readonly (readonly [GoValue, GoValue])[];
  /** The text in `%v`. */
  goText(): string;
  /** What JSON and YAML show of it. */
  toData?(): GoValue;
}

/** What a function or method takes. */
export interface Signature {
  readonly params: readonly ParamType[];
  readonly variadic?: ParamType | undefined;
}

/** A method: parameter types and body. Wrong arguments are refused before the body runs. */
export interface GoMethod extends Signature {
  /** Steps of work that a call takes; default 0. */
  readonly effort?: number;
  readonly call: (args: readonly GoValue[]) => GoValue;
}

/** The parameter types of functions; `value` is a builtin's untyped argument. */
export type ParamType =
  | "string"
  | "int"
  | "int64"
  | "uint32"
  | "float64"
  | "bool"
  | "any"
  | "map"
  | "list"
  | "strings"
  | "value"
  | "time"
  | "certificate"
  | "version";

export function isGoObject(value: GoValue): value is GoObject {
  return typeof value === "object" && value !== null && "goType" in value;
}

/** The elements of any slice, or undefined. */
export function listItems(value: GoValue): readonly GoValue[] | undefined {
  if (Array.isArray(value)) return value;
  if (value instanceof TypedList) return value.items;
  if (value instanceof Bytes) return Array.from(value.data, (byte) => new Int("uint8", BigInt(byte)));
  return isGoObject(value) && value.goKind === "slice" ? value.entries?.().map(([, item]) => item) : undefined;
}

/** The name that `typeOf` and `%T` print. */
export function typeName(value: GoValue): string {
  if (value === null || value === undefined) return "<nil>";
  if (typeof value === "object") return objectType(value);
  if (typeof value === "boolean") return "bool";
  return typeof value === "number" ? "float64" : "string";
}

function objectType(value: Exclude<GoValue, null | undefined | boolean | number | string>): string {
  if (Array.isArray(value)) return "[]interface {}";
  if (value instanceof Int || value instanceof TypedList || value instanceof Bytes || value instanceof TypedMap)
    return value.type;
  return value instanceof Map ? "map[string]interface {}" : value.goType;
}

/** The name that `kindOf` prints. */
export function kindName(value: GoValue): string {
  if (value === null || value === undefined) return "invalid";
  if (typeof value !== "object") return typeName(value);
  if (value instanceof Map) return "map";
  if (value instanceof Int)
    return value.type.startsWith("time.") ? (value.type === "time.Duration" ? "int64" : "int") : value.type;
  return isGoObject(value) ? value.goKind : "slice";
}

/** The keys of a map in ascending order of their bytes. */
export function sortedKeys(map: ReadonlyMap<string, unknown>): string[] {
  return [...map.keys()].sort(compareBytes);
}

/** The truth of a value: false are nil, false, zero, and empty texts, lists and maps. */
export function isTrue(value: GoValue): boolean {
  if (value === undefined || value === null) return false;
  if (typeof value === "object") return isTrueObject(value);
  // NaN is not zero.
  return value !== false && value !== 0 && value !== "";
}

function isTrueObject(value: Exclude<GoValue, null | undefined | boolean | number | string>): boolean {
  if (value instanceof Map) return value.size > 0;
  if (Array.isArray(value)) return value.length > 0;
  if (value instanceof Int) return value.value !== 0n;
  if (value instanceof TypedList) return value.items.length > 0;
  if (value instanceof Bytes) return value.data.length > 0;
  return value.entries === undefined || value.entries().length > 0;
}
