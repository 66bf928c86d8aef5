import { fail, ListValue, MapValue, OpaqueValue } from "../values.ts";
import { declare } from "./registry.ts";

/** A URL taken apart as Go does: nothing is normalised. */
class Url extends OpaqueValue {
  readonly typeName = "kubernetes.URL";
  readonly text: string;
  readonly scheme: string;
  readonly host: string;
  readonly path: string;
  readonly query: string;

  constructor(text: string, parts: { scheme: string; host: string; path: string; query: string }) {
    super();
    this.text = text;
    this.scheme = parts.scheme;
    this.host = parts.host;
    this.path = parts.path;
    this.query = parts.query;
  }

  toString(): string {
    return this.text;
  }

  hostname(): string {
    const bracketed = /^\[([^\]]*)\]/.exec(this.host);
    return bracketed?.[1] ?? this.host.replace(/:\d*$/, "");
  }

  port(): string {
    return /:(\d+)$/.exec(this.host)?.[1] ?? "";
  }
}

/** Undefined for a text that is neither an absolute URL nor an absolute path. */
function readUrl(text: string): Url | undefined {
  if (/[\s\p{Cc}]/u.test(text) || /%(?![0-9A-Fa-f]{2})/.test(text)) return undefined;
  const [scheme, rest] = groups(/^(?:([A-Za-z][A-Za-z0-9+.-]*):)?([^#]*)/s, text);
  const [slashes, authority, path, query] = groups(/^(?:(\/\/)([^/?]*))?([^?]*)(?:\?(.*))?$/s, rest);
  const host = authority.replace(/^.*@/, "");
  const isPath = slashes === "" && path.startsWith("/");
  if (!isPath && (scheme === "" || slashes === "")) return undefined;
  if (!/^(\[[0-9A-Fa-f:.%]+\]|[^[\]:]*)(:\d*)?$/.test(host)) return undefined;
  return new Url(text, { scheme: scheme.toLowerCase(), host, path, query });
}

/** What the groups of a pattern matched; nothing where one took no part. */
function groups(expression: RegExp, text: string): [string, string, string, string] {
  const [a = "", b = "", c = "", d = ""] = (expression.exec(text) ?? []).slice(1);
  return [a, b, c, d];
}

function parse(text: string): Url {
  return (
    readUrl(text) ??
    fail(`URL parse error during conversion from string: parse ${JSON.stringify(text)}: invalid URI for request`)
  );
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    // Escapes that are no UTF-8 stay as they are.
    return text;
  }
}

function queryOf({ query }: Url): MapValue {
  const pairs = query
    .split("&")
    .filter((pair) => pair !== "")
    .map((pair) => /^([^=]*)=?(.*)$/s.exec(pair)?.slice(1).map(decode) ?? []);
  const byName = Map.groupBy(pairs, ([name = ""]) => name);
  const entries = [...byName].map(([name, group]) => ({
    key: name,
    value: new ListValue(group.map(([, value = ""]) => value)),
  }));
  return new MapValue(entries);
}

/** The path as it was escaped; what may not stand in a path is escaped now. */
function escapedPath({ path }: Url): string {
  return path.replaceAll(/[^A-Za-z0-9\-._~!$&'()*+,;=:@/%[\]]/g, (char) => encodeURIComponent(char));
}

export const urls = declare({
  "url(string): URL": parse,
  "isURL(string): bool": (text: string) => readUrl(text) !== undefined,
  "URL.getScheme(): string": ({ scheme }: Url) => scheme,
  "URL.getHost(): string": ({ host }: Url) => host,
  "URL.getHostname(): string": (url: Url) => url.hostname(),
  "URL.getPort(): string": (url: Url) => url.port(),
  "URL.getEscapedPath(): string": escapedPath,
  "URL.getQuery(): map(string, list(string))": queryOf,
});
