import { maxInt64, minInt64 } from "./int.ts";

/** Underscores may stand between digits or after a base prefix, never doubled or at an end. */
function withoutUnderscores(text: string): string | undefined {
  if (!text.includes("_")) return text;
  const decimal = /^[-+]?[0-9]+(?:_[0-9]+)*(?:\.(?:[0-9]+(?:_[0-9]+)*)?)?(?:[eE][-+]?[0-9]+(?:_[0-9]+)*)?$/;
  const based = /^[-+]?0[xXoObB]?(?:_?[0-9a-fA-F.]+)+(?:[pP][-+]?[0-9]+)?$/;
  return decimal.test(text) || based.test(text) ? text.replaceAll("_", "") : undefined;
}

const integer = /^([-+]?)(0[xX][0-9a-fA-F]+|0[oO][0-7]+|0[bB][01]+|0[0-7]*|[1-9][0-9]*)$/;

/** A whole number in any of Go's bases, chosen by its prefix, as `strconv.ParseInt(s, 0, …)` without a range. */
export function parseIntText(text: string): bigint | undefined {
  const plain = withoutUnderscores(text);
  const match = plain === undefined ? null : integer.exec(plain);
  if (match === null) return undefined;
  const digits = match[2] ?? "0";
  const size = BigInt(/^0[0-7]+$/.test(digits) ? `0o${digits.slice(1)}` : digits);
  return match[1] === "-" ? -size : size;
}

/** A number with what Go's `strconv` has against it: then the value is 0, or the nearest of its range. */
export interface ParsedInt {
  readonly value: bigint;
  readonly fault?: "invalid syntax" | "value out of range";
}

const beyond64 = 2n ** 64n;
const longestInt = 22;

/** Go stops where 64 bits end, whatever follows; undefined for what is no number until there. */
function sizeOf(text: string, base: 8 | 10): bigint | undefined {
  const pattern = base === 8 ? /^[-+]?0*([0-7]*)/ : /^[-+]?0*([0-9]*)/;
  const [head = "", digits = ""] = pattern.exec(text) ?? [];
  const size = digits.length > longestInt ? beyond64 : BigInt(base === 8 ? `0o0${digits}` : `0${digits}`);
  return size >= beyond64 || (head === text && /[0-9]$/.test(text)) ? size : undefined;
}

/** As `strconv.ParseInt(s, base, 64)`. */
export function parseInt64(text: string, base: 8 | 10 = 10): ParsedInt {
  const size = sizeOf(text, base);
  if (size === undefined) return { value: 0n, fault: "invalid syntax" };
  const value = text.startsWith("-") ? -size : size;
  if (value > maxInt64) return { value: maxInt64, fault: "value out of range" };
  return value < minInt64 ? { value: minInt64, fault: "value out of range" } : { value };
}

const hexFloat = /^([-+]?)0[xX]([0-9a-fA-F]*)\.?([0-9a-fA-F]*)[pP]([-+]?[0-9]+)$/;
const decimalFloat = /^[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?$/;
const special = /^([-+]?)(?:(inf|infinity)|(nan))$/i;

function parseHexFloat(match: RegExpExecArray): number | undefined {
  const [, sign, whole = "", fraction = "", power] = match;
  if (whole + fraction === "") return undefined;
  const size = Number(BigInt(`0x${whole}${fraction}`)) * 2 ** (Number(power) - fraction.length * 4);
  return sign === "-" ? -size : size;
}

/** A finite float in decimal or hexadecimal notation. */
export function parseFiniteFloat(text: string): number | undefined {
  const plain = withoutUnderscores(text);
  if (plain === undefined) return undefined;
  const hex = hexFloat.exec(plain);
  const value = hex === null ? (decimalFloat.test(plain) ? Number(plain) : undefined) : parseHexFloat(hex);
  return value !== undefined && Number.isFinite(value) ? value : undefined;
}

/** As `strconv.ParseFloat`: also `inf` and `nan` in any case. */
export function parseFloatText(text: string): number | undefined {
  const match = special.exec(text);
  if (match === null) return parseFiniteFloat(text);
  if (match[3] !== undefined) return match[1] === "" ? Number.NaN : undefined;
  return match[1] === "-" ? -Infinity : Infinity;
}
