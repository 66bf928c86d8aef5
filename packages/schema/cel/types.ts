import type { Schema } from "../types.ts";

/** A type of CEL, as far as Kubernetes uses them. */
export type CelType =
  | { readonly kind: Simple }
  | { readonly kind: "list"; readonly item: CelType }
  | { readonly kind: "map"; readonly key: CelType; readonly value: CelType }
  | { readonly kind: "optional"; readonly value: CelType }
  | { readonly kind: "type"; readonly of: CelType }
  /** A value of a Kubernetes library, for example a quantity. */
  | { readonly kind: "opaque"; readonly name: string }
  /** A struct of a schema. */
  | { readonly kind: "object"; readonly name: string; readonly fields: ReadonlyMap<string, ObjectField> }
  /** A type parameter of a function's signature. */
  | { readonly kind: "param"; readonly name: string };

type Simple =
  | "dyn"
  | "error"
  | "null"
  | "bool"
  | "int"
  | "uint"
  | "double"
  | "string"
  | "bytes"
  | "timestamp"
  | "duration";

/** One field of a struct under the name that CEL knows it by. */
export interface ObjectField {
  /** The name in JSON. */
  readonly name: string;
  readonly schema: Schema;
  readonly type: CelType;
}

const simple = (kind: Simple): CelType => ({ kind });
export const dyn = simple("dyn");
/** The type of what was already reported: it fits everything. */
export const broken = simple("error");
export const nullType = simple("null");
export const bool = simple("bool");
export const int = simple("int");
export const uint = simple("uint");
export const double = simple("double");
export const string = simple("string");
export const bytes = simple("bytes");
export const timestamp = simple("timestamp");
export const duration = simple("duration");
export const listOf = (item: CelType): CelType => ({ kind: "list", item });
export const mapOf = (key: CelType, value: CelType): CelType => ({ kind: "map", key, value });
export const optionalOf = (value: CelType): CelType => ({ kind: "optional", value });
export const typeOf = (of: CelType): CelType => ({ kind: "type", of });

/** A type as the messages of cel-go print it. */
export function formatType(type: CelType): string {
  if (type.kind === "type") return `type(${formatType(type.of)})`;
  const parts = partsOf(type).map(formatType).join(", ");
  if (parts !== "") return `${type.kind === "optional" ? "optional_type" : type.kind}(${parts})`;
  if ("name" in type) return type.name;
  return type.kind === "error" ? "!error!" : type.kind;
}

export function isDyn(type: CelType): boolean {
  return type.kind === "dyn" || type.kind === "error";
}

/** What the type parameters of one call stand for. */
export type Bindings = Map<string, CelType>;

/** True when a value of type `from` can stand where `to` is asked for. Binds the type parameters of `to`. */
export function isAssignable(to: CelType, from: CelType, bindings: Bindings): boolean {
  if (to.kind === "param") return bind(to.name, from, bindings);
  if (isDyn(to) || isDyn(from)) return true;
  if (from.kind === "null") return takesNull(to);
  return to.kind === from.kind && partsAssignable(to, from, bindings);
}

function takesNull({ kind }: CelType): boolean {
  return kind === "null" || kind === "object" || kind === "timestamp" || kind === "duration" || kind === "opaque";
}

function bind(name: string, type: CelType, bindings: Bindings): boolean {
  const bound = bindings.get(name);
  if (bound === undefined || isDyn(bound)) {
    bindings.set(name, type);
    return true;
  }
  if (isAssignable(bound, type, bindings)) return true;
  // null on the left takes the form of what stands on the right
  if (!isAssignable(type, bound, bindings)) return false;
  bindings.set(name, type);
  return true;
}

function partsAssignable(to: CelType, from: CelType, bindings: Bindings): boolean {
  const [wanted, found] = [partsOf(to), partsOf(from)];
  if ("name" in to && "name" in from && to.name !== from.name) return false;
  return wanted.every((part, at) => isAssignable(part, found[at] ?? dyn, bindings));
}

function partsOf(type: CelType): readonly CelType[] {
  if (type.kind === "list") return [type.item];
  if (type.kind === "map") return [type.key, type.value];
  return type.kind === "optional" ? [type.value] : [];
}

/** Puts in what the type parameters stand for; unbound ones are dyn. */
export function substitute(type: CelType, bindings: Bindings): CelType {
  if (type.kind === "param") return bindings.get(type.name) ?? dyn;
  if (type.kind === "list") return listOf(substitute(type.item, bindings));
  if (type.kind === "map") return mapOf(substitute(type.key, bindings), substitute(type.value, bindings));
  if (type.kind === "optional") return optionalOf(substitute(type.value, bindings));
  return type.kind === "type" ? typeOf(substitute(type.of, bindings)) : type;
}

/** The type of a list or map literal's parts: their common type, or dyn. */
export function join(a: CelType | undefined, b: CelType): CelType {
  if (a === undefined || isAssignable(b, a, new Map())) return b;
  return isAssignable(a, b, new Map()) ? a : dyn;
}
