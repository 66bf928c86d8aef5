const mask = "[redacted]";

/** What `inspect.custom` of node:util is, without a type of Node among those of this package. */
const inspected: unique symbol = Symbol.for("nodejs.util.inspect.custom");

/** A value that must not reach a log, an event, a condition, a metric or an error text. */
export class Secret<T = string> {
  readonly #value: T;

  constructor(value: T) {
    this.#value = value;
  }

  /** The only way to the value; call it where the value is used, never earlier. */
  reveal(): T {
    return this.#value;
  }

  toString(): string {
    return mask;
  }

  toJSON(): string {
    return mask;
  }

  [inspected](): string {
    return mask;
  }
}

/** How names of fields and parameters end whose value is a credential. */
const names = "(?:token|password|secret|signature|sig|api_?key|private_?key|key-data)";
/** The rest of a text of JSON, up to its closing quote or where it was cut off. */
const jsonText = String.raw`(?!")[^"\\]*(?:\\[\s\S][^"\\]*)*`;
/** The same in a quoted text, where quotes and backslashes of JSON have a backslash of their own. */
const quotedJsonText = String.raw`(?!\\?")[^"\\]*(?:(?:\\\\\\["\\]|\\\\[^"\\]|\\[^"\\])[^"\\]*)*`;

/** The time of each grows with the length of a text alone: no char is tried by more than a few of its starts. */
const patterns: readonly RegExp[] = [
  // user:password@ in a URL
  /(?<=:\/\/)[^/\s:@]+:[^/\s@]+(?=@)/g,
  // a token in the place of the user
  /(?<=:\/\/)[^/\s:@]{8,}(?=@(?!sha\d+:))/g,
  // user:password@ before a host without a scheme, at the start of a word, or within one that goes on after a path;
  // what stands before the digest of a reference is no password
  /(?:(?<![^\s"'])|(?<=[@/][\w.:-]*[^\s"'\w.:@/-])):*[^\s"'/:@]+:[^\s"'/@]+(?=@(?!sha\d+:)[\w.[])/g,
  // a token before a host without a scheme; names of people and images are shorter, or lead to a digest
  /(?<![\w.:@/~-])[\w.~-]{20,}(?=@(?!sha\d+:)[\w.[])/g,
  // Authorization header values
  /(?=[A-Za-z0-9._~+/=-]{8})(?<=\b(?:Bearer|Basic)\s+)[A-Za-z0-9._~+/=-]+/gi,
  // PEM private keys, also when their end was cut off
  /(?<=-----BEGIN [A-Z ]*PRIVATE KEY-----)[\s\S]*?(?=-----END|$)/g,
  // parameters of a query, such as those of presigned addresses
  new RegExp(`(?<=[?&][\\w-]*${names}=)[^&\\s"']+`, "gi"),
  // texts of JSON, also of JSON in a quoted text
  new RegExp(String.raw`(?<=${names}"\s*:\s*")${jsonText}`, "gi"),
  new RegExp(String.raw`(?<=${names}\\"\s*:\s*\\")${quotedJsonText}`, "gi"),
  // what API servers quote of a field that is a credential by its name
  new RegExp(String.raw`(?<=${names}["'\]]?: Invalid value: ")${jsonText}`, "gi"),
  // JSON web tokens wherever they stand
  /\beyJ[A-Za-z0-9_-]{5,}\.[A-Za-z0-9_-]{5,}\.[A-Za-z0-9_-]*/g,
];

/** Masks credentials in a text that came from outside before it is shown to anyone. */
export function redact(text: string): string {
  return patterns.reduce((masked, pattern) => masked.replace(pattern, mask), text);
}
