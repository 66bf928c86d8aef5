import { isBlankOrEnd, isBreak, isBreakOrEnd, isEnd, isSpaceOrTab } from "./chars.ts";
import { Cursor, scanBlock, scanPlain, scanQuoted } from "./scalar-scanner.ts";
import { scanTag } from "./tag-scanner.ts";
import { type Token, type TokenType, YamlProblem } from "./tokens.ts";

/** A place where a key without `?` may have begun. */
interface SimpleKey {
  /** Cleared once a key can no longer begin here. */
  possible: boolean;
  /** The place is where the block mapping needs a key. */
  readonly required: boolean;
  readonly tokenNumber: number;
  readonly offset: number;
  readonly line: number;
  readonly column: number;
}

const noKey = (tokenNumber: number): SimpleKey => ({
  possible: false,
  required: false,
  tokenNumber,
  offset: 0,
  line: 0,
  column: 0,
});

/** A key must end within this many characters. */
const maxKeyLength = 1_024;
/** Go reads its input in pieces of this size, and refuses a piece before anything in it is scanned. */
const chunkLength = 512;

const cannotStartPlain = new Set(Array.from("-?:,[]{}#&*!|>'\"%@`", (char) => char.charCodeAt(0)));

/** Splits a text into tokens as libyaml does, with its look-ahead for keys and its error texts. */
export class Scanner {
  readonly #cursor: Cursor;
  readonly #queue: Token[] = [];
  #head = 0;
  /** The token at the head, once it is known to stay there. */
  #ready: Token | undefined;
  /** Tokens handed out so far. */
  #parsed = 0;
  /** One per level of flow collections. */
  readonly #keys: SimpleKey[] = [noKey(-1)];
  /** Keys that make the scanner look ahead, by the number of their first token. */
  readonly #awaited = new Map<number, SimpleKey>();
  readonly #indents: number[] = [];
  #ended = false;
  /** From here on the text cannot be read: it holds a control character. */
  readonly #barrier: number;

  constructor(text: string, control: number) {
    this.#cursor = new Cursor(text);
    this.#barrier = control < 0 ? Number.POSITIVE_INFINITY : Math.floor(control / chunkLength) * chunkLength;
  }

  peek(): Token {
    this.#ready ??= this.#first();
    return this.#ready;
  }

  #first(): Token {
    while (this.#needsMore()) this.#fetch();
    const token = this.#queue[this.#head];
    if (token === undefined) throw this.#cursor.problem("found unexpected end of stream");
    return token;
  }

  next(): Token {
    const token = this.peek();
    this.#ready = undefined;
    this.#head++;
    this.#parsed++;
    if (this.#head === this.#queue.length) {
      this.#queue.length = 0;
      this.#head = 0;
    }
    return token;
  }

  /** The token at the head may still turn out to be a key. */
  #needsMore(): boolean {
    if (this.#head === this.#queue.length) return !this.#ended || this.#queue.length === 0;
    const key = this.#awaited.get(this.#parsed);
    return key !== undefined && this.#isValid(key);
  }

  #isValid(key: SimpleKey): boolean {
    if (!key.possible) return false;
    const cursor = this.#cursor;
    if (key.line === cursor.line && key.offset + maxKeyLength >= cursor.offset) return true;
    if (key.required) throw cursor.problem("could not find expected ':'", key.line);
    key.possible = false;
    return false;
  }

  #push(type: TokenType, init: { offset: number; line: number; text?: string; plain?: boolean }): void {
    this.#queue.push(token(type, init));
  }

  #fetch(): void {
    const cursor = this.#cursor;
    this.#skipToToken();
    this.#unroll(cursor.column);
    if (cursor.offset + 3 >= this.#barrier)
      throw new YamlProblem("control characters are not allowed", { offset: cursor.offset, line: 0 });
    const code = cursor.code();
    if (isEnd(code)) this.#streamEnd();
    else if (cursor.offset === cursor.lineStart && this.#lineMark(code)) return;
    else (this.#indicators[code] ?? this.#plain)(code);
    if (cursor.offset > this.#barrier)
      throw new YamlProblem("control characters are not allowed", { offset: cursor.offset, line: 0 });
  }

  /** Directives and document marks, which stand at the start of a line only. */
  #lineMark(code: number): boolean {
    const cursor = this.#cursor;
    if (code === 0x25) {
      this.#directive();
      return true;
    }
    if (!cursor.atDocumentMark()) return false;
    this.#endAll();
    this.#push(code === 0x2d ? "documentStart" : "documentEnd", cursor);
    cursor.offset += 3;
    return true;
  }

  readonly #indicators: Readonly<Record<number, (code: number) => void>> = {
    0x5b: () => this.#flowStart("flowSequenceStart"),
    0x7b: () => this.#flowStart("flowMappingStart"),
    0x5d: () => this.#flowEnd("flowSequenceEnd"),
    0x7d: () => this.#flowEnd("flowMappingEnd"),
    0x2c: () => this.#flowEntry(),
    0x2d: (code) => (isBlankOrEnd(this.#cursor.code(1)) ? this.#blockEntry() : this.#plain(code)),
    0x3f: (code) => (this.#standsAlone() ? this.#key() : this.#plain(code)),
    0x3a: (code) => (this.#standsAlone() ? this.#value() : this.#plain(code)),
    0x2a: () => this.#anchor("alias"),
    0x26: () => this.#anchor("anchor"),
    0x21: () => this.#tag(),
    0x7c: (code) => (this.#cursor.flowLevel === 0 ? this.#block(true) : this.#plain(code)),
    0x3e: (code) => (this.#cursor.flowLevel === 0 ? this.#block(false) : this.#plain(code)),
    0x27: () => this.#quoted(true),
    0x22: () => this.#quoted(false),
  };

  /** `?` and `:` are indicators everywhere in flow collections, elsewhere in front of a blank. */
  #standsAlone(): boolean {
    return this.#cursor.flowLevel > 0 || isBlankOrEnd(this.#cursor.code(1));
  }

  #skipToToken(): void {
    const cursor = this.#cursor;
    for (;;) {
      if (cursor.offset === cursor.lineStart && cursor.code() === 0xfeff) cursor.offset++;
      while (this.#isSkipped(cursor.code())) cursor.offset++;
      if (cursor.code() === 0x23) while (!isBreakOrEnd(cursor.code())) cursor.offset++;
      if (!isBreak(cursor.code())) return;
      cursor.takeBreak();
      if (cursor.flowLevel === 0) cursor.simpleKeyAllowed = true;
    }
  }

  /** Tabs are white space, except where a block key could begin. */
  #isSkipped(code: number): boolean {
    if (code === 0x20) return true;
    return code === 0x09 && (this.#cursor.flowLevel > 0 || !this.#cursor.simpleKeyAllowed);
  }

  #unroll(column: number): void {
    const cursor = this.#cursor;
    if (cursor.flowLevel > 0) return;
    while (cursor.indent > column) {
      this.#push("blockEnd", cursor);
      cursor.indent = this.#indents.pop() ?? -1;
    }
  }

  /** Opens a block collection when the column is deeper than the current one. */
  #roll(column: number, type: TokenType, at: { offset: number; line: number }, tokenNumber?: number): void {
    const cursor = this.#cursor;
    if (cursor.flowLevel > 0 || cursor.indent >= column) return;
    this.#indents.push(cursor.indent);
    cursor.indent = column;
    if (tokenNumber === undefined) this.#push(type, at);
    else this.#insert(tokenNumber, type, at);
  }

  /** Puts a token in front of one that is still in the queue; if that is gone, libyaml puts it at the end. */
  #insert(tokenNumber: number, type: TokenType, at: { offset: number; line: number }): void {
    const index = tokenNumber - this.#parsed;
    if (index < 0) this.#push(type, at);
    else this.#queue.splice(this.#head + index, 0, token(type, at));
  }

  #nextTokenNumber(): number {
    return this.#parsed + this.#queue.length - this.#head;
  }

  #topKey(): SimpleKey {
    return this.#keys.at(-1) ?? noKey(-1);
  }

  #saveKey(): void {
    const cursor = this.#cursor;
    if (!cursor.simpleKeyAllowed) return;
    this.#removeKey();
    const key = {
      possible: true,
      required: cursor.flowLevel === 0 && cursor.indent === cursor.column,
      tokenNumber: this.#nextTokenNumber(),
      offset: cursor.offset,
      line: cursor.line,
      column: cursor.column,
    };
    this.#keys[this.#keys.length - 1] = key;
    this.#awaited.set(key.tokenNumber, key);
  }

  #removeKey(): void {
    const key = this.#topKey();
    if (!key.possible) return;
    if (key.required) throw this.#cursor.problem("could not find expected ':'", key.line);
    key.possible = false;
    this.#awaited.delete(key.tokenNumber);
  }

  #endAll(): void {
    this.#unroll(-1);
    this.#removeKey();
    this.#cursor.simpleKeyAllowed = false;
  }

  #streamEnd(): void {
    const cursor = this.#cursor;
    if (cursor.offset !== cursor.lineStart) {
      cursor.lineStart = cursor.offset;
      cursor.line++;
    }
    this.#endAll();
    this.#push("streamEnd", cursor);
    this.#ended = true;
  }

  #flowStart(type: TokenType): void {
    const cursor = this.#cursor;
    this.#saveKey();
    this.#keys.push(noKey(this.#nextTokenNumber()));
    cursor.flowLevel++;
    cursor.simpleKeyAllowed = true;
    this.#push(type, cursor);
    cursor.offset++;
  }

  #flowEnd(type: TokenType): void {
    const cursor = this.#cursor;
    this.#removeKey();
    if (cursor.flowLevel > 0) {
      cursor.flowLevel--;
      // An empty collection has no key of its own; libyaml then forgets to look ahead for the one it may be itself.
      this.#awaited.delete(this.#keys.pop()?.tokenNumber ?? -1);
    }
    cursor.simpleKeyAllowed = false;
    this.#push(type, cursor);
    cursor.offset++;
  }

  #flowEntry(): void {
    this.#removeKey();
    this.#cursor.simpleKeyAllowed = true;
    this.#push("flowEntry", this.#cursor);
    this.#cursor.offset++;
  }

  #blockEntry(): void {
    const cursor = this.#cursor;
    if (cursor.flowLevel === 0) {
      if (!cursor.simpleKeyAllowed) throw cursor.problem("block sequence entries are not allowed in this context");
      this.#roll(cursor.column, "blockSequenceStart", cursor);
    }
    this.#removeKey();
    cursor.simpleKeyAllowed = true;
    this.#push("blockEntry", cursor);
    cursor.offset++;
  }

  #key(): void {
    const cursor = this.#cursor;
    if (cursor.flowLevel === 0) {
      if (!cursor.simpleKeyAllowed) throw cursor.problem("mapping keys are not allowed in this context");
      this.#roll(cursor.column, "blockMappingStart", cursor);
    }
    this.#removeKey();
    cursor.simpleKeyAllowed = cursor.flowLevel === 0;
    this.#push("key", cursor);
    cursor.offset++;
  }

  #value(): void {
    const cursor = this.#cursor;
    const key = this.#topKey();
    if (this.#isValid(key)) {
      this.#insert(key.tokenNumber, "key", key);
      this.#roll(key.column, "blockMappingStart", key, key.tokenNumber);
      key.possible = false;
      this.#awaited.delete(key.tokenNumber);
      cursor.simpleKeyAllowed = false;
    } else {
      if (cursor.flowLevel === 0) {
        if (!cursor.simpleKeyAllowed) throw cursor.problem("mapping values are not allowed in this context");
        this.#roll(cursor.column, "blockMappingStart", cursor);
      }
      cursor.simpleKeyAllowed = cursor.flowLevel === 0;
    }
    this.#push("value", cursor);
    cursor.offset++;
  }

  #anchor(type: "anchor" | "alias"): void {
    const cursor = this.#cursor;
    this.#saveKey();
    cursor.simpleKeyAllowed = false;
    const { offset, line } = cursor;
    const name = /^[0-9A-Za-z_-]*/.exec(cursor.text.slice(offset + 1, offset + 1 + maxKeyLength))?.[0] ?? "";
    cursor.offset += 1 + name.length;
    const ended = isBlankOrEnd(cursor.code()) || "?:,]}%@`".includes(cursor.text.charAt(cursor.offset));
    if (name === "" || !ended) throw cursor.problem("did not find expected alphabetic or numeric character", line);
    this.#push(type, { offset, line, text: name });
  }

  #tag(): void {
    const cursor = this.#cursor;
    this.#saveKey();
    cursor.simpleKeyAllowed = false;
    const { offset, line } = cursor;
    const text = scanTag(cursor);
    if (!isBlankOrEnd(cursor.code())) throw cursor.problem("did not find expected whitespace or line break", line);
    this.#push("tag", { offset, line, text });
  }

  #block(literal: boolean): void {
    const cursor = this.#cursor;
    this.#removeKey();
    cursor.simpleKeyAllowed = true;
    const { offset, line } = cursor;
    this.#push("scalar", { offset, line, text: scanBlock(cursor, literal) });
  }

  #quoted(single: boolean): void {
    const cursor = this.#cursor;
    this.#saveKey();
    cursor.simpleKeyAllowed = false;
    const { offset, line } = cursor;
    this.#push("scalar", { offset, line, text: scanQuoted(cursor, single) });
  }

  readonly #plain = (code: number): void => {
    const cursor = this.#cursor;
    if (!this.#startsPlain(code)) throw cursor.problem("found character that cannot start any token", cursor.line);
    this.#saveKey();
    cursor.simpleKeyAllowed = false;
    const { offset, line } = cursor;
    this.#push("scalar", { offset, line, text: scanPlain(cursor), plain: true });
  };

  #startsPlain(code: number): boolean {
    const next = this.#cursor.code(1);
    if (code === 0x2d) return !isSpaceOrTab(next);
    if (code === 0x3f || code === 0x3a) return this.#cursor.flowLevel === 0 && !isBlankOrEnd(next);
    return !isBlankOrEnd(code) && !cannotStartPlain.has(code);
  }

  #directive(): void {
    const cursor = this.#cursor;
    this.#endAll();
    const { offset, line } = cursor;
    const [text = "", name = ""] =
      /^%([0-9A-Za-z_-]*)[^\r\n\u0085\u2028\u2029#]*/.exec(cursor.text.slice(offset, offset + maxKeyLength)) ?? [];
    if (name === "") throw cursor.problem("could not find expected directive name", line);
    if (!isBlankOrEnd(cursor.text.charCodeAt(offset + 1 + name.length))) {
      throw cursor.problem("found unexpected non-alphabetical character", line);
    }
    if (name !== "YAML" && name !== "TAG") throw cursor.problem("found unknown directive name", line);
    cursor.offset += text.length;
    while (!isBreakOrEnd(cursor.code())) cursor.offset++;
    this.#push("directive", { offset, line, text: text.trim() });
  }
}

function token(
  type: TokenType,
  { offset, line, text = "", plain = false }: { offset: number; line: number; text?: string; plain?: boolean },
): Token {
  return { type, offset, line, text, plain };
}
