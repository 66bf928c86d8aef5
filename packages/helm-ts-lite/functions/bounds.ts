import type { GoValue } from "../go/values.ts";
import { entryWeight, itemWeight, shallowWeight, weigh } from "../go/weigh.ts";
import type { Func } from "../template/func.ts";
import type { FunctionRuntime } from "../template/state.ts";
import { occurrences } from "./strings.ts";

const both = (names: readonly string[]): string[] =>
  names.flatMap((name) => [name, `must${name.charAt(0).toUpperCase()}${name.slice(1)}`]);

/** Functions that print all of their arguments: what stands in several places is printed in each. */
const traversing = new Set([
  ..."print println printf html js urlquery quote squote cat join toString toStrings sortAlpha".split(" "),
  ...both(["toToml", "deepCopy"]),
]);

/** Functions that make a list or a map. */
const building = new Set([
  ..."list tuple dict keys values pluck concat until untilStep split splitn splitList toStrings sortAlpha".split(" "),
  ...both("append push prepend rest initial reverse uniq compact without slice chunk pick omit".split(" ")),
  ...both(["regexFindAll", "regexSplit"]),
]);

const copying = new Set(both(["deepCopy"]));

/** Functions that read lists and maps out of a text: these signs announce one value each. */
const reading = new Set([...both(["fromJson", "fromYaml", "fromToml"]), "fromJsonArray", "fromYamlArray"]);
const sign = /[,:{[\n-]/g;

/** Functions that split a text into up to as many parts as it has characters. */
const splitting = new Set(["split", "splitn", "splitList"]);

function count(text: string, pattern: RegExp): number {
  let found = 0;
  pattern.lastIndex = 0;
  while (pattern.test(text)) found++;
  return found;
}

function parts([separator, ...others]: readonly GoValue[]): number {
  const text = others.at(-1);
  if (typeof separator !== "string" || typeof text !== "string") return 0;
  return occurrences(text, separator) + 1;
}

/** Charges beforehand for what a function is about to do with its arguments. */
function before(name: string): ((args: readonly GoValue[], runtime: FunctionRuntime) => void) | undefined {
  if (splitting.has(name)) return (args, runtime) => runtime.charge(parts(args) * itemWeight);
  if (reading.has(name)) {
    return ([text], runtime) => runtime.charge((typeof text === "string" ? count(text, sign) : 0) * (entryWeight / 2));
  }
  return traversing.has(name) ? (args, runtime) => runtime.traverse([...args]) : undefined;
}

function madeBy(name: string): (result: GoValue) => number {
  if (name === "set") return () => entryWeight;
  if (copying.has(name)) return (result) => weigh(result, Number.POSITIVE_INFINITY);
  return building.has(name) ? shallowWeight : () => 0;
}

/** The function with its work and its result charged to the render it runs in. */
export function bounded(name: string, func: Func): Func {
  // These count what they print; a further call would make nested ones end earlier.
  if (name === "include" || name === "tpl" || func.stopsAt !== undefined) return func;
  const prepare = before(name);
  const weighed = madeBy(name);
  return {
    ...func,
    call: (args, state, source) => {
      const { functions } = state.runtime;
      prepare?.(args, functions);
      const result = func.call(args, state, source);
      if (typeof result === "object") functions.charge(weighed(result));
      else if (typeof result === "string") functions.charge(result.length);
      return result;
    },
  };
}
