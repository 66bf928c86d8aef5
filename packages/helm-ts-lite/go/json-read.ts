import { toBytes } from "./bytes.ts";
import { JsonError } from "./json-write.ts";
import { quoteRune } from "./quote.ts";
import type { GoMap, GoValue } from "./values.ts";

const maxDepth = 10_000;
const number = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?/y;
const space = /[ \t\r\n]*/y;
const plainChars = /[ !#-[\]-\uffff]*/y;

/** `'x'` as Go's JSON errors show a character. */
function charName(char: string): string {
  if (char === "'") return "'\\''";
  return char === '"' ? `'"'` : quoteRune(char.codePointAt(0) ?? 0);
}

/** Reads JSON as Go's `encoding/json` does into an empty interface: numbers are floats, the last of equal keys wins. */
class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  get offset(): number {
    return this.#at;
  }

  prefix(): GoValue {
    return this.#value("looking for beginning of value", 0);
  }

  document(): GoValue {
    const value = this.prefix();
    this.#skip();
    if (this.#at < this.#text.length) throw this.#invalid("after top-level value");
    return value;
  }

  #skip(): void {
    space.lastIndex = this.#at;
    space.exec(this.#text);
    this.#at = space.lastIndex;
  }

  #invalid(where: string): JsonError {
    if (this.#at >= this.#text.length) return new JsonError("unexpected end of JSON input", true);
    // Go looks at bytes, and shows the first one of a character as if it were one itself.
    const [byte = 0] = toBytes(this.#text.slice(this.#at, this.#at + 2));
    const char = String.fromCharCode(byte);
    return new JsonError(`invalid character ${charName(char)} ${where}`);
  }

  /** An error inside a word, number or escape; at the end of the text Go blames the blank that it tries there. */
  #broken(where: string): JsonError {
    return this.#at < this.#text.length ? this.#invalid(where) : new JsonError(`invalid character ' ' ${where}`, true);
  }

  #value(where: string, depth: number): GoValue {
    if (depth > maxDepth) throw new JsonError("exceeded max depth");
    this.#skip();
    const char = this.#text.charAt(this.#at);
    if (char === "{") return this.#object(depth);
    if (char === "[") return this.#array(depth);
    if (char === '"') return this.#string();
    if (char === "-" || (char >= "0" && char <= "9")) return this.#number();
    return this.#word(char, where);
  }

  #word(char: string, where: string): GoValue {
    const words: Readonly<Record<string, readonly [string, GoValue]>> = {
      t: ["true", true],
      f: ["false", false],
      n: ["null", null],
    };
    const known = words[char];
    if (known === undefined) throw this.#invalid(where);
    const [word, value] = known;
    for (let index = 1; index < word.length; index++) {
      this.#at++;
      if (this.#text.charAt(this.#at) !== word.charAt(index)) {
        throw this.#broken(`in literal ${word} (expecting '${word.charAt(index)}')`);
      }
    }
    this.#at++;
    return value;
  }

  #number(): number {
    number.lastIndex = this.#at;
    const match = number.exec(this.#text)?.[0];
    if (match === undefined) {
      this.#at++;
      throw this.#broken("in numeric literal");
    }
    this.#at += match.length;
    this.#checkNumberEnd(match);
    const value = Number(match);
    if (!Number.isFinite(value))
      throw new JsonError(`json: cannot unmarshal number ${match} into Go value of type float64`);
    return value;
  }

  /** A point or an exponent that the number could not take is an error inside of it. */
  #checkNumberEnd(match: string): void {
    const char = this.#text.charAt(this.#at);
    if (char === "." && !/[.eE]/.test(match)) {
      this.#at++;
      throw this.#broken("after decimal point in numeric literal");
    }
    if ((char === "e" || char === "E") && !/[eE]/.test(match)) {
      this.#at++;
      if (/[-+]/.test(this.#text.charAt(this.#at))) this.#at++;
      throw this.#broken("in exponent of numeric literal");
    }
  }

  #string(): string {
    let text = "";
    this.#at++;
    for (;;) {
      plainChars.lastIndex = this.#at;
      text += plainChars.exec(this.#text)?.[0] ?? "";
      this.#at = plainChars.lastIndex;
      const char = this.#text.charAt(this.#at);
      if (char === '"') break;
      if (char !== "\\") throw this.#invalid("in string literal");
      text += this.#escape();
    }
    this.#at++;
    // A lone surrogate is not a character; Go puts U+FFFD in its place.
    return text.toWellFormed();
  }

  #escape(): string {
    this.#at++;
    const char = this.#text.charAt(this.#at);
    const simple: Readonly<Record<string, string>> = {
      '"': '"',
      "\\": "\\",
      "/": "/",
      b: "\b",
      f: "\f",
      n: "\n",
      r: "\r",
      t: "\t",
    };
    const known = simple[char];
    if (known === undefined && char !== "u") throw this.#broken("in string escape code");
    this.#at++;
    return known ?? this.#unicode();
  }

  #unicode(): string {
    for (let index = 0; index < 4; index++) {
      if (!/[0-9a-fA-F]/.test(this.#text.charAt(this.#at + index))) {
        this.#at += index;
        throw this.#broken("in \\u hexadecimal character escape");
      }
    }
    const code = Number.parseInt(this.#text.slice(this.#at, this.#at + 4), 16);
    this.#at += 4;
    return String.fromCharCode(code);
  }

  #array(depth: number): GoValue[] {
    const items: GoValue[] = [];
    this.#at++;
    this.#skip();
    if (this.#text.charAt(this.#at) === "]") {
      this.#at++;
      return items;
    }
    for (;;) {
      items.push(this.#value("looking for beginning of value", depth + 1));
      if (this.#closes("]", "after array element")) return items;
    }
  }

  /** Reads the comma or the bracket behind a member. */
  #closes(bracket: string, where: string): boolean {
    this.#skip();
    const char = this.#text.charAt(this.#at);
    if (char !== bracket && char !== ",") throw this.#invalid(where);
    this.#at++;
    return char === bracket;
  }

  #object(depth: number): GoMap {
    const map: GoMap = new Map();
    this.#at++;
    this.#skip();
    if (this.#text.charAt(this.#at) === "}") {
      this.#at++;
      return map;
    }
    for (;;) {
      this.#skip();
      if (this.#text.charAt(this.#at) !== '"') throw this.#invalid("looking for beginning of object key string");
      const key = this.#string();
      this.#skip();
      if (this.#text.charAt(this.#at) !== ":") throw this.#invalid("after object key");
      this.#at++;
      map.set(key, this.#value("looking for beginning of value", depth + 1));
      if (this.#closes("}", "after object key:value pair")) return map;
    }
  }
}

/** Reads a JSON text. Throws {@link JsonError} in Go's words. */
export function readJson(text: string): GoValue {
  return new Reader(text).document();
}

/** How JSON errors name what was found. */
export function jsonKind(value: unknown): string {
  if (Array.isArray(value)) return "array";
  if (value instanceof Map) return "object";
  return typeof value === "boolean" ? "bool" : typeof value;
}

/** The error of a value that does not fit the wanted Go type. */
export function wrongJsonType(value: unknown, wanted: string): string {
  return `json: cannot unmarshal ${jsonKind(value)} into Go value of type ${wanted}`;
}

/** Reads the JSON value that a text begins with and tells its length. Throws {@link JsonError}. */
export function readJsonPrefix(text: string): { readonly value: GoValue; readonly length: number } {
  const reader = new Reader(text);
  return { value: reader.prefix(), length: reader.offset };
}
