import { Int } from "./int.ts";
import { type GoValue, isGoObject, NilMap, nilList, type ParamType, TypedList, TypedMap, typeName } from "./values.ts";

/** The Go type that error texts name. */
export const goTypeOf: { readonly [T in ParamType]: string } = {
  string: "string",
  int: "int",
  int64: "int64",
  uint32: "uint32",
  float64: "float64",
  bool: "bool",
  any: "interface {}",
  map: "map[string]interface {}",
  list: "[]interface {}",
  strings: "[]string",
  value: "reflect.Value",
  time: "time.Time",
  certificate: "sprig.certificate",
  version: "*semver.Version",
};

const isObject = (value: GoValue, type: ParamType): boolean => isGoObject(value) && value.goType === goTypeOf[type];

const tests: { readonly [T in ParamType]: (value: GoValue) => boolean } = {
  string: (value) => typeof value === "string",
  int: (value) => value instanceof Int && value.type === "int",
  int64: (value) => value instanceof Int && value.type === "int64",
  uint32: () => false,
  float64: (value) => typeof value === "number",
  bool: (value) => typeof value === "boolean",
  any: () => true,
  map: (value) => value instanceof Map && (!(value instanceof TypedMap) || value.assignable),
  list: (value) => Array.isArray(value) || (value instanceof TypedList && value.type === goTypeOf.list),
  strings: (value) => value instanceof TypedList && value.type === "[]string",
  value: () => true,
  time: (value) => isObject(value, "time"),
  certificate: (value) => isObject(value, "certificate"),
  version: (value) => isObject(value, "version"),
};

/** Whether Go would let the value be given to a parameter of that type. */
export function isAssignable(value: GoValue, type: ParamType): boolean {
  return tests[type](value);
}

/** What a parameter holds when it is given nil; undefined when the type has no nil. */
export function nilOf(type: ParamType): { readonly value: GoValue } | undefined {
  if (type === "any") return { value: null };
  if (type === "value") return { value: undefined };
  if (type === "map") return { value: new NilMap() };
  return type === "list" ? { value: nilList() } : undefined;
}

/** The type that "wrong type for value" names. */
export function actualType(value: GoValue): string {
  return value === null ? "interface {}" : typeName(value);
}
