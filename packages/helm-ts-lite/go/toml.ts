import { parse, TomlError as SmolError, TomlDate } from "smol-toml";
import { GoTime } from "../time/time.ts";
import { fixedZone, utc } from "../time/zone.ts";
import type { Compat } from "../version.ts";
import { formatFloat } from "./float.ts";
import { Int, int64 } from "./int.ts";
import { type GoMap, type GoValue, isGoObject, isNilCollection, kindName, listItems, sortedKeys } from "./values.ts";

/** A text that is no TOML, or a value that TOML cannot carry. */
export class TomlError extends Error {
  override readonly name = "TomlError";
}

const bareKey = /^[A-Za-z0-9_-]+$/;

const escapes: Readonly<Record<string, string>> = {
  "\b": "\\b",
  "\t": "\\t",
  "\n": "\\n",
  "\f": "\\f",
  "\r": "\\r",
  '"': '\\"',
  "\\": "\\\\",
};

function quoted(text: string): string {
  const escape = (char: string): string => escapes[char] ?? `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return `"${text.replace(/["\\\u007f]|[^ -\uffff]/g, escape)}"`;
}

const keyText = (key: string): string => (bareKey.test(key) ? key : quoted(key));

const isNil = (value: GoValue): boolean => value === null || value === undefined || isNilCollection(value);

const isTable = (value: GoValue): value is GoMap => value instanceof Map;

function isTableList(value: GoValue): boolean {
  const items = listItems(value);
  return items !== undefined && items.length > 0 && items.every((item) => isTable(item) && !isNil(item));
}

type Entry = readonly [key: string, value: GoValue];

/** The entries of a table in the order they are written: the plain ones, then those that are tables. */
function entriesOf(table: GoMap): { readonly plain: readonly Entry[]; readonly tables: readonly Entry[] } {
  const entries = sortedKeys(table).map((key): Entry => [key, table.get(key)]);
  const isSub = ([, value]: Entry): boolean => !isNil(value) && (isTable(value) || isTableList(value));
  return { plain: entries.filter((entry) => !isSub(entry)), tables: entries.filter(isSub) };
}

class Writer {
  #out = "";
  readonly #compat: Compat;

  constructor(compat: Compat) {
    this.#compat = compat;
  }

  document(value: GoValue): string {
    if (isTable(value)) this.#table([], value);
    else this.#out += this.#inline(value);
    return this.#out;
  }

  #table(path: readonly string[], table: GoMap): void {
    const { plain, tables } = entriesOf(table);
    for (const [key, value] of plain) {
      if (!isNil(value)) this.#out += `${"  ".repeat(path.length)}${keyText(key)} = ${this.#inline(value)}\n`;
    }
    for (const [key, value] of tables) this.#sub([...path, key], value);
  }

  #sub(path: readonly string[], value: GoValue): void {
    const header = path.map(keyText).join(".");
    const indent = "  ".repeat(path.length - 1);
    for (const table of isTable(value) ? [value] : (listItems(value) ?? [])) {
      if (this.#out !== "" && (path.length === 1 || !isTable(value))) this.#out += "\n";
      this.#out += `${indent}${isTable(value) ? `[${header}]` : `[[${header}]]`}\n`;
      if (isTable(table)) this.#table(path, table);
    }
  }

  #inline(value: GoValue): string {
    if (typeof value === "string") return quoted(value);
    if (typeof value === "number") return this.#float(value);
    if (typeof value === "boolean" || value instanceof Int) return String(value);
    if (value instanceof GoTime) return value.format("2006-01-02T15:04:05.999999999Z07:00");
    return this.#collection(value);
  }

  #collection(value: GoValue): string {
    if (isTable(value)) return this.#inlineTable(value);
    const items = listItems(value);
    if (items?.some(isNil) === true) {
      throw new TomlError("toml: cannot encode array with nil element");
    }
    if (items !== undefined) return `[${items.map((item) => this.#inline(item)).join(", ")}]`;
    if (isGoObject(value) && value.toData !== undefined) return this.#inline(value.toData());
    throw new TomlError(`toml: cannot encode value of kind ${kindName(value)}`);
  }

  /** Go writes no nil, but the comma in front of one. */
  #inlineTable(table: GoMap): string {
    const { plain, tables } = entriesOf(table);
    const all = [...plain, ...tables];
    const parts = all.map(([key, value], index) => {
      if (isNil(value)) return "";
      return `${keyText(key)} = ${this.#inline(value)}${index === all.length - 1 ? "" : ", "}`;
    });
    return `{${parts.join("")}}`;
  }

  #float(value: number): string {
    if (!Number.isFinite(value)) return formatFloat(value).replace("Inf", "inf").replace("NaN", "nan").replace("+", "");
    const text = this.#compat === 3 ? formatFloat(value, 21) : formatFloat(value);
    return /[.e]/.test(text) ? text : `${text}.0`;
  }
}

/** Writes a value as TOML. Throws {@link TomlError}. */
export function writeToml(value: GoValue, compat: Compat): string {
  if (value === null || value === undefined) throw new TomlError("toml: cannot encode a nil value");
  return new Writer(compat).document(value);
}

function dateOf(date: TomlDate): GoTime {
  const nanoseconds = BigInt(date.getTime()) * 1_000_000n;
  if (date.isDateTime() && !date.isLocal()) return new GoTime(nanoseconds, utc);
  const name = date.isDate() ? "date-local" : date.isTime() ? "time-local" : "datetime-local";
  if (!date.isTime()) return new GoTime(nanoseconds, fixedZone(0, name));
  const [hour = "0", minute = "0", second = "0"] = date.toISOString().split(":");
  return GoTime.ofParts(
    { year: 0, month: 1, day: 1, hour: Number(hour), minute: Number(minute), second: Number.parseInt(second, 10) },
    0,
    fixedZone(0, name),
  );
}

function fromToml(value: unknown): GoValue {
  if (typeof value === "bigint") return int64(value);
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") return value;
  if (value instanceof TomlDate) return dateOf(value);
  if (Array.isArray(value)) return value.map(fromToml);
  return new Map(Object.entries(value as Record<string, unknown>).map(([key, item]) => [key, fromToml(item)]));
}

/** Reads TOML 1.0; whole numbers are int64. Throws {@link TomlError}. */
export function readToml(text: string, compat: Compat): GoMap {
  try {
    return fromToml(parse(text, { integersAsBigInt: true })) as GoMap;
  } catch (error) {
    if (error instanceof SmolError) throw new TomlError(goMessage(error, text, compat));
    throw error;
  }
}

/** The error in the words of Go's TOML library, for the mistakes that its texts are known for. */
function goMessage(error: SmolError, text: string, compat: Compat): string {
  const { line } = error;
  const source = text.split("\n")[line - 1] ?? "";
  const reason = (error.message.split("\n")[0] ?? "").replace("Invalid TOML document: ", "");
  const header = /^\s*\[+([^\]]*)\]/.exec(source)?.[1];
  if (header !== undefined && /redefin|already|twice|duplicate/i.test(reason)) {
    return `toml: line ${line}: Key '${header.trim()}' has already been defined.`;
  }
  if (!source.trimEnd().endsWith("=")) return `toml: ${place(line, source)}: ${reason}`;
  // The library of helm 3 counts the line before the end.
  return `toml: ${place(compat === 3 ? line - 1 : line, source)}: unexpected EOF; expected value`;
}

function place(line: number, source: string): string {
  const key = /^\s*([A-Za-z0-9_.-]+)\s*=/.exec(source)?.[1];
  return key === undefined ? `line ${line}` : `line ${line} (last key ${JSON.stringify(key)})`;
}
