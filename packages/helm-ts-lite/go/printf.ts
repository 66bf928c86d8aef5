import { fromBytes, toBytes } from "./bytes.ts";
import { formatBinaryFloat, formatFixed, formatGeneral, formatHexFloat, formatScientific } from "./decimal-float.ts";
import { Int } from "./int.ts";
import { formatValue } from "./print.ts";
import { canBackquote, isPrintable, quote, quoteRune } from "./quote.ts";
import { Bytes, type GoValue, isGoObject, isNilCollection, listItems, NilMap, sortedKeys, typeName } from "./values.ts";

/** What stands between `%` and the verb. */
export interface Spec {
  plus: boolean;
  minus: boolean;
  sharp: boolean;
  space: boolean;
  zero: boolean;
  width: number | undefined;
  precision: number | undefined;
  /** `%+v` and `%#v`: the flags change the form of the value, not of the number. */
  plusV: boolean;
  sharpV: boolean;
}

const plainSpec: Spec = {
  plus: false,
  minus: false,
  sharp: false,
  space: false,
  zero: false,
  width: undefined,
  precision: undefined,
  plusV: false,
  sharpV: false,
};

export function newSpec(): Spec {
  return { ...plainSpec };
}

function runeCount(text: string): number {
  return isBasic(text) ? text.length : Array.from(text).length;
}

const surrogate = /[\ud800-\udfff]/;
const isBasic = (text: string): boolean => !surrogate.test(text);

function pad(text: string, spec: Spec): string {
  const missing = (spec.width ?? 0) - runeCount(text);
  if (missing <= 0) return text;
  if (spec.minus) return text + " ".repeat(missing);
  return (spec.zero ? "0" : " ").repeat(missing) + text;
}

/** Formats one value under one verb; a verb that does not fit gives Go's `%!verb(type=value)`. */
export function formatArg(value: GoValue, verb: string, spec: Spec): string {
  if (verb === "T") return pad(typeName(value), spec);
  if (value === null || value === undefined) return verb === "v" ? pad("<nil>", spec) : badVerb(value, verb);
  return formatPresent(value, verb, spec);
}

function formatPresent(value: NonNullable<GoValue>, verb: string, spec: Spec): string {
  if (typeof value === "string") return formatString(value, verb, spec);
  if (typeof value === "number") return formatNumber(value, verb, spec);
  if (typeof value === "boolean") return verb === "t" || verb === "v" ? pad(String(value), spec) : badVerb(value, verb);
  if (value instanceof Int) return formatInt(value, verb, spec);
  return formatCollection(value, verb, spec);
}

function formatCollection(value: NonNullable<GoValue>, verb: string, spec: Spec): string {
  const isText = "sxXq".includes(verb);
  if (value instanceof Bytes && isText) return formatString(fromBytes(value.data), verb, spec);
  if (value instanceof Map) return formatMap(value, verb, spec);
  const items = listItems(value);
  if (items !== undefined) return formatList(value, items, verb, spec);
  return isGoObject(value) && (isText || verb === "v")
    ? formatString(value.goText(), verb, spec)
    : badVerb(value, verb);
}

function badVerb(value: GoValue, verb: string): string {
  if (value === null || value === undefined) return `%!${verb}(<nil>)`;
  return `%!${verb}(${typeName(value)}=${formatValue(value)})`;
}

function element(value: GoValue, verb: string, spec: Spec): string {
  if (value !== null && value !== undefined) return formatArg(value, verb, spec);
  return spec.sharpV ? "interface {}(nil)" : pad("<nil>", { ...spec, zero: false });
}

function formatMap(map: ReadonlyMap<string, GoValue>, verb: string, spec: Spec): string {
  if (spec.sharpV && map instanceof NilMap) return `${typeName(map)}(nil)`;
  const entries = sortedKeys(map).map((key) => `${formatArg(key, verb, spec)}:${element(map.get(key), verb, spec)}`);
  return spec.sharpV ? `${typeName(map as GoValue)}{${entries.join(", ")}}` : `map[${entries.join(" ")}]`;
}

function formatList(list: GoValue, items: readonly GoValue[], verb: string, spec: Spec): string {
  if (spec.sharpV && isNilCollection(list)) return `${typeName(list)}(nil)`;
  if (spec.sharpV) return `${typeName(list)}{${items.map((item) => element(item, verb, spec)).join(", ")}}`;
  return `[${items.map((item) => element(item, verb, spec)).join(" ")}]`;
}

function cut(text: string, spec: Spec): string {
  if (spec.precision === undefined || runeCount(text) <= spec.precision) return text;
  return Array.from(text).slice(0, spec.precision).join("");
}

function formatString(text: string, verb: string, spec: Spec): string {
  if (verb === "s" || (verb === "v" && !spec.sharpV)) return pad(cut(text, spec), spec);
  if (verb === "q" || verb === "v") return formatQuoted(cut(text, spec), spec);
  return verb === "x" || verb === "X" ? formatHexText(text, verb, spec) : badVerb(text, verb);
}

function formatQuoted(text: string, spec: Spec): string {
  if (spec.sharp && canBackquote(text)) return pad(`\`${text}\``, spec);
  return pad(quote(text, spec.plus), spec);
}

function formatHexText(text: string, verb: string, spec: Spec): string {
  let bytes: Uint8Array = toBytes(text);
  if (spec.precision !== undefined) bytes = bytes.subarray(0, spec.precision);
  if (bytes.length === 0) return pad("", spec);
  const prefix = spec.sharp ? "0x" : "";
  const pairs = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0"));
  const shown = spec.space ? prefix + pairs.join(` ${prefix}`) : prefix + pairs.join("");
  return pad(verb === "X" ? shown.toUpperCase() : shown, spec);
}

const bases: Readonly<Record<string, number>> = { d: 10, v: 10, b: 2, o: 8, O: 8, x: 16, X: 16 };

function formatInt(value: Int, verb: string, spec: Spec): string {
  if (value.type.startsWith("time.") && (verb === "v" || verb === "s")) return pad(formatValue(value), spec);
  const base = bases[verb];
  if (base !== undefined) return formatInteger(value, base, verb, spec);
  const code = Number(value.value);
  if (verb === "c") return pad(validRune(code), spec);
  if (verb === "q") return pad(quoteRune(code, spec.plus), spec);
  return verb === "U" ? pad(formatUnicode(code, spec), { ...spec, zero: false }) : badVerb(value, verb);
}

function validRune(code: number): string {
  return code >= 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff) ? String.fromCodePoint(code) : "\ufffd";
}

function formatUnicode(code: number, spec: Spec): string {
  const digits = code
    .toString(16)
    .toUpperCase()
    .padStart(Math.max(4, spec.precision ?? 0), "0");
  const char = validRune(code);
  return `U+${digits}${spec.sharp && isPrintable(char) ? ` '${char}'` : ""}`;
}

function signOf(negative: boolean, spec: Spec): string {
  if (negative) return "-";
  if (spec.plus) return "+";
  return spec.space ? " " : "";
}

function basePrefix(digits: string, verb: string, spec: Spec): string {
  if (verb === "O") return "0o";
  if (!spec.sharp) return "";
  if (verb === "b") return "0b";
  if (verb === "o") return digits.startsWith("0") ? "" : "0";
  return verb === "x" || verb === "X" ? `0${verb}` : "";
}

function formatInteger(value: Int, base: number, verb: string, spec: Spec): string {
  const negative = value.value < 0n;
  const sign = signOf(negative, spec);
  if (spec.precision === 0 && value.value === 0n) return " ".repeat(spec.width ?? 0);
  const size = (negative ? -value.value : value.value).toString(base);
  const zeros = spec.zero && !spec.minus && spec.width !== undefined ? spec.width - sign.length : 0;
  const digits = size.padStart(spec.precision ?? zeros, "0");
  const shown = verb === "X" ? digits.toUpperCase() : digits;
  return pad(sign + basePrefix(shown, verb, spec) + shown, { ...spec, zero: false });
}

const floatForms: Readonly<Record<string, (size: number, precision: number | undefined) => string>> = {
  e: (size, precision = 6) => formatScientific(size, precision),
  f: (size, precision = 6) => formatFixed(size, precision),
  b: (size) => formatBinaryFloat(size),
  x: (size, precision = -1) => formatHexFloat(size, precision),
  g: (size, precision = -1) => formatGeneral(size, precision),
  v: (size, precision = -1) => formatGeneral(size, precision),
};

function formatNumber(value: number, verb: string, spec: Spec): string {
  const form = verb === "V" || verb === "B" ? undefined : floatForms[verb.toLowerCase()];
  if (form === undefined) return badVerb(value, verb);
  if (!Number.isFinite(value)) return formatInfinite(value, spec);
  const plain = form(Math.abs(value), spec.precision);
  const pointed = spec.sharp && verb !== "b" ? keepZeros(plain, verb, spec) : plain;
  const digits = verb === verb.toUpperCase() ? pointed.toUpperCase() : pointed;
  return signed(digits, signOf(value < 0 || Object.is(value, -0), spec), spec);
}

/** Zeros go between the sign and the digits. */
function signed(digits: string, sign: string, spec: Spec): string {
  const room = (spec.width ?? 0) - sign.length;
  if (sign === "" || !spec.zero || spec.minus || room <= digits.length) return pad(sign + digits, spec);
  return sign + digits.padStart(room, "0");
}

function formatInfinite(value: number, spec: Spec): string {
  const noZero = { ...spec, zero: false };
  if (Number.isNaN(value)) return pad(`${signOf(false, spec)}NaN`, noZero);
  const sign = value < 0 ? "-" : spec.space && !spec.plus ? " " : "+";
  return pad(`${sign}Inf`, noZero);
}

/** `%#g` and the like: a point always, and as many digits as the precision says. */
function keepZeros(digits: string, verb: string, spec: Spec): string {
  const at = digits.search(/[ep]/);
  const [mantissa, tail] = at < 0 ? [digits, ""] : [digits.slice(0, at), digits.slice(at)];
  const pointed = mantissa.includes(".") ? mantissa : `${mantissa}.`;
  if (verb !== "v" && verb !== "g" && verb !== "G") return pointed + tail;
  const wanted = spec.precision ?? 6;
  const significant = pointed.replace(".", "").replace(/^0+/, "").length;
  return pointed + "0".repeat(Math.max(0, (wanted === 0 ? 1 : wanted) - significant)) + tail;
}
