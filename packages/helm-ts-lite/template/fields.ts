import {
  type GoMethod,
  type GoObject,
  type GoValue,
  isGoObject,
  type Signature,
  TypedList,
  TypedMap,
  typeName,
} from "../go/values.ts";
import { shallowWeight } from "../go/weigh.ts";
import { GoError } from "./errors.ts";
import type { State } from "./state.ts";

/** A value and whether it came out of a list or map, which only error texts tell apart. */
export interface Receiver {
  readonly value: GoValue;
  readonly boxed: boolean;
}

/** Evaluates the arguments that follow the last field of a chain, for a method that takes them. */
export type MethodArgs = (signature: Signature, name: string) => readonly GoValue[];

const boxed = (value: GoValue): Receiver => ({ value, boxed: true });
const plain = (value: GoValue): Receiver => ({ value, boxed: false });

/** Walks a field chain as Go does: methods go before fields and keys. `args` belongs to the last step. */
export function walkFields(state: State, start: Receiver, path: readonly string[], args?: MethodArgs): GoValue {
  let receiver = start;
  const last = path.length - 1;
  for (let index = 0; index <= last; index++) {
    receiver = fieldOf(state, receiver, path[index] ?? "", index === last ? args : undefined);
  }
  return receiver.value;
}

function fieldOf(state: State, receiver: Receiver, name: string, args: MethodArgs | undefined): Receiver {
  const { value } = receiver;
  if (value instanceof Map) return keyOf(state, value, name, args);
  if (value === undefined) return missing(state, name);
  if (value === null) throw state.error(`nil pointer evaluating interface {}.${name}`);
  const found = isGoObject(value) ? memberOf(state, value, name, args) : undefined;
  if (found !== undefined) return found;
  throw state.error(`can't evaluate field ${name} in type ${receiver.boxed ? "interface {}" : typeName(value)}`);
}

function missing(state: State, name: string): Receiver {
  if (state.runtime.strict) throw state.error(`nil data; no entry for key ${JSON.stringify(name)}`);
  return plain(undefined);
}

function keyOf(state: State, map: Map<string, GoValue>, name: string, args: MethodArgs | undefined): Receiver {
  const typed = map instanceof TypedMap ? map : undefined;
  const method = typed?.method(name);
  if (method !== undefined) return plain(callMethod(state, name, method, args));
  if (args !== undefined) throw state.error(`${name} is not a method but has arguments`);
  const value = map.get(name);
  if (value !== undefined) return boxed(value);
  if (state.runtime.strict) throw state.error(`map has no entry for key ${JSON.stringify(name)}`);
  return typed?.type === "map[string]string" ? plain("") : boxed(null);
}

function memberOf(state: State, object: GoObject, name: string, args: MethodArgs | undefined): Receiver | undefined {
  const method = object.method?.(name);
  if (method !== undefined) return plain(callMethod(state, name, method, args));
  const field = object.field?.(name);
  if (field === undefined) return undefined;
  if (args === undefined) return plain(field.value);
  const isKey = object.goKind === "map";
  throw state.error(
    isKey ? `${name} is not a method but has arguments` : `${name} has arguments but cannot be invoked as function`,
  );
}

function callMethod(state: State, name: string, method: GoMethod, args: MethodArgs | undefined): GoValue {
  const values = args === undefined ? noArgs(state, name, method) : args(method, name);
  const { functions } = state.runtime;
  functions.work(method.effort ?? 0);
  try {
    const result = method.call(values);
    functions.charge(
      typeof result === "string" ? result.length : result instanceof TypedList ? shallowWeight(result) : 0,
    );
    return result;
  } catch (error) {
    throw error instanceof GoError ? state.error(`error calling ${name}: `, error) : error;
  }
}

function noArgs(state: State, name: string, { params, variadic }: Signature): readonly GoValue[] {
  if (params.length === 0) return [];
  throw state.error(
    `wrong number of args for ${name}: want ${variadic === undefined ? "" : "at least "}${params.length} got 0`,
  );
}
