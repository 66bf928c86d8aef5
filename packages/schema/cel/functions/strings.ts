import { compilePattern } from "../../scalars.ts";
import { fail, ListValue } from "../values.ts";
import { formatText } from "./format-text.ts";
import { declare } from "./registry.ts";

/** Positions count code points, as everywhere in CEL. */
const charsOf = (text: string): readonly string[] => Array.from(text);

function pattern(text: string) {
  return compilePattern(text) ?? fail(`error parsing regexp: ${text}`);
}

function indexIn(text: string, part: string, from: bigint): bigint {
  const chars = charsOf(text);
  if (from < 0n || from > BigInt(chars.length)) return fail(`index out of range: ${from}`);
  const start = chars.slice(0, Number(from)).join("").length;
  const at = text.indexOf(part, start);
  return at < 0 ? -1n : BigInt(charsOf(text.slice(0, at)).length);
}

function lastIndexIn(text: string, part: string, from?: bigint): bigint {
  const chars = charsOf(text);
  if (from !== undefined && (from < 0n || from > BigInt(chars.length))) return fail(`index out of range: ${from}`);
  const limit = from === undefined ? text.length : chars.slice(0, Number(from)).join("").length;
  const at = text.lastIndexOf(part, limit);
  return at < 0 ? -1n : BigInt(charsOf(text.slice(0, at)).length);
}

function charAt(text: string, at: bigint): string {
  const chars = charsOf(text);
  if (at < 0n || at > BigInt(chars.length)) return fail(`index out of range: ${at}`);
  return chars[Number(at)] ?? "";
}

function substring(text: string, start: bigint, end?: bigint): string {
  const chars = charsOf(text);
  const size = BigInt(chars.length);
  const stop = end ?? size;
  if (end !== undefined && start > end) return fail(`invalid substring range. start: ${start}, end: ${end}`);
  if (start < 0n || start > size) return fail(`index out of range: ${start}`);
  if (stop < 0n || stop > size) return fail(`index out of range: ${stop}`);
  return chars.slice(Number(start), Number(stop)).join("");
}

/** Replaces the first `limit` occurrences; all of them when it is negative. */
function replace(text: string, part: string, by: string, limit = -1n): string {
  if (limit < 0n) return text.replaceAll(part, () => by);
  const pieces = part === "" ? charsOf(text) : text.split(part);
  const head = pieces.slice(0, Number(limit) + 1);
  const tail = pieces.slice(Number(limit) + 1);
  return [head.join(by), ...tail].join(part);
}

/** Splits into at most `limit` pieces; without limit when it is negative. */
function split(text: string, separator: string, limit = -1n): ListValue {
  const pieces = separator === "" ? charsOf(text) : text.split(separator);
  if (limit === 0n) return new ListValue([]);
  if (limit < 0n || BigInt(pieces.length) <= limit) return new ListValue(pieces);
  const head = pieces.slice(0, Number(limit) - 1);
  return new ListValue([...head, pieces.slice(Number(limit) - 1).join(separator)]);
}

function join(list: ListValue, separator = ""): string {
  return list.items.map((item) => (typeof item === "string" ? item : fail("no such overload"))).join(separator);
}

const escapes: Readonly<Record<string, string>> = {
  "\u0007": "\\a",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
  "\\": "\\\\",
  '"': '\\"',
};

function quote(text: string): string {
  return `"${charsOf(text)
    .map((char) => escapes[char] ?? char)
    .join("")}"`;
}

function find(text: string, expression: string): string {
  const matcher = pattern(expression).matcher(text);
  return matcher.find() ? (matcher.group() ?? "") : "";
}

function findAll(text: string, expression: string, limit = -1n): ListValue {
  const matcher = pattern(expression).matcher(text);
  const most = limit < 0n ? Number.POSITIVE_INFINITY : Number(limit);
  const found: string[] = [];
  for (let count = 0; count < most && matcher.find(); count++) found.push(matcher.group() ?? "");
  return new ListValue(found);
}

const ascii = (text: string, letters: RegExp, change: (letter: string) => string): string =>
  text.replaceAll(letters, change);

export const strings = declare({
  "size(string): int": (text: string) => BigInt(charsOf(text).length),
  "string.size(): int": (text: string) => BigInt(charsOf(text).length),
  "size(bytes): int": (value: Uint8Array) => BigInt(value.length),
  "bytes.size(): int": (value: Uint8Array) => BigInt(value.length),
  "string.contains(string): bool": (text: string, part: string) => text.includes(part),
  "string.startsWith(string): bool": (text: string, part: string) => text.startsWith(part),
  "string.endsWith(string): bool": (text: string, part: string) => text.endsWith(part),
  "matches(string, string): bool": (text: string, expression: string) => pattern(expression).matcher(text).find(),
  "string.matches(string): bool": (text: string, expression: string) => pattern(expression).matcher(text).find(),
  "string.charAt(int): string": charAt,
  "string.indexOf(string): int": (text: string, part: string) => indexIn(text, part, 0n),
  "string.indexOf(string, int): int": indexIn,
  "string.lastIndexOf(string): int": (text: string, part: string) => lastIndexIn(text, part),
  "string.lastIndexOf(string, int): int": lastIndexIn,
  "string.lowerAscii(): string": (text: string) => ascii(text, /[A-Z]/g, (letter) => letter.toLowerCase()),
  "string.upperAscii(): string": (text: string) => ascii(text, /[a-z]/g, (letter) => letter.toUpperCase()),
  "string.replace(string, string): string": (text: string, part: string, by: string) => replace(text, part, by),
  "string.replace(string, string, int): string": replace,
  "string.split(string): list(string)": (text: string, separator: string) => split(text, separator),
  "string.split(string, int): list(string)": split,
  "string.substring(int): string": (text: string, start: bigint) => substring(text, start),
  "string.substring(int, int): string": substring,
  "string.trim(): string": (text: string) => text.trim(),
  "list(string).join(): string": (list: ListValue) => join(list),
  "list(string).join(string): string": join,
  "string.format(list(dyn)): string": (text: string, args: ListValue) => formatText(text, args.items),
  "strings.quote(string): string": quote,
  "string.find(string): string": find,
  "string.findAll(string): list(string)": (text: string, expression: string) => findAll(text, expression),
  "string.findAll(string, int): list(string)": findAll,
});
