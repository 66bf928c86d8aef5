import type { JsonValue } from "./types.ts";

/** How one kind of JSON text differs from another. */
interface Style {
  readonly sorted: boolean;
  readonly text: (text: string) => string;
  readonly number: (value: number | bigint) => string;
}

// Go escapes what would end a script element or a line of JavaScript.
const escapes: Readonly<Record<string, string>> = {
  "<": "\\u003c",
  ">": "\\u003e",
  "&": "\\u0026",
  "\u2028": "\\u2028",
  "\u2029": "\\u2029",
};

function goText(text: string): string {
  return JSON.stringify(text).replace(/[<>&\u2028\u2029]/g, (found) => escapes[found] ?? found);
}

function goNumber(value: number): string {
  return Object.is(value, -0) ? "-0" : JSON.stringify(value);
}

const styles = {
  exact: {
    sorted: false,
    text: goText,
    number: (value) => (typeof value === "bigint" ? value.toString() : goNumber(value)),
  },
  floating: { sorted: false, text: goText, number: (value) => goNumber(Number(value)) },
  canonical: { sorted: true, text: (text) => JSON.stringify(text), number: (value) => JSON.stringify(Number(value)) },
} as const satisfies Readonly<Record<string, Style>>;

function encode(value: JsonValue, style: Style): string {
  if (typeof value === "string") return style.text(value);
  if (typeof value === "bigint" || typeof value === "number") return style.number(value);
  if (Array.isArray(value)) return `[${value.map((entry: JsonValue) => encode(entry, style)).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const entries = Object.entries(value);
  const ordered = style.sorted ? entries.toSorted(([a], [b]) => (a < b ? -1 : 1)) : entries;
  return `{${ordered.map(([key, entry]) => `${style.text(key)}:${encode(entry, style)}`).join(",")}}`;
}

/** Compact JSON as Go's `encoding/json` writes it, keys in the order of the object, integers with all digits. */
export function encodeJson(value: JsonValue): string {
  return encode(value, styles.exact);
}

/** As {@link encodeJson}, but every number has become a float on its way, as in a Go map. */
export function encodeFloating(value: JsonValue): string {
  return encode(value, styles.floating);
}

/** Canonical JSON of RFC 8785: keys by UTF-16 code units, numbers and strings as ECMAScript writes them. */
export function encodeCanonical(value: JsonValue): string {
  return encode(value, styles.canonical);
}

/** Parses JSON without losing digits of integers. Throws SyntaxError. */
export function parseExactJson(text: string): JsonValue {
  const keepDigits = (_key: string, value: unknown, context?: { readonly source?: string }): unknown => {
    const exact = typeof value !== "number" || Number.isSafeInteger(value) || !/^-?\d+$/.test(context?.source ?? "");
    return exact ? value : BigInt(context?.source ?? value);
  };
  return JSON.parse(text, keepDigits) as JsonValue;
}
