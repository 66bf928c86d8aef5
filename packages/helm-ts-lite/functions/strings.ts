import { compareBytes, isAscii, sliceBytes, toBytes } from "../go/bytes.ts";
import { int, int64 } from "../go/int.ts";
import { parseInt64 } from "../go/parse-number.ts";
import { formatValue } from "../go/print.ts";
import { quote } from "../go/quote.ts";
import { trimSpace } from "../go/space.ts";
import { type GoValue, listItems, stringList, TypedList, TypedMap } from "../go/values.ts";
import { GoError } from "../template/errors.ts";
import type { State } from "../template/state.ts";
import { type FuncTable, func, variadic } from "./define.ts";
import { sliceFault } from "./faults.ts";

/** The text form of every value that is not nil. */
export function presentTexts(values: readonly GoValue[]): string[] {
  return values.filter((value) => value !== null && value !== undefined).map(formatValue);
}

/** The text forms of the elements of a list; any other value counts as a list of itself. */
export function textsOf(value: GoValue): string[] {
  if (value === null || value === undefined) return [];
  const items = listItems(value);
  return items === undefined ? [formatValue(value)] : presentTexts(items);
}

/** A list of texts is taken as it is, not copied. */
function toStrings(value: GoValue): TypedList {
  return value instanceof TypedList && value.type === "[]string" ? value : stringList(textsOf(value));
}

/** Sorts a list of texts in place, as sprig does; what is no list is printed. */
function sortAlpha(value: GoValue): TypedList {
  if (value === null || value === undefined) return stringList([formatValue(value)]);
  const list = toStrings(value);
  list.items.sort((a, b) => compareBytes(formatValue(a), formatValue(b)));
  return list;
}

function trimSet(text: string, set: string): string {
  const chars = new Set(set);
  const all = Array.from(text);
  let start = 0;
  let end = all.length;
  while (start < end && chars.has(all[start] ?? "")) start++;
  while (end > start && chars.has(all[end - 1] ?? "")) end--;
  return all.slice(start, end).join("");
}

function repeat(count: number, text: string, state: State): string {
  if (count < 0) throw new GoError("strings: negative Repeat count");
  state.runtime.functions.charge(count * text.length);
  return text.repeat(count);
}

/** Products of lengths up to this need no closer look beforehand. */
const maxUnchecked = 1_000_000;

/** How often a text holds another, the empty one standing between all characters. */
export function occurrences(text: string, part: string): number {
  if (part === "") return text.length + 1;
  let found = 0;
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) found++;
  return found;
}

function replaceAll(text: string, from: string, to: string, state: State): string {
  if (text.length * to.length > maxUnchecked) state.runtime.functions.charge(occurrences(text, from) * to.length);
  return from === "" ? insertEverywhere(text, to) : text.replaceAll(from, () => to);
}

function insertEverywhere(text: string, to: string): string {
  return to + Array.from(text, (char) => char + to).join("");
}

function substr(start: number, end: number, text: string): string {
  const { length } = toBytes(text);
  if (start < 0) return cut(text, 0, end, length);
  return end < 0 || end > length ? cut(text, start, length, length) : cut(text, start, end, length);
}

function cut(text: string, start: number, end: number, length: number): string {
  const fault = sliceFault(start, end, length);
  if (fault !== undefined) throw new GoError(fault);
  return sliceBytes(text, start, end);
}

function trunc(count: number, text: string): string {
  const length = isAscii(text) ? text.length : toBytes(text).length;
  if (count < 0) return length + count > 0 ? sliceBytes(text, length + count) : text;
  return length > count ? sliceBytes(text, 0, count) : text;
}

export function indent(count: number, text: string, state: State): string {
  const pad = repeat(count, " ", state);
  return replaceAll(pad + text, "\n", `\n${pad}`, state);
}

function splitMap(parts: readonly string[]): GoValue {
  return new TypedMap(
    "map[string]string",
    false,
    parts.map((part, index) => [`_${index}`, part]),
  );
}

/** Go's `strings.Split`: an empty separator splits into characters. */
export function split(text: string, separator: string): string[] {
  return separator === "" ? Array.from(text) : text.split(separator);
}

function splitN(text: string, separator: string, count: number): string[] {
  const parts = split(text, separator);
  if (count < 0 || parts.length <= count) return parts;
  if (count === 0) return [];
  return [...parts.slice(0, count - 1), parts.slice(count - 1).join(separator)];
}

function join(separator: string, value: GoValue, state: State): string {
  const texts = textsOf(value);
  state.runtime.functions.charge(texts.length * separator.length);
  return texts.join(separator);
}

/** Removes white space byte by byte; if there is any, every other byte becomes a character of its own. */
function nospace(text: string): string {
  const bytes = Array.from(toBytes(text));
  const kept = bytes.filter((byte) => !(byte === 0x20 || (byte >= 9 && byte <= 13) || byte === 0x85 || byte === 0xa0));
  return kept.length === bytes.length ? text : kept.map((byte) => String.fromCharCode(byte)).join("");
}

function octal(text: string): bigint {
  const { value, fault } = parseInt64(text, 8);
  return fault === undefined ? value : 0n;
}

export const stringFunctions: FuncTable = {
  hello: func([], () => "Hello!"),
  trim: func(["string"], trimSpace),
  trimAll: func(["string", "string"], (set, text) => trimSet(text, set)),
  trimall: func(["string", "string"], (set, text) => trimSet(text, set)),
  trimPrefix: func(["string", "string"], (prefix, text) =>
    text.startsWith(prefix) ? text.slice(prefix.length) : text,
  ),
  trimSuffix: func(["string", "string"], (suffix, text) =>
    text.endsWith(suffix) ? text.slice(0, text.length - suffix.length) : text,
  ),
  repeat: func(["int", "string"], repeat),
  replace: func(["string", "string", "string"], (from, to, text, state) => replaceAll(text, from, to, state)),
  substr: func(["int", "int", "string"], substr),
  trunc: func(["int", "string"], trunc),
  nospace: func(["string"], nospace),
  contains: func(["string", "string"], (part, text) => text.includes(part)),
  hasPrefix: func(["string", "string"], (prefix, text) => text.startsWith(prefix)),
  hasSuffix: func(["string", "string"], (suffix, text) => text.endsWith(suffix)),
  quote: variadic([], "any", (values) =>
    presentTexts(values)
      .map((text) => quote(text))
      .join(" "),
  ),
  squote: variadic([], "any", (values) =>
    presentTexts(values)
      .map((text) => `'${text}'`)
      .join(" "),
  ),
  cat: variadic([], "any", (values) => presentTexts(values).join(" ")),
  indent: func(["int", "string"], indent),
  nindent: func(["int", "string"], (count, text, state) => `\n${indent(count, text, state)}`),
  plural: func(["string", "string", "int"], (one, many, count) => (count === 1 ? one : many)),
  split: func(["string", "string"], (separator, text) => splitMap(split(text, separator))),
  splitn: func(["string", "int", "string"], (separator, count, text) => splitMap(splitN(text, separator, count))),
  splitList: func(["string", "string"], (separator, text) => stringList(split(text, separator))),
  join: func(["string", "any"], join),
  toString: func(["any"], formatValue),
  toStrings: func(["any"], toStrings),
  sortAlpha: func(["any"], sortAlpha),
  atoi: func(["string"], (text) => int(parseInt64(text).value)),
  toDecimal: func(["any"], (value) => int64(octal(formatValue(value)))),
};
