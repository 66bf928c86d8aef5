import { readJsonPrefix } from "../go/json-read.ts";
import { parseInt64 } from "../go/parse-number.ts";
import { quote } from "../go/quote.ts";
import { SetScanner } from "./set-scanner.ts";

/** User values in plain data: what YAML and `--set` give. Integers of `--set` are bigints. */
export type PlainMap = Map<string, unknown>;

/** A text that does not follow the grammar of `--set`, in helm's words. */
export class SetError extends Error {
  override readonly name = "SetError";
}

const maxIndex = 65_536;
const maxDepth = 30;

/** How a variant of `--set` reads values. */
interface Flavour {
  /** `\` escapes, commas separate pairs, braces make lists. */
  readonly grammar: boolean;
  /** Values are JSON. */
  readonly json: boolean;
  readonly read: (text: string) => unknown;
}

function typed(text: string): unknown {
  const lower = text.toLowerCase();
  if (lower === "true" || lower === "false") return lower === "true";
  if (lower === "null") return null;
  if (text === "0") return 0n;
  const { value, fault } = parseInt64(text);
  return fault !== undefined || text.startsWith("0") ? text : value;
}

function goTypeOf(value: unknown): string {
  if (value === null || value === undefined) return "nil";
  if (value instanceof Map) return "map[string]interface {}";
  if (Array.isArray(value)) return "[]interface {}";
  const names: Readonly<Record<string, string>> = { number: "float64", bigint: "int64", boolean: "bool" };
  return names[typeof value] ?? "string";
}

function conversion(value: unknown, wanted: string): SetError {
  return new SetError(`unable to parse key: interface conversion: interface {} is ${goTypeOf(value)}, not ${wanted}`);
}

function setKey(map: PlainMap, key: string, value: unknown): void {
  if (key !== "") map.set(key, value);
}

function setIndex(list: unknown[], index: number, value: unknown): void {
  if (index > maxIndex) throw new SetError(`index of ${index} is greater than maximum supported index of ${maxIndex}`);
  while (list.length < index) list.push(null);
  list[index] = value;
}

class SetParser {
  readonly #scanner: SetScanner;
  readonly #flavour: Flavour;

  constructor(text: string, flavour: Flavour) {
    this.#scanner = new SetScanner(text);
    this.#flavour = flavour;
  }

  /** Reads every pair into the map. */
  into(map: PlainMap): void {
    while (!this.#scanner.atEnd) this.#key(map, 0);
  }

  #until(stops: string): { readonly text: string; readonly stop: string } {
    return this.#scanner.until(stops, this.#flavour.grammar);
  }

  #key(map: PlainMap, depth: number): void {
    const { text: key, stop } = this.#until(this.#flavour.grammar ? "=[,." : "=[.");
    switch (stop) {
      case "=":
        setKey(map, key, this.#value());
        break;
      case "[":
        this.#listKey(map, key, depth);
        break;
      case ".":
        this.#mapKey(map, key, depth + 1);
        break;
      case ",":
        setKey(map, key, "");
        throw new SetError(`key ${quote(key)} has no value (cannot end with ,)`);
      default:
        if (key !== "") throw new SetError(`key ${quote(key)} has no value`);
    }
  }

  #listKey(map: PlainMap, key: string, depth: number): void {
    const index = this.#index();
    const existing = map.has(key) ? map.get(key) : [];
    if (!Array.isArray(existing)) throw conversion(existing, "[]interface {}");
    // The list is kept even when its new element fails, as far as it got.
    setKey(map, key, existing);
    this.#listItem(existing, index, depth);
  }

  #mapKey(map: PlainMap, key: string, depth: number): void {
    if (depth > maxDepth) {
      throw new SetError(`value name nested level is greater than maximum supported nested level of ${maxDepth}`);
    }
    const inner = map.has(key) ? map.get(key) : new Map<string, unknown>();
    if (!(inner instanceof Map)) throw conversion(inner, "map[string]interface {}");
    const ended = this.#scanner.atEnd;
    this.#key(inner as PlainMap, depth);
    if (inner.size > 0) setKey(map, key, inner);
    else if (!ended) throw new SetError(`key map ${quote(key)} has no value`);
  }

  #index(): number {
    const { text, stop } = this.#until("]");
    if (stop === "") throw new SetError("error parsing index: EOF");
    const { value, fault } = parseInt64(text);
    if (fault !== undefined) throw new SetError(`error parsing index: strconv.Atoi: parsing ${quote(text)}: ${fault}`);
    if (value < 0n) throw new SetError(`negative ${value} index not allowed`);
    return Number(value);
  }

  #listItem(list: unknown[], index: number, depth: number): void {
    const { text, stop } = this.#until("[.=");
    if (text !== "") throw new SetError(`unexpected data at end of array index: ${quote(text)}`);
    if (stop === "=") setIndex(list, index, this.#value());
    else if (stop === "[") this.#nestedList(list, index, depth);
    else if (stop === ".") this.#nestedMap(list, index, depth);
  }

  #nestedList(list: unknown[], index: number, depth: number): void {
    const next = this.#index();
    const existing = list[index] ?? [];
    if (!Array.isArray(existing)) throw conversion(existing, "[]interface {}");
    const copy: unknown[] = [...existing];
    this.#listItem(copy, next, depth);
    setIndex(list, index, copy);
  }

  #nestedMap(list: unknown[], index: number, depth: number): void {
    const existing = list[index];
    const inner: PlainMap = existing instanceof Map ? (existing as PlainMap) : new Map();
    this.#key(inner, depth);
    setIndex(list, index, inner);
  }

  #value(): unknown {
    if (this.#flavour.json) return this.#json();
    if (!this.#flavour.grammar) return this.#flavour.read(this.#takeRest());
    if (this.#scanner.atEnd) return "";
    return this.#scanner.peek() === "{" ? this.#list() : this.#flavour.read(this.#until(",").text);
  }

  #takeRest(): string {
    const rest = this.#scanner.rest();
    this.#scanner.consume(rest);
    return rest;
  }

  #list(): unknown[] {
    const list: unknown[] = [];
    this.#scanner.skip();
    for (;;) {
      const { text, stop } = this.#until(",}");
      if (stop === "") throw new SetError("list must terminate with '}'");
      list.push(this.#flavour.read(text));
      if (stop === "}") break;
    }
    if (this.#scanner.peek() === ",") this.#scanner.skip();
    return list;
  }

  #json(): unknown {
    if (this.#skipEmpty()) return null;
    const { value, length } = readJsonPrefix(this.#scanner.rest());
    this.#scanner.consume(this.#scanner.rest().slice(0, length));
    this.#skipEmpty();
    return value;
  }

  /** Skips blanks and one comma; true when nothing else came before it. */
  #skipEmpty(): boolean {
    while (!this.#scanner.atEnd) {
      const char = this.#scanner.peek();
      if (char !== "," && char.trim() !== "") return false;
      this.#scanner.skip();
      if (char === ",") return true;
    }
    return true;
  }
}

const flavours = {
  set: { grammar: true, json: false, read: typed },
  string: { grammar: true, json: false, read: (text: string) => text },
  literal: { grammar: false, json: false, read: (text: string) => text },
  json: { grammar: true, json: true, read: (text: string) => text },
} satisfies Record<string, Flavour>;

/** The variants of `--set` that need no files. */
export type SetFlavour = keyof typeof flavours;

/** Reads a `--set` text into values, changing them. Throws {@link SetError}, or `JsonError` for bad JSON. */
export function applySet(values: PlainMap, text: string, flavour: SetFlavour): void {
  new SetParser(text, flavours[flavour]).into(values);
}

/** Reads a `--set-file` text; `read` gives the content of a file. */
export function applySetFile(values: PlainMap, text: string, read: (path: string) => string): void {
  new SetParser(text, { grammar: true, json: false, read }).into(values);
}
