/** Where a JSON text stands: what the next byte that is no blank has to be. */
type Place = "value" | "first-element" | "first-key" | "key" | "colon" | "after-pair" | "after-element" | "end";

const inPlace: Readonly<Record<Place, string>> = {
  value: "looking for beginning of value",
  "first-element": "looking for beginning of value",
  "first-key": "looking for beginning of object key string",
  key: "looking for beginning of object key string",
  colon: "after object key",
  "after-pair": "after object key:value pair",
  "after-element": "after array element",
  end: "after top-level value",
};
const endOfInput = "unexpected end of JSON input";
const depthLimit = 1_000;

/** What makes a text no JSON, in the words of Go's `encoding/json`; `undefined` for valid JSON. */
export function jsonProblem(text: string): string | undefined {
  return new Checker(Buffer.from(text).toString("latin1")).check();
}

/** Walks over bytes, as Go does, one char each. */
class Checker {
  readonly #text: string;
  readonly #open: ("{" | "[")[] = [];
  #at = 0;
  #place: Place = "value";
  #problem: string | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  check(): string | undefined {
    while (this.#problem === undefined) {
      const char = this.#skipBlanks();
      if (char === undefined) return this.#place === "end" ? undefined : endOfInput;
      if (!this.#token(char)) this.#refuse(inPlace[this.#place]);
    }
    return this.#problem;
  }

  #skipBlanks(): string | undefined {
    while (" \t\r\n".includes(this.#text[this.#at] ?? "x")) this.#at += 1;
    return this.#text[this.#at];
  }

  /** Reads one token; false when it may not stand here. */
  #token(char: string): boolean {
    if (this.#isClosedBy(char)) return this.#close();
    if (this.#isAt("value", "first-element")) return this.#value(char);
    if (char === '"') return this.#isAt("first-key", "key") && this.#string() && this.#goTo("colon");
    return this.#separator(char);
  }

  #separator(char: string): boolean {
    if (char === ":") return this.#isAt("colon") && this.#step() && this.#goTo("value");
    return char === "," && this.#isAt("after-pair", "after-element") && this.#step() && this.#next();
  }

  #isAt(...places: readonly Place[]): boolean {
    return places.includes(this.#place);
  }

  #isClosedBy(char: string): boolean {
    if (this.#open.at(-1) === "{") return char === "}" && this.#isAt("first-key", "after-pair");
    return this.#open.length > 0 && char === "]" && this.#isAt("first-element", "after-element");
  }

  #close(): boolean {
    this.#open.pop();
    return this.#step() && this.#afterValue();
  }

  #next(): boolean {
    return this.#goTo(this.#place === "after-pair" ? "key" : "value");
  }

  #value(char: string): boolean {
    if (char === "{" || char === "[") {
      this.#open.push(char);
      if (this.#open.length > depthLimit) return this.#refuse("exceeded max depth");
      return this.#step() && this.#goTo(char === "{" ? "first-key" : "first-element");
    }
    const isRead = char === '"' ? this.#string() : this.#number(char) || this.#literal(char);
    return isRead && this.#afterValue();
  }

  #afterValue(): boolean {
    const parent = this.#open.at(-1);
    if (parent === undefined) return this.#goTo("end");
    return this.#goTo(parent === "{" ? "after-pair" : "after-element");
  }

  /** True, also for a broken string, whose problem is on record then. */
  #string(): boolean {
    for (this.#at += 1; this.#text[this.#at] !== '"'; this.#at += 1) {
      const char = this.#text[this.#at];
      if (char === undefined) return this.#fail(endOfInput);
      if (char < " ") return this.#refuse("in string literal");
      if (char === "\\" && !this.#escape()) return true;
    }
    return this.#step();
  }

  /** Stands on the last char of an escape afterwards. */
  #escape(): boolean {
    this.#at += 1;
    const char = this.#text[this.#at];
    if (char !== "u")
      return char !== undefined && '"\\/bfnrt'.includes(char) ? true : !this.#refuse("in string escape code");
    for (let digit = 0; digit < 4; digit += 1) {
      this.#at += 1;
      if (!/^[0-9a-fA-F]$/.test(this.#text[this.#at] ?? ""))
        return !this.#refuse("in \\u hexadecimal character escape");
    }
    return true;
  }

  #number(first: string): boolean {
    if (!/^[-\d]$/.test(first)) return false;
    if (first === "-") this.#at += 1;
    if (this.#text[this.#at] === "0") this.#at += 1;
    else if (!this.#digits("in numeric literal")) return true;
    if (this.#text[this.#at] === ".") {
      this.#at += 1;
      if (!this.#digits("after decimal point in numeric literal")) return true;
    }
    return this.#exponent();
  }

  #exponent(): boolean {
    if (!/^[eE]$/.test(this.#text[this.#at] ?? "")) return true;
    this.#at += 1;
    if (/^[-+]$/.test(this.#text[this.#at] ?? "")) this.#at += 1;
    this.#digits("in exponent of numeric literal");
    return true;
  }

  #digits(where: string): boolean {
    const start = this.#at;
    while (/^\d$/.test(this.#text[this.#at] ?? "")) this.#at += 1;
    return this.#at > start || !this.#refuse(where);
  }

  #literal(first: string): boolean {
    const word = ["true", "false", "null"].find((one) => one.startsWith(first));
    if (word === undefined) return false;
    for (const expected of word) {
      if (this.#text[this.#at] !== expected) return this.#refuse(`in literal ${word} (expecting '${expected}')`);
      this.#at += 1;
    }
    return true;
  }

  #step(): true {
    this.#at += 1;
    return true;
  }

  #goTo(place: Place): true {
    this.#place = place;
    return true;
  }

  #refuse(where: string): true {
    const char = this.#text[this.#at];
    return this.#fail(char === undefined ? endOfInput : `invalid character ${quoted(char)} ${where}`);
  }

  #fail(problem: string): true {
    this.#problem ??= problem;
    return true;
  }
}

const escapes: Readonly<Record<string, string>> = {
  "'": "\\'",
  "\\": "\\\\",
  "\u0007": "\\a",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
};

/** A byte in single quotes as Go writes it. */
function quoted(char: string): string {
  const code = char.charCodeAt(0);
  if (code >= 0x20 && code < 0x7f) return `'${escapes[char] ?? char}'`;
  const hex = code.toString(16);
  const unprintable = code < 0x80 ? `\\x${hex.padStart(2, "0")}` : `\\u${hex.padStart(4, "0")}`;
  const isPrintable = code > 0xa0 && code !== 0xad;
  return `'${escapes[char] ?? (isPrintable ? char : unprintable)}'`;
}
