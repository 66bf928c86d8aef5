import { isPrintable, readsAsOther, type ScalarStyle, shapeOf } from "./analyze.ts";
import { isBreak } from "./chars.ts";

/** How a document is laid out. */
export interface Layout {
  /** Column after which a blank becomes a line break; Infinity never folds. */
  readonly width: number;
  /** Whether list items stand two columns under their key. */
  readonly indentLists: boolean;
  /** Whether a tab may stand in a literal block. */
  readonly tabs: boolean;
}

/** As sigs.k8s.io/yaml marshals, which is what `toYaml` prints. */
export const marshalLayout: Layout = { width: 80, indentLists: false, tabs: false };

/** As go.yaml.in/yaml/v3 writes, which is what `toYamlPretty` prints. */
export const prettyLayout: Layout = { width: Number.POSITIVE_INFINITY, indentLists: true, tabs: true };

const escapes: ReadonlyMap<number, string> = new Map([
  [0x00, "0"],
  [0x07, "a"],
  [0x08, "b"],
  [0x09, "t"],
  [0x0a, "n"],
  [0x0b, "v"],
  [0x0c, "f"],
  [0x0d, "r"],
  [0x1b, "e"],
  [0x22, '"'],
  [0x5c, "\\"],
  [0x85, "N"],
  [0xa0, "_"],
  [0x2028, "L"],
  [0x2029, "P"],
]);

function escapeOf(code: number): string {
  const short = escapes.get(code);
  if (short !== undefined) return `\\${short}`;
  const hex = code.toString(16).toUpperCase();
  if (code <= 0xff) return `\\x${hex.padStart(2, "0")}`;
  return code <= 0xffff ? `\\u${hex.padStart(4, "0")}` : `\\U${hex.padStart(8, "0")}`;
}

function mustEscape(code: number): boolean {
  return code === 0x22 || code === 0x5c || isBreak(code) || code > 0xffff || !isPrintable(code);
}

const maxSimpleKeyBytes = 128;
const base64Line = 70;

/**
 * Writes nodes as libyaml's emitter does in block style: the same columns, quotes and folds.
 *
 * It knows scalars, lists and maps only; the caller decides what a value is and in which order keys come.
 */
export class Emitter {
  readonly #layout: Layout;
  #out = "";
  #column = 0;
  #indent = -1;
  /** The last thing written was white space. */
  #whitespace = true;
  /** Only indentation and indicators stand on this line so far. */
  #indention = true;

  constructor(layout: Layout) {
    this.#layout = layout;
  }

  /** Ends the document and gives its text, which ends in one line feed. */
  finish(): string {
    this.#indent = 0;
    this.#writeIndent();
    return this.#out;
  }

  get length(): number {
    return this.#out.length;
  }

  text(text: string): void {
    this.#scalar(text, this.#styleOf(text, false), false);
  }

  /** A number, bool or null: never quoted. */
  plain(text: string): void {
    this.#scalar(text, "plain", false);
  }

  /** Bytes as base64, in lines when they are many. */
  binary(data: Uint8Array): void {
    const base64 = Buffer.from(data).toString("base64");
    const lines = base64.match(/.{1,70}/g) ?? [];
    this.#indicator("!!binary", true, false);
    if (base64.length < base64Line) this.#scalar(base64, "plain", false);
    else this.#scalar(lines.map((line) => `${line}\n`).join(""), "literal", false);
  }

  empty(brackets: "[]" | "{}"): void {
    this.#indicator(brackets, true, false);
  }

  /** Writes a list; `inMap` when it is the value of a key. */
  list(count: number, inMap: boolean, item: (index: number) => void): void {
    const outer = this.#indent;
    const indentless = inMap && !this.#indention && !this.#layout.indentLists;
    this.#indent = outer < 0 ? 0 : indentless ? outer : outer + 2;
    for (let index = 0; index < count; index++) {
      this.#writeIndent();
      this.#indicator("-", true, true);
      item(index);
    }
    this.#indent = outer;
  }

  map(keys: readonly string[], value: (key: string) => void): void {
    const outer = this.#indent;
    this.#indent = outer < 0 ? 0 : outer + 2;
    for (const key of keys) {
      this.#writeIndent();
      this.#key(key);
      value(key);
    }
    this.#indent = outer;
  }

  #key(key: string): void {
    const simple =
      !shapeOf(key, this.#layout.tabs).multiline && (key.length <= 42 || Buffer.byteLength(key) <= maxSimpleKeyBytes);
    if (simple) {
      this.#scalar(key, this.#styleOf(key, true), true);
      this.#indicator(":", false, false);
      return;
    }
    this.#indicator("?", true, true);
    this.#scalar(key, this.#styleOf(key, false), false);
    this.#writeIndent();
    this.#indicator(":", true, true);
  }

  #styleOf(text: string, simpleKey: boolean): ScalarStyle {
    const shape = shapeOf(text, this.#layout.tabs);
    if (text.includes("\n")) return shape.literal && !simpleKey ? "literal" : "double";
    if (readsAsOther(text) || (simpleKey && shape.multiline)) return "double";
    if (shape.plain) return "plain";
    return shape.single ? "single" : "double";
  }

  #scalar(text: string, style: ScalarStyle, simpleKey: boolean): void {
    const outer = this.#indent;
    this.#indent = outer < 0 ? 2 : outer + 2;
    if (style === "literal") this.#literal(text);
    else if (style === "double") this.#double(text, !simpleKey);
    else if (style === "single") this.#single(text, !simpleKey);
    else this.#plain(text, !simpleKey);
    this.#indent = outer;
  }

  #plain(text: string, fold: boolean): void {
    if (!this.#whitespace && text !== "") this.#put(" ");
    this.#flow(text, fold, false);
    this.#whitespace = false;
    this.#indention = false;
  }

  #single(text: string, fold: boolean): void {
    this.#indicator("'", true, false);
    this.#flow(text.includes("'") ? text.replaceAll("'", "''") : text, fold, true);
    this.#indicator("'", false, false);
  }

  /** Plain and single-quoted content: blanks may become line breaks, line breaks stand as they are. */
  #flow(text: string, fold: boolean, quoted: boolean): void {
    if (this.#column + text.length <= this.#layout.width && !/[\n\r\u0085\u2028\u2029]/.test(text)) {
      this.#put(text);
      return;
    }
    let blank = false;
    let broken = false;
    for (let index = 0; index < text.length; index++) {
      const code = text.charCodeAt(index);
      if (code === 0x20) {
        this.#flowBlank(fold && !blank && this.#mayFold(text, index, quoted));
        blank = true;
      } else if (isBreak(code)) {
        // A single line feed would be read as a blank, so it is written twice.
        this.#break(text.charAt(index), broken || code !== 0x0a ? 1 : 2);
        broken = true;
      } else {
        this.#flowChar(text.charAt(index), broken);
        blank = false;
        broken = false;
      }
    }
  }

  #flowChar(char: string, startsLine: boolean): void {
    if (startsLine) this.#writeIndent();
    this.#put(char, char.charCodeAt(0));
    this.#indention = false;
  }

  #flowBlank(fold: boolean): void {
    if (fold) this.#writeIndent();
    else this.#put(" ");
  }

  #mayFold(text: string, index: number, quoted: boolean): boolean {
    if (this.#column <= this.#layout.width || text.charAt(index + 1) === " ") return false;
    return !quoted || (index > 0 && index < text.length - 1);
  }

  #double(text: string, fold: boolean): void {
    this.#indicator('"', true, false);
    // libyaml looks for the mark at the start of the text instead of at the character.
    const marked = text.startsWith("\uFEFF");
    let blank = false;
    for (let index = 0; index < text.length; index++) {
      const code = text.codePointAt(index) ?? 0;
      if (code > 0xffff) index++;
      if (marked || mustEscape(code)) {
        this.#put(escapeOf(code));
        blank = false;
      } else if (code === 0x20) {
        this.#quotedBlank(text, index, fold && !blank);
        blank = true;
      } else {
        this.#put(String.fromCharCode(code));
        blank = false;
      }
    }
    this.#indicator('"', false, false);
  }

  #quotedBlank(text: string, index: number, fold: boolean): void {
    if (!fold || this.#column <= this.#layout.width || index === 0 || index === text.length - 1) {
      this.#put(" ");
      return;
    }
    this.#writeIndent();
    if (text.charAt(index + 1) === " ") this.#put("\\");
  }

  #literal(text: string): void {
    this.#indicator("|", true, false);
    const hint = text.startsWith(" ") || isBreak(text.charCodeAt(0)) ? "2" : "";
    this.#put(hint + chompingOf(text));
    this.#break("\n");
    this.#whitespace = true;
    for (const line of text.split(/(?<=[\n\r\u0085\u2028\u2029])/)) this.#literalLine(line);
  }

  #literalLine(line: string): void {
    const ended = line !== "" && isBreak(line.charCodeAt(line.length - 1));
    const content = ended ? line.slice(0, -1) : line;
    if (content !== "") {
      this.#writeIndent();
      this.#put(content);
      this.#indention = false;
    }
    if (ended) this.#break(line.charAt(line.length - 1));
  }

  #writeIndent(): void {
    const indent = Math.max(0, this.#indent);
    if (!this.#indention || this.#column > indent || (this.#column === indent && !this.#whitespace)) this.#break("\n");
    if (this.#column < indent) this.#put(" ".repeat(indent - this.#column));
    this.#whitespace = true;
    this.#indention = true;
  }

  #indicator(text: string, needsBlank: boolean, isIndention: boolean): void {
    this.#put(needsBlank && !this.#whitespace ? ` ${text}` : text);
    this.#whitespace = false;
    this.#indention &&= isIndention;
  }

  #put(text: string, code = 0): void {
    this.#out += text;
    // The second half of a pair is no column of its own.
    if (code < 0xdc00 || code > 0xdfff) this.#column += text.length;
  }

  #break(text: string, count = 1): void {
    this.#out += count === 1 ? text : text.repeat(count);
    this.#column = 0;
    this.#indention = true;
  }
}

function chompingOf(text: string): string {
  if (!isBreak(text.charCodeAt(text.length - 1))) return "-";
  return text.length === 1 || isBreak(text.charCodeAt(text.length - 2)) ? "+" : "";
}
