type Kind = "root" | "map" | "list";

/** A block collection that is open, by the column where its entries stand. */
interface Level {
  readonly column: number;
  readonly kind: Kind;
}

/** Longer or deeper texts are left to the reader, which knows limits. */
const maxLength = 2 ** 21;
const maxDepth = 200;

/** Tabs, control characters, line breaks other than line feeds, byte order marks, halves of pairs. */
const unusual = /[^\n -~\u00a0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd]/;
const simpleKey = /[A-Za-z_][\w./-]{0,250}(?=:(?:[ \n]|$))/y;
const nullKey = /^null$/i;
/** Not `.inf`, `.nan` and the indicators. */
const plainStart = /^(?:[\w/$(^;=\\~]|-[0-9]|\.[a-hj-mo-z])/;
const blockHeader = /^[|>][-+]?$/;

/** What a scalar in quotes may hold, and its rest from a later line on. */
const quoted = {
  "'": { whole: /^'[^']*(?:''[^']*)*'$/, open: /^'[^']*(?:''[^']*)*$/ },
  '"': { whole: /^"[^"\\]*(?:\\["\\nrt][^"\\]*)*"$/, open: /^"[^"\\]*(?:\\["\\nrt][^"\\]*)*$/ },
};
type Quote = keyof typeof quoted;
const isQuote = (char: string): char is Quote => Object.hasOwn(quoted, char);

/** A scalar that may go on in the next line: between quotes, plain, or as a block from a column on that is yet unknown. */
type Open = Quote | "plain" | "block" | number | undefined;

const [space, dash] = [0x20, 0x2d];

/**
 * The entries of a root map whose keys are wanted, as text: of the rest is only seen that it is right. Reading the result
 * gives what reading the whole text gives for these keys, at a fraction of the price.
 *
 * Undefined for a text that the reader might refuse, but for integers that are too large, and for one that is not all
 * block maps, block lists and scalars.
 */
export function outlineYaml(text: string, isWanted: (key: string) => boolean): string | undefined {
  if (text.length > maxLength || unusual.test(text)) return undefined;
  return new Outline(text, isWanted).run();
}

class Outline {
  readonly #text: string;
  readonly #isWanted: (key: string) => boolean;
  readonly #levels: Level[] = [{ column: -1, kind: "root" }];
  /** The last key or dash has no value yet. */
  #awaiting = true;
  /** The scalar that the last line ended in; a number is the column of a block. */
  #open: Open;
  #out = "";
  /** Start of a root entry that is wanted, -1 in one that is not. */
  #wantedFrom = -1;

  constructor(text: string, isWanted: (key: string) => boolean) {
    this.#text = text;
    this.#isWanted = isWanted;
  }

  run(): string | undefined {
    const text = this.#text;
    for (let start = 0, end = 0; start < text.length; start = end + 1) {
      const lineBreak = text.indexOf("\n", start);
      end = lineBreak < 0 ? text.length : lineBreak;
      if (!this.#line(start, end)) return undefined;
    }
    this.#endEntry(text.length);
    const complete = this.#open === undefined || this.#open === "plain" || typeof this.#open === "number";
    return complete && this.#levels[1]?.kind === "map" ? this.#out : undefined;
  }

  #line(start: number, end: number): boolean {
    let from = start;
    while (from < end && this.#text.charCodeAt(from) === space) from++;
    // A block that begins with an empty line takes its indentation from elsewhere.
    if (from === end) return this.#open !== "block";
    const column = from - start;
    if (this.#open !== undefined && column > this.#top().column) {
      const goesOn = this.#goesOn(column, this.#trimmed(from, end));
      if (goesOn !== undefined) return goesOn;
    } else if (this.#open === "block" || isQuote(String(this.#open))) return false;
    this.#open = undefined;
    return this.#text.startsWith("#", from) || this.#entry(start, from, end);
  }

  /** Whether a line that is indented may continue the open scalar; undefined when it is not part of it. */
  #goesOn(column: number, line: string): boolean | undefined {
    if (this.#open === "block") this.#open = column;
    if (typeof this.#open === "number") return column >= this.#open ? true : undefined;
    if (this.#open === "plain") return line.startsWith("#") ? undefined : isPlainRest(line);
    return this.#quoted(this.#open as Quote, `${this.#open}${line}`);
  }

  #quoted(quote: Quote, text: string): boolean {
    this.#open = quoted[quote].open.test(text) ? quote : undefined;
    return this.#open !== undefined || quoted[quote].whole.test(text);
  }

  #entry(start: number, from: number, end: number): boolean {
    let at = from;
    while (this.#isDash(at, end)) {
      if (!this.#place(at - start, "list")) return false;
      this.#awaiting = true;
      at++;
      while (at < end && this.#text.charCodeAt(at) === space) at++;
    }
    if (at === end) return true;
    simpleKey.lastIndex = at;
    if (!simpleKey.test(this.#text)) return at > from && this.#value(at, end);
    const keyEnd = simpleKey.lastIndex;
    if (!this.#place(at - start, "map")) return false;
    return this.#key(start, this.#text.slice(at, keyEnd)) && this.#value(keyEnd + 1, end);
  }

  #isDash(at: number, end: number): boolean {
    return this.#text.charCodeAt(at) === dash && (at + 1 === end || this.#text.charCodeAt(at + 1) === space);
  }

  #key(start: number, key: string): boolean {
    if (this.#levels.length === 2) {
      this.#endEntry(start);
      if (this.#isWanted(key)) this.#wantedFrom = start;
    }
    return !nullKey.test(key);
  }

  #endEntry(end: number): void {
    if (this.#wantedFrom >= 0) this.#out += this.#text.slice(this.#wantedFrom, end);
    this.#wantedFrom = -1;
  }

  /** Enters the collection that an entry at this column belongs to; false when there is none. */
  #place(column: number, kind: Kind): boolean {
    if (this.#awaiting && this.#opens(column, kind)) return this.#levels.push({ column, kind }) <= maxDepth;
    while (this.#top().column > column) this.#levels.pop();
    if (this.#isAt(-1, column, kind)) return true;
    // A list may stand at the column of its key: the next key ends it.
    if (kind !== "map" || !this.#isAt(-1, column, "list") || !this.#isAt(-2, column, "map")) return false;
    this.#levels.pop();
    return true;
  }

  #opens(column: number, kind: Kind): boolean {
    return column > this.#top().column || (kind === "list" && this.#isAt(-1, column, "map"));
  }

  #isAt(index: number, column: number, kind: Kind): boolean {
    const level = this.#levels.at(index);
    return level?.column === column && level.kind === kind;
  }

  #top(): Level {
    return this.#levels.at(-1) ?? { column: -1, kind: "root" };
  }

  #value(from: number, end: number): boolean {
    const value = this.#trimmed(from, end);
    this.#awaiting = value === "";
    if (value === "" || value === "{}" || value === "[]") return true;
    const first = value.charAt(0);
    if (isQuote(first)) return this.#quoted(first, value);
    this.#open = blockHeader.test(value) ? "block" : "plain";
    return this.#open === "block" || (plainStart.test(value) && isPlainRest(value));
  }

  #trimmed(from: number, end: number): string {
    let [start, stop] = [from, end];
    while (start < stop && this.#text.charCodeAt(start) === space) start++;
    while (stop > start && this.#text.charCodeAt(stop - 1) === space) stop--;
    return this.#text.slice(start, stop);
  }
}

function isPlainRest(line: string): boolean {
  return !line.endsWith(":") && !line.includes(": ") && !line.includes(" #");
}
