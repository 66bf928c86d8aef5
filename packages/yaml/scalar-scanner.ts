import { isBlankOrEnd, isBreak, isBreakOrEnd, isSpaceOrTab } from "./chars.ts";
import { YamlProblem } from "./tokens.ts";

/** Where the scanner stands; shared by the scanners of the several sorts of scalars. */
export class Cursor {
  readonly text: string;
  offset = 0;
  /** Counted from 0. */
  line = 0;
  lineStart = 0;
  /** Column of the innermost block collection, -1 outside of all. */
  indent = -1;
  flowLevel = 0;
  simpleKeyAllowed = true;

  constructor(text: string) {
    this.text = text;
  }

  get column(): number {
    return this.offset - this.lineStart;
  }

  code(ahead = 0): number {
    return this.text.charCodeAt(this.offset + ahead);
  }

  /** Skips a line break, CR LF as one, and gives it as it counts in a scalar. */
  takeBreak(): string {
    const code = this.code();
    this.offset += code === 0x0d && this.code(1) === 0x0a ? 2 : 1;
    this.line++;
    this.lineStart = this.offset;
    return code === 0x2028 || code === 0x2029 ? String.fromCharCode(code) : "\n";
  }

  /** `---` or `...` at the start of a line. */
  atDocumentMark(): boolean {
    if (this.offset !== this.lineStart) return false;
    const marked = this.text.startsWith("---", this.offset) || this.text.startsWith("...", this.offset);
    return marked && isBlankOrEnd(this.code(3));
  }

  /** An error of the scanner at the current place; `context` is the line where what it belongs to began. */
  problem(text: string, context = 0): YamlProblem {
    const line = this.line === 0 ? context : this.line + 1;
    return new YamlProblem(text, { offset: this.offset, line });
  }
}

/** Collects white space and line breaks between words, and says what they become. */
class Gap {
  blanks = "";
  leading = "";
  trailing = "";
  /** A line break was seen. */
  broken = false;

  /** Takes blanks and breaks up to the next word; blanks at the start of a line do not count. */
  take(cursor: Cursor, onIndentTab?: () => void): void {
    for (;;) {
      const code = cursor.code();
      if (isSpaceOrTab(code)) {
        if (this.broken && code === 0x09) onIndentTab?.();
        if (!this.broken) this.blanks += cursor.text.charAt(cursor.offset);
        cursor.offset++;
      } else if (isBreak(code)) {
        this.#break(cursor.takeBreak());
      } else {
        return;
      }
    }
  }

  #break(text: string): void {
    if (this.broken) {
      this.trailing += text;
      return;
    }
    this.blanks = "";
    this.leading = text;
    this.broken = true;
  }

  /** What the gap becomes: blanks as they are, one line break a blank, more of them one less. */
  join(): string {
    const joined = this.broken ? this.#folded() : this.blanks;
    this.blanks = "";
    this.leading = "";
    this.trailing = "";
    this.broken = false;
    return joined;
  }

  #folded(): string {
    if (this.leading.startsWith("\n")) return this.trailing === "" ? " " : this.trailing;
    return this.leading + this.trailing;
  }
}

const endsPlainInFlow = new Set([0x2c, 0x3f, 0x5b, 0x5d, 0x7b, 0x7d]);

/** The end of a word of a plain scalar. */
function plainWordEnd(cursor: Cursor): number {
  const { text } = cursor;
  const flow = cursor.flowLevel > 0;
  let at = cursor.offset;
  for (; ; at++) {
    const code = text.charCodeAt(at);
    if (isBlankOrEnd(code)) return at;
    if (code === 0x3a && isBlankOrEnd(text.charCodeAt(at + 1))) return at;
    if (flow && endsPlainInFlow.has(code)) return at;
  }
}

function takePlainWord(cursor: Cursor): string {
  const start = cursor.offset;
  cursor.offset = plainWordEnd(cursor);
  return cursor.text.slice(start, cursor.offset);
}

const isGap = (code: number): boolean => isSpaceOrTab(code) || isBreak(code);

/** Reads a plain scalar, over several lines if they are indented enough. */
export function scanPlain(cursor: Cursor): string {
  const word = takePlainWord(cursor);
  return isGap(cursor.code()) ? word + scanPlainRest(cursor) : word;
}

function scanPlainRest(cursor: Cursor): string {
  const startLine = cursor.line;
  const indent = cursor.indent + 1;
  const gap = new Gap();
  const tab = (): void => {
    if (cursor.column < indent) throw cursor.problem("found a tab character that violates indentation", startLine);
  };
  let text = "";
  do {
    gap.take(cursor, tab);
    if (cursor.flowLevel === 0 && cursor.column < indent) break;
    if (cursor.atDocumentMark() || cursor.code() === 0x23) break;
    const word = takePlainWord(cursor);
    if (word !== "") text += gap.join() + word;
  } while (isGap(cursor.code()));
  if (gap.broken) cursor.simpleKeyAllowed = true;
  return text;
}

const simpleEscapes: ReadonlyMap<string, string> = new Map([
  ["0", "\0"],
  ["a", "\u0007"],
  ["b", "\b"],
  ["t", "\t"],
  ["\t", "\t"],
  ["n", "\n"],
  ["v", "\v"],
  ["f", "\f"],
  ["r", "\r"],
  ["e", "\u001b"],
  [" ", " "],
  ['"', '"'],
  ["'", "'"],
  ["/", "/"],
  ["\\", "\\"],
  ["N", "\u0085"],
  ["_", "\u00a0"],
  ["L", "\u2028"],
  ["P", "\u2029"],
]);

const hexLengths: ReadonlyMap<string, number> = new Map([
  ["x", 2],
  ["u", 4],
  ["U", 8],
]);

/** Quoted scalars, single or double. */
class QuotedScanner {
  readonly #cursor: Cursor;
  readonly #startLine: number;
  readonly #single: boolean;
  readonly #gap = new Gap();
  #text = "";

  constructor(cursor: Cursor, single: boolean) {
    this.#cursor = cursor;
    this.#startLine = cursor.line;
    this.#single = single;
  }

  scan(): string {
    const cursor = this.#cursor;
    const mark = this.#single ? 0x27 : 0x22;
    cursor.offset++;
    for (;;) {
      if (cursor.atDocumentMark()) throw cursor.problem("found unexpected document indicator", this.#startLine);
      if (cursor.offset >= cursor.text.length) throw cursor.problem("found unexpected end of stream", this.#startLine);
      const escapedBreak = this.#word(mark);
      if (cursor.code() === mark) break;
      this.#gap.broken = escapedBreak;
      this.#gap.take(cursor);
      this.#text += this.#gap.join();
    }
    cursor.offset++;
    return this.#text;
  }

  /** Reads up to white space or the closing mark; true when it ended in an escaped line break. */
  #word(mark: number): boolean {
    const cursor = this.#cursor;
    for (;;) {
      this.#run(mark);
      const code = cursor.code();
      if (isBlankOrEnd(code)) return false;
      if (code === mark) {
        if (!this.#single || cursor.code(1) !== mark) return false;
        this.#text += "'";
        cursor.offset += 2;
      } else if (isBreak(cursor.code(1))) {
        cursor.offset++;
        cursor.takeBreak();
        return true;
      } else {
        this.#escape();
      }
    }
  }

  /** Takes characters that stand for themselves. */
  #run(mark: number): void {
    const { text, offset } = this.#cursor;
    let at = offset;
    for (; ; at++) {
      const code = text.charCodeAt(at);
      if (code === mark || (code === 0x5c && !this.#single) || isBlankOrEnd(code)) break;
    }
    this.#text += text.slice(offset, at);
    this.#cursor.offset = at;
  }

  #escape(): void {
    const cursor = this.#cursor;
    const char = cursor.text.charAt(cursor.offset + 1);
    const simple = simpleEscapes.get(char);
    const length = hexLengths.get(char);
    if (simple === undefined && length === undefined)
      throw cursor.problem("found unknown escape character", this.#startLine);
    cursor.offset += 2;
    this.#text += simple ?? this.#hex(length ?? 0);
  }

  #hex(length: number): string {
    const cursor = this.#cursor;
    const digits = cursor.text.slice(cursor.offset, cursor.offset + length);
    if (!new RegExp(`^[0-9a-fA-F]{${length}}$`).test(digits)) {
      throw cursor.problem("did not find expected hexdecimal number", this.#startLine);
    }
    const code = Number.parseInt(digits, 16);
    if ((code >= 0xd800 && code <= 0xdfff) || code > 0x10ffff) {
      throw cursor.problem("found invalid Unicode character escape code", this.#startLine);
    }
    cursor.offset += length;
    return String.fromCodePoint(code);
  }
}

export function scanQuoted(cursor: Cursor, single: boolean): string {
  return new QuotedScanner(cursor, single).scan();
}

/** Literal and folded block scalars. */
class BlockScanner {
  readonly #cursor: Cursor;
  readonly #startLine: number;
  readonly #literal: boolean;
  /** `-` drops the final line break, `+` keeps all of them. */
  #chomping = "";
  #indent = 0;
  #breaks = "";

  constructor(cursor: Cursor, literal: boolean) {
    this.#cursor = cursor;
    this.#startLine = cursor.line;
    this.#literal = literal;
  }

  scan(): string {
    const cursor = this.#cursor;
    cursor.offset++;
    this.#header();
    this.#eatBreaks();
    let text = "";
    let leading = "";
    let blankBefore = false;
    while (cursor.column === this.#indent && cursor.offset < cursor.text.length) {
      const blank = isSpaceOrTab(cursor.code());
      text += this.#join(leading, blankBefore || blank);
      blankBefore = blank;
      text += this.#takeLine();
      leading = cursor.offset < cursor.text.length ? cursor.takeBreak() : "";
      this.#eatBreaks();
    }
    if (this.#chomping !== "-") text += leading;
    return this.#chomping === "+" ? text + this.#breaks : text;
  }

  /** The line breaks between two lines; a folded scalar makes a blank of a single one, unless a line is indented more. */
  #join(leading: string, indented: boolean): string {
    const breaks = this.#breaks;
    this.#breaks = "";
    if (this.#literal || leading !== "\n" || indented) return leading + breaks;
    return breaks === "" ? " " : breaks;
  }

  #takeLine(): string {
    const cursor = this.#cursor;
    const start = cursor.offset;
    while (!isBreakOrEnd(cursor.code())) cursor.offset++;
    return cursor.text.slice(start, cursor.offset);
  }

  #header(): void {
    const cursor = this.#cursor;
    const digit = this.#headerSigns();
    if (digit === "0") throw cursor.problem("found an indentation indicator equal to 0", this.#startLine);
    while (isSpaceOrTab(cursor.code())) cursor.offset++;
    if (cursor.code() === 0x23) this.#takeLine();
    if (!isBreakOrEnd(cursor.code()))
      throw cursor.problem("did not find expected comment or line break", this.#startLine);
    if (isBreak(cursor.code())) cursor.takeBreak();
    if (digit !== "") this.#indent = Math.max(0, cursor.indent) + Number(digit);
  }

  /** Takes the chomping sign and gives the indentation digit, which may come in either order. */
  #headerSigns(): string {
    const cursor = this.#cursor;
    const head = cursor.text.slice(cursor.offset, cursor.offset + 2);
    const match = /^(?:[+-][0-9]?|[0-9][+-]?)/.exec(head)?.[0] ?? "";
    cursor.offset += match.length;
    this.#chomping = match.replace(/[0-9]/, "");
    return match.replace(/[+-]/, "");
  }

  /** Takes indentation and empty lines; finds the indentation out when it was not given. */
  #eatBreaks(): void {
    const cursor = this.#cursor;
    let deepest = 0;
    for (;;) {
      while (this.#mayIndent() && cursor.code() === 0x20) cursor.offset++;
      deepest = Math.max(deepest, cursor.column);
      if (this.#mayIndent() && cursor.code() === 0x09) {
        throw cursor.problem("found a tab character where an indentation space is expected", this.#startLine);
      }
      if (!isBreak(cursor.code())) break;
      this.#breaks += cursor.takeBreak();
    }
    if (this.#indent === 0) this.#indent = Math.max(deepest, cursor.indent + 1, 1);
  }

  #mayIndent(): boolean {
    return this.#indent === 0 || this.#cursor.column < this.#indent;
  }
}

export function scanBlock(cursor: Cursor, literal: boolean): string {
  return new BlockScanner(cursor, literal).scan();
}
