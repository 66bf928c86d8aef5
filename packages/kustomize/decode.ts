import { isFields } from "./json.ts";

/** Reads a value strictly; throws a text that names field, expectation and finding. */
export type Decoder<T> = (value: unknown, path: string) => T;

/** The type that a decoder gives. */
export type Decoded<D> = D extends Decoder<infer T> ? T : never;

/** A text; absent is empty. */
export const text: Decoder<string> = (value, path) => scalar(value, path, { type: "string", absent: "" });

export const flag: Decoder<boolean> = (value, path) => scalar(value, path, { type: "boolean", absent: false });

export const integer: Decoder<number> = (value, path) => {
  const number = scalar(value, path, { type: "number", absent: 0 });
  if (!Number.isInteger(number)) throw mismatch(value, path, articles.number);
  return number;
};

export function list<T>(item: Decoder<T>): Decoder<readonly T[]> {
  return (value, path) => {
    if (value === undefined || value === null) return [];
    if (!Array.isArray(value)) throw mismatch(value, path, "a list");
    return value.map((entry: unknown, index) => item(entry, `${path}[${index}]`));
  };
}

export function mapOf<T>(item: Decoder<T>): Decoder<Readonly<Record<string, T>>> {
  return (value, path) => {
    if (value === undefined || value === null) return {};
    if (!isFields(value)) throw mismatch(value, path, "a map");
    return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, item(entry, `${path}.${key}`)]));
  };
}

/** An object of known fields; any other field is refused by name. */
export function object<S extends Readonly<Record<string, Decoder<unknown>>>>(
  shape: S,
): Decoder<{ readonly [K in keyof S]: Decoded<S[K]> }> {
  return (value, path) => {
    const fields = value === undefined || value === null ? {} : value;
    if (!isFields(fields)) throw mismatch(fields, path, "a map");
    const unknown = Object.keys(fields).find((key) => !Object.hasOwn(shape, key));
    if (unknown !== undefined) throw new DecodeError(`unknown field "${unknown}"${path === "" ? "" : ` in ${path}`}`);
    const entries = Object.entries(shape).map(([key, decode]) => [
      key,
      decode(fields[key], path === "" ? key : `${path}.${key}`),
    ]);
    return Object.fromEntries(entries) as { readonly [K in keyof S]: Decoded<S[K]> };
  };
}

/** An object that may be absent. */
export function optional<T>(decode: Decoder<T>): Decoder<T | undefined> {
  return (value, path) => (value === undefined || value === null ? undefined : decode(value, path));
}

/** Anything, unread. */
export const anything: Decoder<unknown> = (value) => value;

/** What a decoder throws. */
export class DecodeError extends Error {}

const articles = { string: "a string", boolean: "true or false", number: "an integer" } as const;

function scalar<T extends string | number | boolean>(
  value: unknown,
  path: string,
  { type, absent }: { readonly type: "string" | "number" | "boolean"; readonly absent: T },
): T {
  if (value === undefined || value === null) return absent;
  if (typeof value !== type) throw mismatch(value, path, articles[type]);
  return value as T;
}

function mismatch(value: unknown, path: string, expected: string): Error {
  const hint = expected === articles.string && typeof value !== "object" ? "; put it in quotes" : "";
  return new DecodeError(`cannot unmarshal ${typeName(value)} into field ${path}, expected ${expected}${hint}`);
}

function typeName(value: unknown): string {
  if (Array.isArray(value)) return "array";
  if (typeof value === "number") return Number.isInteger(value) ? "number" : `number ${value}`;
  return typeof value === "boolean" ? "bool" : typeof value;
}
