import { load } from "js-yaml";
import { kubeErrors } from "./errors.ts";

export type Fields = Readonly<Record<string, unknown>>;

/** Kubeconfigs of real clusters take a few kilobytes. */
const longestText = 256 * 1024;
const mostEntries = 256;
const longestValue = 64 * 1024;

/** The error for a field of a kubeconfig. The problem never repeats a value, which may be a secret. */
export function refuse(path: string, problem: string): Error {
  return kubeErrors.KUBECONFIG({ path: path === "" ? "document" : path, problem });
}

/** Parses YAML or JSON to one object; no aliases, so that a small text can't describe a huge one. */
export function parseDocument(text: string): Fields {
  if (text.length > longestText) throw refuse("", `is longer than ${longestText} characters`);
  if (text.trim() === "") throw refuse("", "is empty");
  return fieldsAt(parse(text), "");
}

function parse(text: string): unknown {
  try {
    return load(text, { maxDepth: 16, maxAliases: 0, maxTotalMergeKeys: 0 });
  } catch (error) {
    // The parser's own message quotes the text around the fault.
    throw refuse("", `is no single YAML document without aliases${lineOf(error)}`);
  }
}

function lineOf(error: unknown): string {
  const mark = (error as { mark?: { line?: unknown } }).mark;
  return typeof mark?.line === "number" ? `, line ${mark.line + 1}` : "";
}

export function fieldsAt(value: unknown, path: string): Fields {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Fields;
  throw refuse(path, "must be an object");
}

/** The text of a field; undefined when it is absent, null or empty, which kubectl takes for the same. */
export function textAt(fields: Fields, name: string, path: string): string | undefined {
  const value = fields[name];
  if (value === undefined || value === null || value === "") return undefined;
  const where = path === "" ? name : `${path}.${name}`;
  if (typeof value !== "string") throw refuse(where, "must be a text");
  if (value.length > longestValue) throw refuse(where, `is longer than ${longestValue} characters`);
  return value;
}

/** The entry of `clusters`, `users` or `contexts` with this name; a name must stand there exactly once. */
export function namedEntry(
  config: Fields,
  wanted: { readonly list: string; readonly item: string; readonly name: string },
): { path: string; value: Fields } {
  const { list, item, name } = wanted;
  const entries = config[list];
  if (!Array.isArray(entries)) throw refuse(list, "must be a list");
  if (entries.length > mostEntries) throw refuse(list, `has more than ${mostEntries} entries`);
  const all = entries.map((entry, index) => fieldsAt(entry, `${list}[${index}]`));
  const found = all.filter((entry) => entry["name"] === name);
  if (found.length > 1) throw refuse(list, "has several entries of the name in use");
  const [entry] = found;
  if (entry === undefined) throw refuse(list, "has no entry of the name in use");
  const path = `${list}[${all.indexOf(entry)}]`;
  onlyFields(entry, path, ["name", item]);
  return { path: `${path}.${item}`, value: fieldsAt(entry[item], `${path}.${item}`) };
}

/** Refuses fields that are not listed. */
export function onlyFields(fields: Fields, path: string, allowed: readonly string[]): void {
  const unknown = Object.keys(fields).find((field) => !allowed.includes(field));
  if (unknown === undefined) return;
  // A damaged file may hold a key that swallowed a token.
  const shown = /^[\w.-]{1,40}$/.test(unknown) ? JSON.stringify(unknown) : `of ${unknown.length} characters`;
  throw refuse(path, `has the unknown field ${shown}; known are ${allowed.join(", ")}`);
}

/** Decodes standard base64 to text; white space inside, as line-wrapping tools write it, is taken. */
export function decodeBase64(text: string, path: string): string {
  const packed = text.replace(/\s+/g, "");
  if (packed.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(packed)) throw refuse(path, "is no base64");
  return Buffer.from(packed, "base64").toString("utf8");
}
