import { formatValue } from "../go/print.ts";
import { type GoMap, type GoValue, isTrue, NilMap, sortedKeys, stringList, TypedMap, typeName } from "../go/values.ts";
import { GoError } from "../template/errors.ts";
import type { Func } from "../template/func.ts";
import type { State } from "../template/state.ts";
import { type FuncTable, func, variadic } from "./define.ts";

function dict(values: readonly GoValue[], state: State): GoMap {
  const map: GoMap = new Map();
  for (let at = 0; at < values.length; at += 2) {
    const key = values[at];
    if (typeof key !== "string") state.runtime.functions.traverse(key);
    map.set(formatValue(key), at + 1 < values.length ? (values[at + 1] ?? null) : "");
  }
  return map;
}

function dig(args: readonly GoValue[]): GoValue {
  if (args.length < 3) throw new GoError("dig needs at least three arguments");
  const map = args.at(-1);
  const fallback = args.at(-2) ?? null;
  let value: GoValue = map;
  for (const key of args.slice(0, -2)) {
    if (!isDict(value)) throw new GoError(conversionFault(value));
    if (typeof key !== "string")
      throw new GoError(`interface conversion: interface {} is ${typeName(key)}, not string`);
    if (!value.has(key)) return fallback;
    value = value.get(key) ?? null;
  }
  return value;
}

const isDict = (value: GoValue): value is GoMap =>
  value instanceof Map && (!(value instanceof TypedMap) || value.type !== "map[string]string");

function conversionFault(value: GoValue): string {
  const actual = value === null || value === undefined ? "nil" : typeName(value);
  return `interface conversion: interface {} is ${actual}, not map[string]interface {}`;
}

/** Maps merge in depth, but a nil map takes the place of an empty one. */
const clears = (source: GoMap, target: GoMap): boolean => source instanceof NilMap && target.size === 0;

/** What a merge writes into: only a map that is not nil makes one of nil. */
const writable = (target: GoMap, source: GoMap): GoMap =>
  target instanceof NilMap && !(source instanceof NilMap) ? new Map() : target;

function set(map: GoMap, key: string, value: GoValue): GoMap {
  if (map instanceof NilMap) throw new GoError("assignment to entry in nil map");
  return map.set(key, value ?? null);
}

/** Hears of each map that is merged into another. */
type Visit = (map: GoMap) => void;

/** Takes a key from the source when the target lacks it or holds something empty; maps merge in depth. */
export function merge(given: GoMap, source: GoMap, visit: Visit): GoMap {
  visit(source);
  const target = writable(given, source);
  for (const [key, value] of source) {
    const own = target.get(key);
    if (isDict(own) && isDict(value) && !clears(value, own)) {
      if (own !== value) target.set(key, merge(own, value, visit));
    } else if (!isTrue(own) && value !== null) {
      target.set(key, value);
    }
  }
  return target;
}

/** The source wins, also with empty values; maps merge in depth. */
export function mergeOverwrite(given: GoMap, source: GoMap, visit: Visit): GoMap {
  visit(source);
  const target = writable(given, source);
  for (const [key, value] of source) {
    const own = target.get(key);
    if (isDict(own) && isDict(value) && !clears(value, own)) {
      if (own !== value) target.set(key, mergeOverwrite(own, value, visit));
    } else {
      target.set(key, value);
    }
  }
  return target;
}

/** Merges one after another; every map that is met costs work, since the same one can stand in many places. */
const merging = (mergeInto: typeof merge): Func =>
  variadic(["map"], "map", (first, sources, state) => {
    const visit: Visit = (map) => state.runtime.functions.work(map.size);
    return sources.reduce((target, source) => mergeInto(target, source, visit), first);
  });
const mergeFunc = merging(merge);
const mergeOverwriteFunc = merging(mergeOverwrite);

export const dictFunctions: FuncTable = {
  dict: variadic([], "any", dict),
  get: func(["map", "string"], (map, key) => (map.has(key) ? (map.get(key) ?? null) : "")),
  set: func(["map", "string", "any"], set),
  unset: func(["map", "string"], (map, key) => {
    map.delete(key);
    return map;
  }),
  hasKey: func(["map", "string"], (map, key) => map.has(key)),
  pluck: variadic(["string"], "map", (key, maps) =>
    maps.filter((map) => map.has(key)).map((map) => map.get(key) ?? null),
  ),
  pick: variadic(
    ["map"],
    "string",
    (map, keys) => new Map(keys.filter((key) => map.has(key)).map((key) => [key, map.get(key)])),
  ),
  omit: variadic(["map"], "string", (map, keys) => new Map([...map].filter(([key]) => !keys.includes(key)))),
  keys: variadic([], "map", (maps) => stringList(maps.flatMap(sortedKeys))),
  values: func(["map"], (map) => sortedKeys(map).map((key) => map.get(key) ?? null)),
  dig: variadic([], "any", dig),
  merge: mergeFunc,
  mustMerge: mergeFunc,
  mergeOverwrite: mergeOverwriteFunc,
  mustMergeOverwrite: mergeOverwriteFunc,
};
