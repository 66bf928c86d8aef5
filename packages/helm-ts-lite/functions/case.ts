import { fromBytes, sliceBytes, toBytes, toValidText } from "../go/bytes.ts";
import type { State } from "../template/state.ts";
import { type FuncTable, func } from "./define.ts";

const isUpper = (char: string): boolean => /^\p{Lu}$/u.test(char);
const isLower = (char: string): boolean => /^\p{Ll}$/u.test(char);
const isTitle = (char: string): boolean => /^\p{Lt}$/u.test(char);
const isSpace = (char: string): boolean => /^[\s\u0085]$/u.test(char) && char !== "\ufeff";
const isPunct = (char: string): boolean => /^\p{P}$/u.test(char);
const isNumber = (char: string): boolean => /^\p{N}$/u.test(char);
const isConnector = (char: string): boolean => char === "-" || char === "_" || isSpace(char);

/** Go maps character by character; where JavaScript would give several, the character stays. */
function mapChar(char: string, map: (char: string) => string): string {
  const mapped = map(char);
  return Array.from(mapped).length === 1 ? mapped : char;
}

const special: Readonly<Record<string, string>> = { İ: "i" };
const upperChar = (char: string): string => mapChar(char, (each) => each.toUpperCase());
const lowerChar = (char: string): string => special[char] ?? mapChar(char, (each) => each.toLowerCase());
const digraphs: ReadonlyMap<string, string> = new Map([
  ...["Ǆ", "ǅ", "ǆ"].map((char) => [char, "ǅ"] as const),
  ...["Ǉ", "ǈ", "ǉ"].map((char) => [char, "ǈ"] as const),
  ...["Ǌ", "ǋ", "ǌ"].map((char) => [char, "ǋ"] as const),
  ...["Ǳ", "ǲ", "ǳ"].map((char) => [char, "ǲ"] as const),
]);
const titleChar = (char: string): string => digraphs.get(char) ?? upperChar(char);

const simple = /^[\u0020-\u007e\n\t]*$/;

function upper(text: string): string {
  return simple.test(text) ? text.toUpperCase() : Array.from(text, upperChar).join("");
}

function lower(text: string): string {
  return simple.test(text) ? text.toLowerCase() : Array.from(text, lowerChar).join("");
}

/** Whether a word may begin after this character. */
function endsWord(char: string): boolean {
  if (char <= "\u007f") return !/^[0-9A-Za-z_]$/.test(char);
  return !/^[\p{L}\p{Nd}]$/u.test(char) && isSpace(char);
}

function title(text: string): string {
  let before = " ";
  return Array.from(text, (char) => {
    const starts = endsWord(before);
    before = char;
    return starts ? titleChar(char) : char;
  }).join("");
}

function untitle(text: string): string {
  let starts = true;
  return Array.from(text, (char) => {
    const result = starts && !isSpace(char) ? lowerChar(char) : char;
    starts = isSpace(char);
    return result;
  }).join("");
}

function swapChar(char: string, startsWord: boolean): string {
  if (isUpper(char) || isTitle(char)) return lowerChar(char);
  if (!isLower(char)) return char;
  return startsWord ? titleChar(char) : upperChar(char);
}

function swapcase(text: string): string {
  let starts = true;
  return Array.from(text, (char) => {
    const result = swapChar(char, starts);
    starts = isUpper(char) || isLower(char) || isTitle(char) ? false : isSpace(char);
    return result;
  }).join("");
}

function initials(text: string): string {
  let starts = true;
  let result = "";
  for (const byte of toBytes(text)) {
    const char = String.fromCharCode(byte);
    if (starts && !isSpace(char)) result += char;
    starts = isSpace(char);
  }
  return result;
}

type WordKind = "none" | "number" | "upper" | "lower" | "connector" | "punct" | "other";
interface Word {
  readonly kind: WordKind;
  readonly text: string;
}

const cjk = /[\u3400-\u4dbf\u4e00-\u9fcc\uf900-\ufaff]|[\u{20000}-\u{2fa1f}]/u;
const isAlphabet = (char: string): boolean => /^\p{L}$/u.test(char) && !cjk.test(char);

function kindOf(char: string): WordKind {
  if (isConnector(char)) return "connector";
  if (isPunct(char)) return "punct";
  if (isUpper(char)) return "upper";
  if (isAlphabet(char)) return "lower";
  return isNumber(char) ? "number" : "other";
}

function endWhile(chars: readonly string[], from: number, holds: (char: string) => boolean): number {
  let end = from;
  while (end < chars.length && holds(chars[end] ?? "")) end++;
  return end;
}

const isSmall = (char: string): boolean => isAlphabet(char) && !isUpper(char);

/** Capitals stay together, but the last one belongs to the small letters behind it: `HTTPServer`. */
function upperWordEnd(chars: readonly string[], at: number): number {
  const second = chars[at + 1];
  if (second === undefined) return at + 1;
  if (!isUpper(second)) return endWhile(chars, at + 1, isSmall);
  const end = endWhile(chars, at + 1, isUpper);
  return end < chars.length && isAlphabet(chars[end] ?? "") ? end - 1 : end;
}

/** Where the word that begins here ends. */
function wordEnd(chars: readonly string[], kind: WordKind, at: number): number {
  if (kind === "upper") return upperWordEnd(chars, at);
  if (kind === "lower") return endWhile(chars, at + 1, isSmall);
  // Connectors such as `-` are punctuation, too, once a run of it has begun.
  if (kind === "punct") return endWhile(chars, at + 1, isPunct);
  return endWhile(chars, at + 1, (char) => kindOf(char) === kind);
}

/** Each character with the bytes around it that are not UTF-8: those before it, and at the end those behind it. */
const withRawBytes =
  /[\ud800-\udfff\ufffd]*[^\ud800-\udfff\ufffd](?:[\ud800-\udfff\ufffd]+$)?|^[\ud800-\udfff\ufffd]+$/gu;
const rawBytes = /[\ud800-\udfff\ufffd]/gu;

function words(text: string): Word[] {
  const all: Word[] = [];
  const parts = text.match(withRawBytes) ?? [];
  const chars = parts.map((part) => part.replace(rawBytes, ""));
  for (let at = 0; at < parts.length; ) {
    const kind = kindOf(chars[at] ?? "");
    const end = wordEnd(chars, kind, at);
    all.push({ kind, text: parts.slice(at, end).join("") });
    at = end;
  }
  return all;
}

function lowerWord({ kind, text }: Word, connector: string): string {
  if (kind !== "upper" && kind !== "connector") return text;
  return Array.from(toValidText(text), (char) =>
    isConnector(char) ? connector : isUpper(char) ? lowerChar(char) : char,
  ).join("");
}

const isWord = (word: Word | undefined): boolean =>
  word !== undefined && word.kind !== "connector" && word.kind !== "punct" && word.kind !== "none";
const isTail = (word: Word | undefined): boolean => word?.kind === "lower" || word?.kind === "number";

/** Splits a name into words and joins them by a connector, in small letters: `HTTPServer` → `http_server`. */
class Separator {
  readonly #words: readonly Word[];
  readonly #connector: string;
  #at = 0;
  #out = "";

  constructor(text: string, connector: string) {
    this.#words = words(text);
    this.#connector = connector;
  }

  run(): string {
    while (this.#at < this.#words.length - 1) this.#step();
    this.#write(this.#words[this.#at]);
    return this.#out;
  }

  get #word(): Word | undefined {
    return this.#words[this.#at];
  }

  #write(word: Word | undefined): void {
    if (word !== undefined) this.#out += lowerWord(word, this.#connector);
  }

  #connect(): void {
    if (isWord(this.#word)) this.#out += this.#connector;
  }

  #step(): void {
    const word = this.#word;
    this.#write(word);
    this.#at++;
    if (word?.kind === "number") {
      this.#tail();
      this.#connect();
    } else if (word?.kind !== "connector" && word?.kind !== "punct") {
      this.#afterWord();
    }
  }

  /** A number belongs to the word before it, unless small letters follow: `bld4_floor`, but `http_2xx`. */
  #afterWord(): void {
    const number = this.#word;
    if (number?.kind !== "number") {
      this.#connect();
      return;
    }
    if (this.#at + 1 >= this.#words.length) return;
    this.#at++;
    if (this.#word?.kind === "lower") {
      this.#out += this.#connector;
      this.#write(number);
      this.#tail();
    } else {
      this.#write(number);
    }
    this.#connect();
  }

  #tail(): void {
    for (; isTail(this.#word) && this.#at < this.#words.length; this.#at++) this.#write(this.#word);
  }
}

function separate(text: string, connector: string): string {
  return new Separator(text, connector).run();
}

/** Upper camel case, character by character; leading and doubled connectors survive. */
class Camel {
  #out = "";
  #current: string;
  /** In a run of capitals, which keeps only its first one. */
  #lowering: boolean;

  constructor(first: string) {
    this.#current = upperChar(first);
    this.#lowering = isUpper(first);
  }

  get text(): string {
    return this.#out + this.#current;
  }

  add(next: string): void {
    const startsWord = isConnector(this.#current) && !isConnector(next);
    if (!startsWord) this.#out += this.#current;
    if (startsWord) this.#lowering = isUpper(next);
    else if (!isUpper(next) && !isConnector(this.#current)) this.#lowering = false;
    this.#current = startsWord ? upperChar(next) : this.#continued(next);
  }

  #continued(next: string): string {
    return this.#lowering && isUpper(next) ? lowerChar(next) : next;
  }
}

function camelcase(text: string): string {
  const lead = /^[-_\s\u0085]*/u.exec(text)?.[0] ?? "";
  const [first, ...rest] = Array.from(text.slice(lead.length));
  // A text of nothing but connectors gets its last one twice.
  if (first === undefined) return lead + lead.slice(-1);
  const camel = new Camel(first);
  for (const next of rest) camel.add(next);
  return lead + camel.text;
}

interface Wrapping {
  readonly newline: string;
  readonly cutWords: boolean;
}

/** Breaks at blanks so that lines have at most `width` bytes; long words are cut only when asked. */
function wrap(text: string, width: number, options: Wrapping, state: State): string {
  const bytes = toBytes(text);
  const size = Math.max(1, width);
  const newline = options.newline === "" ? "\n" : options.newline;
  let offset = 0;
  let out = "";
  while (bytes.length - offset > size) {
    if (bytes[offset] === 0x20) {
      offset++;
      continue;
    }
    const end = lineEnd(bytes, offset, size, options.cutWords);
    state.runtime.functions.charge(newline.length);
    out += fromBytes(bytes.subarray(offset, end.at)) + (end.last ? "" : newline);
    offset = end.next;
  }
  return out + fromBytes(bytes.subarray(offset));
}

function lineEnd(
  bytes: Buffer,
  offset: number,
  size: number,
  cutWords: boolean,
): { at: number; next: number; last: boolean } {
  const blank = bytes.subarray(offset, offset + size + 1).lastIndexOf(0x20);
  if (blank >= 0) return { at: offset + blank, next: offset + blank + 1, last: false };
  if (cutWords) return { at: offset + size, next: offset + size, last: false };
  const next = bytes.indexOf(0x20, offset + size);
  return next < 0 ? { at: bytes.length, next: bytes.length, last: true } : { at: next, next: next + 1, last: false };
}

function abbreviate(text: string, offset: number, width: number): string {
  const { length } = toBytes(text);
  if (length <= width) return text;
  const kept = width - 3;
  const from = Math.min(Math.min(offset, length), Math.max(length - kept, 0));
  const start = length - Math.min(offset, length) < kept ? length - kept : from;
  if (start <= 4) return `${sliceBytes(text, 0, kept)}...`;
  if (start + kept < length) return `...${abbreviate(sliceBytes(text, start), 0, kept)}`;
  return `...${sliceBytes(text, length - kept)}`;
}

function abbrevboth(offset: number, width: number, text: string): string {
  return width < 4 || (offset > 0 && width < 7) ? text : abbreviate(text, offset, width);
}

/** Go goes through these texts character by character, which turns bytes that are not UTF-8 into U+FFFD. */
const perChar = (map: (text: string) => string) => func(["string"], (text) => map(toValidText(text)));

export const caseFunctions: FuncTable = {
  upper: perChar(upper),
  lower: perChar(lower),
  title: perChar(title),
  untitle: perChar(untitle),
  swapcase: perChar(swapcase),
  initials: func(["string"], initials),
  snakecase: func(["string"], (text) => separate(text, "_")),
  kebabcase: func(["string"], (text) => separate(text, "-")),
  camelcase: perChar(camelcase),
  wrap: func(["int", "string"], (width, text, state) => wrap(text, width, { newline: "\n", cutWords: false }, state)),
  wrapWith: func(["int", "string", "string"], (width, newline, text, state) =>
    wrap(text, width, { newline, cutWords: true }, state),
  ),
  abbrev: func(["int", "string"], (width, text) => (width < 4 ? text : abbreviate(text, 0, width))),
  abbrevboth: func(["int", "int", "string"], abbrevboth),
};
