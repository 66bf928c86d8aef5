import { deepEqual } from "../go/compare.ts";
import { toInt64 } from "../go/convert.ts";
import { int } from "../go/int.ts";
import { formatValue } from "../go/print.ts";
import { type GoValue, kindName, listItems, nilList, TypedList } from "../go/values.ts";
import { itemWeight } from "../go/weigh.ts";
import { GoError } from "../template/errors.ts";
import type { State } from "../template/state.ts";
import { type FuncTable, func, variadic } from "./define.ts";
import { isEmpty } from "./logic.ts";

/** The elements of a list; the text of the error names what could not be done. */
function itemsOf(value: GoValue, doing: string): readonly GoValue[] {
  const items = listItems(value);
  if (items !== undefined) return items;
  if (value === null || value === undefined)
    throw new GoError("runtime error: invalid memory address or nil pointer dereference");
  throw new GoError(`Cannot ${doing} on type ${kindName(value)}`);
}

/** Values that are compared in the time of a step. */
const comparisonsPerStep = 4;

const box = (item: GoValue): GoValue => item ?? null;

function slice(list: GoValue, bounds: readonly GoValue[]): GoValue {
  const items = listItems(list);
  if (items === undefined) throw new GoError(`list should be type of slice or array but ${kindName(list)}`);
  if (items.length === 0) return null;
  const [from, to] = bounds;
  const start = from === undefined ? 0 : Number(toInt64(from));
  const end = to === undefined ? items.length : Number(toInt64(to));
  if (end < 0 || end > items.length || start < 0 || start > end)
    throw new GoError("reflect.Value.Slice: slice index out of bounds");
  const cut = items.slice(start, end);
  return list instanceof TypedList ? new TypedList(list.type, cut) : cut;
}

function chunk(size: number, list: GoValue): GoValue {
  const items = itemsOf(list, "chunk");
  if (size < 1)
    throw new GoError(
      size === 0 ? "runtime error: integer divide by zero" : "runtime error: makeslice: len out of range",
    );
  const chunks: GoValue[] = [];
  for (let at = 0; at < items.length; at += size) chunks.push(items.slice(at, at + size).map(box));
  return new TypedList("[][]interface {}", chunks);
}

function uniq(items: readonly GoValue[], state: State): GoValue[] {
  const kept: GoValue[] = [];
  // Texts are by far the most frequent elements; looking them up keeps long lists from taking squared time.
  const texts = new Set<string>();
  for (const item of items) {
    if (typeof item === "string") {
      if (!texts.has(item)) kept.push(item);
      texts.add(item);
    } else {
      state.runtime.functions.work(kept.length / comparisonsPerStep);
      if (!kept.some((other) => deepEqual(other, item))) kept.push(item);
    }
  }
  return kept;
}

function concat(lists: readonly GoValue[]): GoValue {
  const all: GoValue[] = [];
  for (const list of lists) {
    const items = listItems(list);
    if (items === undefined) throw new GoError(`Cannot concat type ${kindName(list)} as list`);
    for (const item of items) all.push(box(item));
  }
  return all.length === 0 ? nilList() : all;
}

function until(count: number, state: State): GoValue {
  return untilStep(0, count, count < 0 ? -1 : 1, state);
}

function untilStep(start: number, stop: number, step: number, state: State): GoValue {
  const wrong = step === 0 || (stop < start ? step >= 0 : step <= 0);
  if (wrong) return new TypedList("[]int", []);
  const count = Math.max(0, Math.ceil((stop - start) / step));
  state.runtime.functions.charge(count * itemWeight);
  return new TypedList(
    "[]int",
    Array.from({ length: count }, (_, index) => int(start + index * step)),
  );
}

function seq(params: readonly number[], state: State): string {
  const [first = 0, second = 0, third = 0] = params;
  const direction = (start: number, end: number): number => (end < start ? -1 : 1);
  if (params.length === 1) return numbers(1, first, direction(1, first), state);
  if (params.length === 2) return numbers(first, second, direction(first, second), state);
  if (params.length !== 3) return "";
  if (second === 0 || (third < first && second > 0)) return "";
  return numbers(first, third, second, state);
}

function numbers(start: number, end: number, step: number, state: State): string {
  const list = untilStep(start, end + (step > 0 ? 1 : -1), step, state);
  return (listItems(list) ?? []).map(formatValue).join(" ");
}

const verbs: Readonly<Record<string, (items: readonly GoValue[], state: State) => GoValue>> = {
  first: (items) => items[0] ?? null,
  last: (items) => items.at(-1) ?? null,
  rest: (items) => (items.length === 0 ? nilList() : items.slice(1).map(box)),
  initial: (items) => (items.length === 0 ? nilList() : items.slice(0, -1).map(box)),
  reverse: (items) => items.map(box).reverse(),
  uniq: (items, state) => uniq(items.map(box), state),
  compact: (items) => items.filter((item) => !isEmpty(item)),
};

const doing = (verb: string): string => (verb === "compact" ? verb : `find ${verb}`);

const plainVerbs = Object.fromEntries(
  Object.entries(verbs).flatMap(([name, body]) => {
    const each = func(["any"], (list, state) => body(itemsOf(list, doing(name)), state));
    return [
      [name, each],
      [`must${name.charAt(0).toUpperCase()}${name.slice(1)}`, each],
    ];
  }),
);

const push = func(["any", "any"], (list, item) => [...itemsOf(list, "push"), item].map(box));
const prepend = func(["any", "any"], (list, item) => [item, ...itemsOf(list, "prepend")].map(box));
const without = variadic(["any"], "any", (list, removed, state) => {
  const items = itemsOf(list, "find without");
  state.runtime.functions.work((items.length * removed.length) / comparisonsPerStep);
  return items.filter((item) => !removed.some((other) => deepEqual(other, item)));
});
const has = func(["any", "any"], (item, list, state) => {
  if (list === null || list === undefined) return false;
  const items = itemsOf(list, "find has");
  state.runtime.functions.work(items.length / comparisonsPerStep);
  return items.some((other) => deepEqual(other, item));
});
const sliceFunc = variadic(["any"], "any", slice);
const chunkFunc = func(["int", "any"], chunk);
const list = variadic([], "any", (items) => items);

export const listFunctions: FuncTable = {
  ...plainVerbs,
  list,
  tuple: list,
  append: push,
  mustAppend: push,
  push,
  mustPush: push,
  prepend,
  mustPrepend: prepend,
  without,
  mustWithout: without,
  has,
  mustHas: has,
  slice: sliceFunc,
  mustSlice: sliceFunc,
  chunk: chunkFunc,
  mustChunk: chunkFunc,
  concat: variadic([], "any", concat),
  until: func(["int"], until),
  untilStep: func(["int", "int", "int"], untilStep),
  seq: variadic([], "int", seq),
};
