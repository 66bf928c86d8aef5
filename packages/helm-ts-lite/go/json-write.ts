import { hasRawBytes, replaceRawBytes, toBytes, toValidText } from "./bytes.ts";
import { formatFloat, shortestDigits } from "./float.ts";
import { Int } from "./int.ts";
import {
  Bytes,
  type GoMap,
  type GoObject,
  type GoValue,
  isGoObject,
  isNilCollection,
  listItems,
  NilMap,
  sortedKeys,
} from "./values.ts";

/** A value that JSON cannot carry, in Go's words. */
export class JsonError extends Error {
  override readonly name = "JsonError";
  /** The text ended before the value did. */
  readonly truncated: boolean;

  constructor(message: string, truncated = false) {
    super(message);
    this.truncated = truncated;
  }
}

export interface JsonLayout {
  /** Escape `<`, `>` and `&`, as Go does unless told otherwise. */
  readonly escapeHtml: boolean;
  /** Indentation of one level; empty for the compact form. */
  readonly indent: string;
}

const needsEscape = /["\\<>&\u2028\u2029\ud800-\udfff]|[^ -\uffff]/;
const short: Readonly<Record<string, string>> = {
  '"': '\\"',
  "\\": "\\\\",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
};

const unicodeEscape = (char: string): string => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** A JSON string as Go writes it. */
export function jsonText(text: string, escapeHtml: boolean): string {
  if (!needsEscape.test(text)) return `"${text}"`;
  const pattern = escapeHtml ? /["\\<>&\u2028\u2029]|[^ -\uffff]/g : /["\\\u2028\u2029]|[^ -\uffff]/g;
  const escaped = text.replace(pattern, (char) => short[char] ?? unicodeEscape(char));
  return `"${replaceRawBytes(escaped, "\\ufffd")}"`;
}

/** A float as Go's JSON writes it: plain unless below 1e-6 or from 1e21 on. */
export function jsonNumber(value: number): string {
  if (!Number.isFinite(value)) throw new JsonError(`json: unsupported value: ${formatFloat(value)}`);
  if (value === 0 || (Math.abs(value) >= 1e-4 && Math.abs(value) < 1e21)) return plainNumber(value);
  const { digits, exponent } = shortestDigits(value);
  const sign = value < 0 ? "-" : "";
  if (exponent >= -6 && exponent < 0) return `${sign}0.${"0".repeat(-exponent - 1)}${digits}`;
  const rest = digits.length > 1 ? `.${digits.slice(1)}` : "";
  return `${sign}${digits.charAt(0)}${rest}e${exponent < 0 ? "-" : "+"}${Math.abs(exponent)}`;
}

function plainNumber(value: number): string {
  return Object.is(value, -0) ? "-0" : String(value);
}

const maxDepth = 1_000;

class Writer {
  readonly #layout: JsonLayout;

  constructor(layout: JsonLayout) {
    this.#layout = layout;
  }

  value(value: GoValue, depth: number): string {
    if (depth > maxDepth) throw new JsonError(`json: unsupported value: nested deeper than ${maxDepth} levels`);
    if (typeof value === "string") return jsonText(value, this.#layout.escapeHtml);
    if (typeof value === "number") return jsonNumber(value);
    if (value === null || value === undefined) return "null";
    if (typeof value === "boolean" || value instanceof Int) return String(value);
    return this.#collection(value, depth);
  }

  #collection(value: Exclude<GoValue, null | undefined | boolean | number | string | Int>, depth: number): string {
    if (isNilCollection(value)) return "null";
    if (value instanceof Bytes) return `"${Buffer.from(value.data).toString("base64")}"`;
    if (value instanceof Map) {
      const members = sortedKeys(value).map((key) => this.#member(key, value.get(key), depth + 1));
      return this.#brackets("{}", members, depth);
    }
    if (isGoObject(value)) return this.#object(value, depth);
    const items = (listItems(value) ?? []).map((item) => this.value(item, depth + 1));
    return this.#brackets("[]", items, depth);
  }

  /** The fields of a struct keep their order. */
  #object(object: GoObject, depth: number): string {
    const data = object.toData?.() ?? null;
    if (!(data instanceof Map) || object.goKind === "map") return this.value(data, depth);
    return this.#brackets(
      "{}",
      [...data].map(([key, item]) => this.#member(key, item, depth + 1)),
      depth,
    );
  }

  #member(key: string, value: GoValue, depth: number): string {
    const colon = this.#layout.indent === "" ? ":" : ": ";
    return jsonText(key, this.#layout.escapeHtml) + colon + this.value(value, depth);
  }

  #brackets(pair: "{}" | "[]", parts: readonly string[], depth: number): string {
    const { indent } = this.#layout;
    if (parts.length === 0 || indent === "") return pair.charAt(0) + parts.join(",") + pair.charAt(1);
    const pad = `\n${indent.repeat(depth + 1)}`;
    return pair.charAt(0) + pad + parts.join(`,${pad}`) + `\n${indent.repeat(depth)}` + pair.charAt(1);
  }
}

/** Writes a value as Go's `encoding/json` does. Throws {@link JsonError}. */
export function writeJson(value: GoValue, layout: Partial<JsonLayout> = {}): string {
  return new Writer({ escapeHtml: true, indent: "", ...layout }).value(value, 0);
}

/** What data is for: in JSON nil maps and slices are null and texts valid; Go's YAML writer has empty ones, and bytes. */
export type DataForm = "json" | "yaml";

/** A value as plain data, which is what writing it as JSON and reading that back gives. Throws {@link JsonError}. */
export function toData(value: GoValue, depth = 0, form: DataForm = "json"): unknown {
  if (depth > maxDepth) throw new JsonError(`json: unsupported value: nested deeper than ${maxDepth} levels`);
  if (typeof value === "string") return textData(value, form);
  if (typeof value === "number") {
    if (!Number.isFinite(value)) jsonNumber(value);
    return value;
  }
  if (value instanceof Map) return mapData(value, depth, form);
  return Array.isArray(value) ? value.map((item) => toData(item, depth + 1, form)) : specialData(value, depth, form);
}

const textData = (text: string, form: DataForm): string | Uint8Array =>
  form === "yaml" && hasRawBytes(text) ? toBytes(text) : toValidText(text);

function mapData(value: GoMap, depth: number, form: DataForm): unknown {
  if (form === "json" && value instanceof NilMap) return null;
  const map = new Map<string, unknown>();
  for (const [key, item] of value) map.set(toValidText(key), toData(item, depth + 1, form));
  return map;
}

function specialData(value: GoValue, depth: number, form: DataForm): unknown {
  if (value instanceof Int) return value.value;
  if (value instanceof Bytes) return Buffer.from(value.data).toString("base64");
  if (form === "json" && isNilCollection(value)) return null;
  const items = listItems(value);
  if (items !== undefined) return items.map((item) => toData(item, depth + 1, form));
  if (isGoObject(value)) return toData(value.toData === undefined ? null : value.toData(), depth, form);
  return value ?? null;
}
