import { Int } from "../go/int.ts";
import type { GoMap, GoObject, GoValue, ParamType, TypedList } from "../go/values.ts";
import type { Func } from "../template/func.ts";
import type { State } from "../template/state.ts";

/** What a body sees of a parameter: ints as numbers, everything else as it is. */
interface ArgTypes {
  readonly string: string;
  readonly int: number;
  readonly int64: bigint;
  readonly uint32: number;
  readonly float64: number;
  readonly bool: boolean;
  readonly any: GoValue;
  readonly map: GoMap;
  readonly list: GoValue[] | TypedList;
  readonly strings: TypedList;
  readonly value: GoValue;
  readonly time: GoObject;
  readonly certificate: GoObject;
  readonly version: GoObject;
}

type Args<P extends readonly ParamType[]> = { -readonly [K in keyof P]: ArgTypes[P[K]] };

function plain(value: GoValue): unknown {
  return value instanceof Int ? Number(value.value) : value;
}

const isInt = (type: ParamType): boolean => type === "int" || type === "uint32";

/** Unwraps the ints among the arguments; most functions have none. */
function converter(
  params: readonly ParamType[],
  variadic?: ParamType,
): (args: readonly GoValue[]) => readonly unknown[] {
  const last = variadic !== undefined && isInt(variadic);
  if (!last && !params.some(isInt)) return (args) => args;
  return (args) =>
    args.map((arg, index) => ((index < params.length ? isInt(params[index] ?? "any") : last) ? plain(arg) : arg));
}

/** A function with a fixed number of parameters. The state comes after them. */
export function func<const P extends readonly ParamType[]>(
  params: P,
  body: (...args: [...Args<P>, State]) => GoValue,
): Func {
  const convert = converter(params);
  const call = body as (...args: unknown[]) => GoValue;
  return { params, call: (args, state) => call(...convert(args), state) };
}

/** A function whose last parameter repeats; the body gets the repeated arguments as a list. */
export function variadic<const P extends readonly ParamType[], const V extends ParamType>(
  params: P,
  rest: V,
  body: (...args: [...Args<P>, ArgTypes[V][], State]) => GoValue,
): Func {
  const convert = converter(params, rest);
  const call = body as (...args: unknown[]) => GoValue;
  return {
    params,
    variadic: rest,
    call: (args, state) => {
      const all = convert(args);
      return call(...all.slice(0, params.length), all.slice(params.length), state);
    },
  };
}

/** A set of functions by name. */
export type FuncTable = Readonly<Record<string, Func>>;
