/** A Secret takes up to a mebibyte, and a server may quote all of it. */
const longestText = 1024 * 1024;
/** Shorter ones are found everywhere. */
const shortestValue = 3;
const mask = "[redacted]";

type Fields = Readonly<Record<string, unknown>>;

/**
 * A function that masks what a request would have written into a Secret.
 *
 * Servers quote a value that they refuse, for example a password of digits that a template did not quote; redaction of
 * texts from outside can't know it for a secret, but whoever has sent it does.
 *
 * @param path - of the request; merge and JSON patches don't tell their kind.
 */
export function secretMask(path: string, body: unknown): (text: string) => string {
  const values = new Set(isOfSecrets(path) ? valuesIn(writtenIn(body)).flatMap((value) => formsOf(value)) : []);
  // A value that holds another one goes first, or its rest would stay.
  const ordered = [...values].filter(({ length }) => length >= shortestValue).sort((a, b) => b.length - a.length);
  return (text) => ordered.reduce((masked, value) => masked.replaceAll(value, mask), text.slice(0, longestText));
}

const isOfSecrets = (path: string): boolean => /^\/api\/v1\/(namespaces\/[^/]+\/)?secrets([/?]|$)/.test(path);

/** The parts of a body that hold values: of an object or a merge patch, or of the operations of a JSON patch. */
function writtenIn(body: unknown): unknown {
  if (Array.isArray(body)) return body.map((operation: Fields) => operation["value"]);
  const { data, stringData } = (body ?? {}) as Fields;
  return [data, stringData];
}

function valuesIn(value: unknown): readonly string[] {
  if (typeof value === "object" && value !== null) return Object.values(value).flatMap((part) => valuesIn(part));
  return value === undefined || value === null ? [] : [typeof value === "string" ? value : JSON.stringify(value)];
}

/** As it is, as Go quotes it, decoded, and line by line. */
function formsOf(value: string): readonly string[] {
  const decoded = Buffer.from(value, "base64").toString("utf8");
  return [value, decoded].flatMap((text) => [text, JSON.stringify(text).slice(1, -1), ...text.split(/\r?\n/)]);
}
