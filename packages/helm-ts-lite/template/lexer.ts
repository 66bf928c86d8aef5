import { quote } from "../go/quote.ts";
import { trimEnd } from "../go/space.ts";

/** What a token is. `keyword` tokens carry their word in `text`. */
export type TokenType =
  | "assign"
  | "bool"
  | "char"
  | "charConstant"
  | "complex"
  | "declare"
  | "dot"
  | "eof"
  | "error"
  | "field"
  | "identifier"
  | "keyword"
  | "leftDelim"
  | "leftParen"
  | "number"
  | "pipe"
  | "rawString"
  | "rightDelim"
  | "rightParen"
  | "space"
  | "string"
  | "text"
  | "variable";

export interface Token {
  readonly type: TokenType;
  /** Offset in the source, in UTF-16 units. */
  readonly offset: number;
  readonly line: number;
  /** The source text; of an error its message. */
  readonly text: string;
}

const keywords = new Set([
  "block",
  "break",
  "continue",
  "define",
  "else",
  "end",
  "if",
  "nil",
  "range",
  "template",
  "with",
]);

const isSpace = (char: string): boolean => char === " " || char === "\t" || char === "\r" || char === "\n";
const alphaNumeric = /^[_\p{L}\p{Nd}]$/u;
const word = /[_\p{L}\p{Nd}]*/uy;
/** For almost all words: the rules of Unicode take their time to set up. */
const asciiWord = /\w*/y;
const isAlphaNumeric = (char: string): boolean => (char > "\u007f" ? alphaNumeric : /^\w$/).test(char);

/** Ends of an operand: what may follow an identifier, field or variable without a blank. */
const terminators = new Set(["", ".", ",", "|", ":", ")", "("]);

const trimLeft = /[ \t\r\n]*/y;

const digitsOf: Readonly<Record<string, RegExp>> = {
  x: /[0-9a-fA-F_]*/y,
  o: /[0-7_]*/y,
  b: /[01_]*/y,
  "": /[0-9_]*/y,
};

/** Splits the source of a template into tokens, one at a time, so that an error shows only when it is reached. */
export class Lexer {
  readonly #source: string;
  #at = 0;
  #start = 0;
  #line = 1;
  /** The first line break that is not counted yet. */
  #nextBreak: number;
  #inAction = false;
  #parens = 0;
  #failed = false;

  constructor(source: string) {
    this.#source = source;
    this.#nextBreak = source.indexOf("\n");
  }

  next(): Token {
    if (this.#failed) return { type: "eof", offset: this.#start, line: this.#lineAt(this.#start), text: "EOF" };
    this.#start = this.#at;
    return this.#inAction ? this.#insideAction() : this.#text();
  }

  #lineAt(offset: number): number {
    while (this.#nextBreak !== -1 && this.#nextBreak < offset) {
      this.#line++;
      this.#nextBreak = this.#source.indexOf("\n", this.#nextBreak + 1);
    }
    return this.#line;
  }

  #emit(type: TokenType, end = this.#at): Token {
    return { type, offset: this.#start, line: this.#lineAt(this.#start), text: this.#source.slice(this.#start, end) };
  }

  #error(text: string): Token {
    this.#failed = true;
    return { type: "error", offset: this.#start, line: this.#lineAt(this.#start), text };
  }

  #char(): string {
    const code = this.#source.codePointAt(this.#at);
    return code === undefined ? "" : String.fromCodePoint(code);
  }

  #run(pattern: RegExp): void {
    pattern.lastIndex = this.#at;
    pattern.exec(this.#source);
    this.#at = Math.max(this.#at, pattern.lastIndex);
  }

  #text(): Token {
    const open = this.#source.indexOf("{{", this.#at);
    if (open < 0) {
      this.#at = this.#source.length;
      return this.#emit(this.#at > this.#start ? "text" : "eof");
    }
    this.#at = open;
    const text = this.#source.slice(this.#start, open);
    const shown = this.#hasLeftTrim(open + 2) ? trimEnd(text, isSpace) : text;
    if (shown !== "") return this.#emit("text", this.#start + shown.length);
    this.#start = open;
    return this.#leftDelim();
  }

  #hasLeftTrim(offset: number): boolean {
    return this.#source.charAt(offset) === "-" && isSpace(this.#source.charAt(offset + 1));
  }

  #leftDelim(): Token {
    this.#at += 2;
    const marker = this.#hasLeftTrim(this.#at) ? 2 : 0;
    if (this.#source.startsWith("/*", this.#at + marker)) {
      this.#at += marker;
      this.#start = this.#at;
      return this.#comment();
    }
    const token = this.#emit("leftDelim");
    this.#inAction = true;
    this.#at += marker;
    this.#parens = 0;
    return token;
  }

  #comment(): Token {
    const close = this.#source.indexOf("*/", this.#at + 2);
    if (close < 0) return this.#error("unclosed comment");
    this.#at = close + 2;
    const trim = this.#hasRightTrim(this.#at);
    if (!trim && !this.#source.startsWith("}}", this.#at)) return this.#error("comment ends before closing delimiter");
    this.#at += trim ? 4 : 2;
    if (trim) this.#run(trimLeft);
    this.#start = this.#at;
    return this.#text();
  }

  /** ` -}}` at the offset. */
  #hasRightTrim(offset: number): boolean {
    return isSpace(this.#source.charAt(offset)) && this.#source.startsWith("-}}", offset + 1);
  }

  #rightDelim(trim: boolean): Token {
    if (trim) {
      this.#at += 2;
      this.#start = this.#at;
    }
    this.#at += 2;
    const token = this.#emit("rightDelim");
    if (trim) this.#run(trimLeft);
    this.#inAction = false;
    return token;
  }

  #insideAction(): Token {
    const trim = this.#hasRightTrim(this.#at);
    if (trim || this.#source.startsWith("}}", this.#at)) {
      return this.#parens === 0 ? this.#rightDelim(trim) : this.#error("unclosed left paren");
    }
    const char = this.#char();
    if (char === "") return this.#error("unclosed action");
    const lex = this.#special[char];
    if (lex !== undefined) return lex();
    if (char >= "0" && char <= "9") return this.#number();
    return isAlphaNumeric(char) ? this.#identifier() : this.#other(char);
  }

  readonly #special: Readonly<Record<string, () => Token>> = {
    " ": () => this.#space(),
    "\t": () => this.#space(),
    "\r": () => this.#space(),
    "\n": () => this.#space(),
    "=": () => this.#single("assign"),
    ":": () => this.#declare(),
    "|": () => this.#single("pipe"),
    '"': () => this.#quoted('"', "string", "unterminated quoted string"),
    "'": () => this.#quoted("'", "charConstant", "unterminated character constant"),
    "`": () => this.#rawString(),
    $: () => this.#fieldOrVariable("variable"),
    ".": () => this.#dot(),
    "+": () => this.#number(),
    "-": () => this.#number(),
    "(": () => this.#leftParen(),
    ")": () => this.#rightParen(),
  };

  #single(type: TokenType): Token {
    this.#at++;
    return this.#emit(type);
  }

  #other(char: string): Token {
    if (char > " " && char < "\u007f") return this.#single("char");
    return this.#error(`unrecognized character in action: ${unicodeName(char)}`);
  }

  #space(): Token {
    while (isSpace(this.#source.charAt(this.#at))) this.#at++;
    // The last blank belongs to a closing trim marker.
    if (this.#source.startsWith("-}}", this.#at)) {
      this.#at--;
      if (this.#at === this.#start) return this.#rightDelim(true);
    }
    return this.#emit("space");
  }

  #declare(): Token {
    if (this.#source.charAt(this.#at + 1) !== "=") return this.#error("expected :=");
    this.#at += 2;
    return this.#emit("declare");
  }

  #quoted(mark: string, type: TokenType, unterminated: string): Token {
    for (this.#at++; ; this.#at++) {
      const char = this.#source.charAt(this.#at);
      if (char === mark) break;
      if (char === "\\") this.#at++;
      const inside = this.#source.charAt(this.#at);
      if (inside === "" || inside === "\n") return this.#error(unterminated);
    }
    this.#at++;
    return this.#emit(type);
  }

  #rawString(): Token {
    const close = this.#source.indexOf("`", this.#at + 1);
    if (close < 0) return this.#error("unterminated raw quoted string");
    this.#at = close + 1;
    return this.#emit("rawString");
  }

  #leftParen(): Token {
    this.#parens++;
    return this.#single("leftParen");
  }

  #rightParen(): Token {
    this.#parens--;
    return this.#parens < 0 ? this.#error("unexpected right paren") : this.#single("rightParen");
  }

  #dot(): Token {
    const next = this.#source.charAt(this.#at + 1);
    return next >= "0" && next <= "9" ? this.#number() : this.#fieldOrVariable("field");
  }

  #atTerminator(): boolean {
    const char = this.#source.charAt(this.#at);
    return terminators.has(char) || isSpace(char) || this.#source.startsWith("}}", this.#at);
  }

  #badCharacter(): Token {
    return this.#error(`bad character ${unicodeName(this.#char())}`);
  }

  #word(): void {
    this.#run(asciiWord);
    if (this.#source.charAt(this.#at) > "\u007f") this.#run(word);
  }

  #fieldOrVariable(type: "field" | "variable"): Token {
    this.#at++;
    if (this.#atTerminator()) return this.#emit(type === "field" ? "dot" : "variable");
    this.#word();
    return this.#atTerminator() ? this.#emit(type) : this.#badCharacter();
  }

  #identifier(): Token {
    this.#word();
    if (!this.#atTerminator()) return this.#badCharacter();
    const text = this.#source.slice(this.#start, this.#at);
    if (keywords.has(text)) return this.#emit("keyword");
    return this.#emit(text === "true" || text === "false" ? "bool" : "identifier");
  }

  #number(): Token {
    const bad = (): Token => this.#error(`bad number syntax: ${quote(this.#source.slice(this.#start, this.#at))}`);
    if (!this.#scanNumber()) return bad();
    const sign = this.#source.charAt(this.#at);
    if (sign !== "+" && sign !== "-") return this.#emit("number");
    const complex = this.#scanNumber() && this.#source.charAt(this.#at - 1) === "i";
    return complex ? this.#emit("complex") : bad();
  }

  #accept(chars: string): string {
    const char = this.#source.charAt(this.#at);
    if (char === "" || !chars.includes(char)) return "";
    this.#at++;
    return char.toLowerCase();
  }

  #scanNumber(): boolean {
    this.#accept("+-");
    const base = this.#accept("0") === "" ? "" : this.#accept("xXoObB");
    const digits = digitsOf[base] ?? /(?!)/y;
    this.#run(digits);
    if (this.#accept(".") !== "") this.#run(digits);
    const exponent = base === "" ? "eE" : base === "x" ? "pP" : "";
    if (exponent !== "" && this.#accept(exponent) !== "") {
      this.#accept("+-");
      this.#run(/[0-9_]*/y);
    }
    this.#accept("i");
    const next = this.#char();
    if (!isAlphaNumeric(next)) return true;
    this.#at += next.length;
    return false;
  }
}

/** Go's `%#U`: `U+002D '-'`. */
function unicodeName(char: string): string {
  const code = char.codePointAt(0) ?? 0;
  const name = `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
  return /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u.test(char) ? `${name} '${char}'` : name;
}
