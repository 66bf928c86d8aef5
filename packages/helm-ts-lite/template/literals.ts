import { fromBytes } from "../go/bytes.ts";
import { formatFloat } from "../go/float.ts";
import { parseFiniteFloat, parseIntText } from "../go/parse-number.ts";
import { quote } from "../go/quote.ts";
import type { Token } from "./lexer.ts";
import type { NumberNode } from "./nodes.ts";

const simpleEscapes: Readonly<Record<string, number>> = {
  a: 7,
  b: 8,
  f: 12,
  n: 10,
  r: 13,
  t: 9,
  v: 11,
  "\\": 92,
};

/** A decoded character: its code, whether it is a single raw byte, and what it took of the text. */
interface Unquoted {
  readonly code: number;
  readonly raw: boolean;
  readonly length: number;
}

const numericEscapes: readonly { readonly pattern: RegExp; readonly base: number; readonly raw: boolean }[] = [
  { pattern: /^x([0-9a-fA-F]{2})/, base: 16, raw: true },
  { pattern: /^u([0-9a-fA-F]{4})/, base: 16, raw: false },
  { pattern: /^U([0-9a-fA-F]{8})/, base: 16, raw: false },
  { pattern: /^([0-7]{3})/, base: 8, raw: true },
];

const isScalar = (code: number): boolean => code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);

function readNumericEscape(rest: string): Unquoted | undefined {
  for (const { pattern, base, raw } of numericEscapes) {
    const match = pattern.exec(rest);
    if (match === null) continue;
    const code = Number.parseInt(match[1] ?? "", base);
    return (raw ? code < 256 : isScalar(code)) ? { code, raw, length: match[0].length + 1 } : undefined;
  }
  return undefined;
}

/** Reads one character or escape of a quoted text; undefined when it is wrong. */
function readChar(text: string, mark: string): Unquoted | undefined {
  const code = text.codePointAt(0) ?? 0;
  if (text.startsWith(mark) && mark !== "") return undefined;
  if (!text.startsWith("\\")) return { code, raw: false, length: code > 0xffff ? 2 : 1 };
  const escape = text.charAt(1);
  if (escape === mark) return { code: mark.charCodeAt(0), raw: false, length: 2 };
  const simple = simpleEscapes[escape];
  return simple === undefined ? readNumericEscape(text.slice(1)) : { code: simple, raw: false, length: 2 };
}

/** Decodes a quoted or raw string literal; undefined when an escape is wrong. */
export function unquote(literal: string): string | undefined {
  if (literal.startsWith("`")) return literal.slice(1, -1).replaceAll("\r", "");
  const inside = literal.slice(1, -1);
  if (!inside.includes("\\")) return inside;
  const parts: (Buffer | string)[] = [];
  for (let at = 0; at < inside.length; ) {
    const char = readChar(inside.slice(at, at + 12), '"');
    if (char === undefined) return undefined;
    parts.push(char.raw ? Buffer.from([char.code]) : String.fromCodePoint(char.code));
    at += char.length;
  }
  return fromBytes(Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part) : part))));
}

type Reading = Omit<NumberNode, "type" | "offset" | "text">;
const none: Reading = { integer: undefined, unsigned: undefined, float: undefined, complex: undefined };

function readCharConstant(text: string): Reading | string {
  const char = readChar(text.slice(1), "'");
  if (char === undefined) return "invalid syntax";
  if (text.slice(1 + char.length) !== "'") return `malformed character constant: ${text}`;
  return { ...none, integer: BigInt(char.code), unsigned: BigInt(char.code), float: char.code };
}

const inRange = (value: bigint | undefined, min: bigint, max: bigint): bigint | undefined =>
  value !== undefined && value >= min && value <= max ? value : undefined;

function readInteger(text: string): Reading {
  const value = parseIntText(text);
  const integer = inRange(value, -(2n ** 63n), 2n ** 63n - 1n);
  const signed = text.startsWith("+") || text.startsWith("-");
  const unsigned = integer === 0n ? 0n : inRange(signed ? undefined : value, 0n, 2n ** 64n - 1n);
  const float = integer ?? unsigned;
  return { ...none, integer, unsigned, float: float === undefined ? undefined : Number(float) };
}

function readFloat(text: string): Reading | string {
  const float = parseFiniteFloat(text);
  if (float === undefined) return `illegal number syntax: ${quote(text)}`;
  if (!/[.eEpP]/.test(text)) return `integer overflow: ${quote(text)}`;
  const whole = Number.isInteger(float) ? BigInt(float) : undefined;
  const integer = inRange(whole, -(2n ** 63n), 2n ** 63n - 1n);
  return { ...none, float, integer, unsigned: inRange(whole, 0n, 2n ** 64n - 1n) };
}

function readImaginary(text: string): Reading | string {
  const [, first = "", second = ""] = /^(.*?)([-+]?[^-+]*)i$/.exec(text) ?? [];
  const real = first === "" ? 0 : parseFiniteFloat(first);
  const imaginary = parseFiniteFloat(second);
  if (real === undefined || imaginary === undefined) return `illegal number syntax: ${quote(text)}`;
  if (imaginary === 0) return readFloat(String(real).includes(".") ? String(real) : `${real}.`);
  return { ...none, complex: `(${formatFloat(real)}${imaginary < 0 ? "" : "+"}${formatFloat(imaginary)}i)` };
}

/** Reads a number token; a text in the result is what is wrong with it. */
export function readNumber(token: Token): Reading | string {
  if (token.type === "charConstant") return readCharConstant(token.text);
  if (token.type === "complex" || token.text.endsWith("i")) return readImaginary(token.text);
  const integer = readInteger(token.text);
  return integer.float === undefined ? readFloat(token.text) : integer;
}
