import { type Int, int, maxInt64, minInt64 } from "../go/int.ts";
import { actualType, goTypeOf, isAssignable, nilOf } from "../go/params.ts";
import type { GoValue, ParamType, Signature } from "../go/values.ts";
import { type NumberNode, nodeText, type OperandNode } from "./nodes.ts";
import type { Eval, State } from "./state.ts";

/** Checks a value against a parameter type as Go does; nothing is converted silently. */
export function checkType(state: State, value: GoValue, type: ParamType): GoValue {
  if (value === undefined) {
    const nothing = nilOf(type);
    if (nothing === undefined) throw state.error(`invalid value; expected ${goTypeOf[type]}`);
    return nothing.value;
  }
  if (isAssignable(value, type)) return value;
  throw state.error(`wrong type for value; expected ${goTypeOf[type]}; got ${actualType(value)}`);
}

/** What is wrong with the number of arguments, or undefined. */
export function countProblem(signature: Signature, given: number, hasFinal: boolean): string | undefined {
  const { params, variadic } = signature;
  const count = given + (hasFinal ? 1 : 0);
  if (variadic === undefined) return count === params.length ? undefined : `want ${params.length} got ${count}`;
  return count < params.length ? `want at least ${params.length} got ${given}` : undefined;
}

type Literal = Extract<OperandNode, { type: "bool" | "string" | "number" }>;

const wanted: Partial<Record<ParamType, string>> = {
  bool: "bool",
  string: "string",
  int: "integer",
  int64: "integer",
  uint32: "unsigned integer",
  float64: "float",
};

/** A literal as an argument of a typed parameter: judged by how it is written. */
export function compileLiteral(node: Literal, type: ParamType): Eval {
  const literal = literalFor(node, type);
  if (literal !== undefined) return () => literal;
  const want = wanted[type];
  return (state) => {
    state.node = node;
    if (want === undefined) throw state.error(`can't handle ${nodeText(node)} for arg of type ${goTypeOf[type]}`);
    throw state.error(`expected ${want}; found ${nodeText(node)}`);
  };
}

function literalFor(node: Literal, type: ParamType): GoValue {
  if (node.type === "number") return numberFor(node, type);
  return node.type === type ? node.value : undefined;
}

function numberFor(node: NumberNode, type: ParamType): number | Int | undefined {
  if (type === "float64") return node.float;
  if (type === "uint32") return node.unsigned === undefined ? undefined : int(node.unsigned);
  if ((type !== "int" && type !== "int64") || node.integer === undefined) return undefined;
  return node.integer >= minInt64 && node.integer <= maxInt64 ? int(node.integer) : undefined;
}

/** The literal `nil` as an argument. */
export function compileNil(node: OperandNode, type: ParamType): Eval {
  return (state) => {
    state.node = node;
    const nothing = nilOf(type);
    if (nothing === undefined) throw state.error(`cannot assign nil to ${goTypeOf[type]}`);
    return nothing.value;
  };
}
