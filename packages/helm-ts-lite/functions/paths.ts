import { cleanPath } from "../chart/archive.ts";
import { trimEnd } from "../go/space.ts";
import { type GoMap, type GoValue, typeName } from "../go/values.ts";
import { GoError } from "../template/errors.ts";
import { type FuncTable, func } from "./define.ts";
import { escapeFragment, escapePath } from "./escape.ts";

function base(path: string): string {
  if (path === "") return ".";
  const trimmed = trimEnd(path, (char) => char === "/");
  return trimmed === "" ? "/" : trimmed.slice(trimmed.lastIndexOf("/") + 1);
}

function dir(path: string): string {
  return cleanPath(path.slice(0, path.lastIndexOf("/") + 1));
}

function ext(path: string): string {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const dot = name.lastIndexOf(".");
  return dot < 0 ? "" : name.slice(dot);
}

const pathFuncs: FuncTable = {
  base: func(["string"], base),
  dir: func(["string"], dir),
  clean: func(["string"], cleanPath),
  ext: func(["string"], ext),
  isAbs: func(["string"], (path) => path.startsWith("/")),
};

/** The parts of a URL before its host is looked into. */
interface RawUrl {
  readonly scheme: string;
  readonly location: string;
  readonly query: string;
  readonly fragment: string;
}

function splitUrl(text: string): RawUrl | undefined {
  const hash = text.indexOf("#");
  const [before, fragment] = hash < 0 ? [text, ""] : [text.slice(0, hash), text.slice(hash + 1)];
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(before)?.[1];
  if (scheme === undefined && before.startsWith(":")) return undefined;
  const rest = scheme === undefined ? before : before.slice(scheme.length + 1);
  const mark = rest.indexOf("?");
  const [location, query] = mark < 0 ? [rest, ""] : [rest.slice(0, mark), rest.slice(mark + 1)];
  return { scheme: (scheme ?? "").toLowerCase(), location, query, fragment };
}

/** User and host out of `//user@host/path`. */
function authorityOf(location: string): { userinfo: string; host: string; path: string } {
  const authority = /^\/\/([^/]*)/.exec(location)?.[1];
  if (authority === undefined) return { userinfo: "", host: "", path: location };
  const at = authority.lastIndexOf("@");
  return {
    userinfo: at < 0 ? "" : authority.slice(0, at),
    host: authority.slice(at + 1),
    path: location.slice(authority.length + 2),
  };
}

const isControl = (char: string): boolean => char < " " || char === "\u007f";

/** Go's reading of a URL into its parts. Throws `GoError`. */
function urlParse(text: string): GoMap {
  const fail = (reason: string): GoError =>
    new GoError(`unable to parse url: "parse ${JSON.stringify(text)}: ${reason}"`);
  if (Array.from(text).some(isControl)) throw fail("net/url: invalid control character in URL");
  const url = splitUrl(text);
  if (url === undefined) throw fail("missing protocol scheme");
  const opaque = url.scheme !== "" && !url.location.startsWith("/") ? url.location : "";
  const { userinfo, host, path } = authorityOf(opaque === "" ? url.location : "");
  return new Map<string, GoValue>([
    ["scheme", url.scheme],
    ["host", host],
    ["hostname", hostname(host)],
    ["path", decode(path)],
    ["query", url.query],
    ["opaque", opaque],
    ["fragment", decode(url.fragment)],
    ["userinfo", userinfo],
  ]);
}

function hostname(host: string): string {
  const bracketed = /^\[([^\]]*)\]/.exec(host)?.[1];
  return bracketed ?? host.replace(/:[0-9]*$/, "");
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (error instanceof URIError) return text;
    throw error;
  }
}

function part(map: GoMap, name: string): string {
  const value = map.has(name) ? map.get(name) : "";
  if (typeof value !== "string")
    throw new GoError(`unable to parse ${name} key, must be of type string, but ${typeName(value)} found`);
  return value;
}

function urlJoin(map: GoMap): string {
  const get = (name: string): string => part(map, name);
  const [scheme, host, path, query] = [get("scheme"), get("host"), get("path"), get("query")];
  const [opaque, fragment, userinfo] = [get("opaque"), get("fragment"), get("userinfo")];
  const prefix = scheme === "" ? "" : `${scheme}:`;
  const tail = (query === "" ? "" : `?${query}`) + (fragment === "" ? "" : `#${escapeFragment(fragment)}`);
  if (opaque !== "") return prefix + opaque + tail;
  const slash = path !== "" && !path.startsWith("/") && host !== "" ? "/" : "";
  return prefix + joinAuthority(userinfo, host) + slash + escapePath(path) + tail;
}

function joinAuthority(userinfo: string, host: string): string {
  if (userinfo !== "") return `//${userinfo}@${host}`;
  return host === "" ? "" : `//${host}`;
}

export const pathFunctions: FuncTable = {
  ...pathFuncs,
  ...Object.fromEntries(
    Object.entries(pathFuncs).map(([name, each]) => [`os${name.charAt(0).toUpperCase()}${name.slice(1)}`, each]),
  ),
  urlParse: func(["string"], urlParse),
  urlJoin: func(["map"], urlJoin),
};
