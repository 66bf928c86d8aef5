import { isIPv6 } from "node:net";
import { isDigest } from "./digest.ts";
import { oci } from "./errors.ts";

/** A repository in a registry. */
export interface Repository {
  /** Host with optional port, for example `reg.example.com:5001`. */
  readonly host: string;
  /** Path without leading or trailing slash. */
  readonly path: string;
  /** True only when the text said `http://`. */
  readonly plainHttp: boolean;
}

/** A manifest in a repository; with both tag and digest the digest decides. */
export interface Reference extends Repository {
  readonly tag?: string;
  readonly digest?: string;
}

/** Options of {@link parseReference}. */
export interface ReferenceOptions {
  /**
   * The host of references that name none, as `docker` does it with `docker.io`
   * (where a single segment also gets the prefix `library/`). Without it such a
   * reference is refused.
   */
  readonly defaultHost?: string;
}

// The grammar of the distribution project: name ::= [domain '/'] path-component ['/' path-component]*
const component = /^[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*$/;
const label = /^[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?$/;
const tagShape = /^\w[\w.-]{0,127}$/;
const nameLimit = 255;
// host and path up to 255 characters each, a tag, a sha512 digest and a scheme
const textLimit = 900;

const schemes = ["https://", "http://", "oci://"] as const;

function refuse(text: string, reason: string): Error {
  return oci.REFERENCE_INVALID({ text: text.slice(0, 200), reason });
}

/** True when the text may stand as a tag. */
export function isTag(text: string): boolean {
  return tagShape.test(text);
}

function isPort(text: string): boolean {
  return /^\d{1,5}$/.test(text) && Number(text) > 0 && Number(text) < 65_536;
}

function isHost(text: string): boolean {
  const bracketed = /^\[([^\]]+)\](?::(\d+))?$/.exec(text);
  if (bracketed !== null) {
    const port = bracketed[2];
    return isIPv6(bracketed[1] ?? "") && (port === undefined || isPort(port));
  }
  const [name = "", port, ...rest] = text.split(":");
  if (rest.length > 0 || (port !== undefined && !isPort(port))) return false;
  return text.length <= nameLimit && name.split(".").every((part) => label.test(part));
}

/** The rule of the grammar that tells `localhost/a` and `reg.io/a` from `library/a`. */
function looksLikeHost(segment: string): boolean {
  return /[.:[]/.test(segment) || segment === "localhost" || segment !== segment.toLowerCase();
}

function splitHost(whole: string, name: string, options: ReferenceOptions): { host: string; path: string } {
  const slash = name.indexOf("/");
  const first = slash < 0 ? "" : name.slice(0, slash);
  if (slash > 0 && looksLikeHost(first)) return { host: first, path: name.slice(slash + 1) };
  const host = options.defaultHost;
  if (host === undefined) throw refuse(whole, "it names no registry host, expected host/repository");
  return { host, path: host === "docker.io" && slash < 0 ? `library/${name}` : name };
}

function assertName(whole: string, host: string, path: string): void {
  if (!isHost(host)) throw refuse(whole, `${JSON.stringify(host)} is no host name with optional port`);
  if (path.length > nameLimit) throw refuse(whole, `the repository is longer than ${nameLimit} characters`);
  const wrong = path.split("/").find((part) => !component.test(part));
  if (wrong === undefined) return;
  const rule = "must be lower-case letters and digits separated by . _ __ or -";
  throw refuse(whole, `path segment ${JSON.stringify(wrong)} ${rule}`);
}

function parseName(whole: string, name: string, options: ReferenceOptions): { host: string; path: string } {
  const { host, path } = splitHost(whole, name, options);
  assertName(whole, host, path);
  return { host, path };
}

function splitScheme(text: string): { plainHttp: boolean; rest: string } {
  if (text.length > textLimit) throw refuse(text, `it is longer than ${textLimit} characters`);
  const scheme = schemes.find((prefix) => text.startsWith(prefix)) ?? "";
  return { plainHttp: scheme === "http://", rest: text.slice(scheme.length) };
}

function splitTag(text: string, name: string): { name: string; tag?: string } {
  const colon = name.lastIndexOf(":");
  if (colon <= name.lastIndexOf("/")) return { name };
  const tag = name.slice(colon + 1);
  if (!isTag(tag)) throw refuse(text, `${JSON.stringify(tag)} is no tag`);
  return { name: name.slice(0, colon), tag };
}

/**
 * Parses `[scheme://]host[:port]/path[:tag][@digest]`.
 *
 * The scheme may be `oci://` or `https://`, which mean the same, or `http://`, which asks for
 * plain HTTP. Throws OCI_REFERENCE_INVALID.
 */
export function parseReference(text: string, options: ReferenceOptions = {}): Reference {
  const { plainHttp, rest } = splitScheme(text);
  const at = rest.indexOf("@");
  const digest = at < 0 ? undefined : rest.slice(at + 1);
  if (digest !== undefined && !isDigest(digest)) throw refuse(text, `${JSON.stringify(digest)} is no digest`);
  const { name, tag } = splitTag(text, at < 0 ? rest : rest.slice(0, at));
  return {
    ...parseName(text, name, options),
    plainHttp,
    ...(tag === undefined ? {} : { tag }),
    ...(digest === undefined ? {} : { digest }),
  };
}

/** Parses a repository without tag and digest. Throws OCI_REFERENCE_INVALID. */
export function parseRepository(text: string, options: ReferenceOptions = {}): Repository {
  const { plainHttp, rest } = splitScheme(text);
  return { ...parseName(text, rest, options), plainHttp };
}

/**
 * A repository from host and path segments; empty segments and extra slashes vanish.
 *
 * Unlike in a text, a host may be a bare word here. Throws OCI_REFERENCE_INVALID.
 */
export function joinRepository(
  base: { host: string; path?: string; plainHttp: boolean },
  ...paths: string[]
): Repository {
  const { host, plainHttp } = base;
  const segments = [base.path ?? "", ...paths].flatMap((part) => part.split("/").filter((segment) => segment !== ""));
  const path = segments.join("/");
  assertName(`${host}/${path}`, host, path);
  return { host, path, plainHttp };
}

/** The repository of a reference, without its tag and digest. */
export function repositoryOf({ host, path, plainHttp }: Repository): Repository {
  return { host, path, plainHttp };
}

/** `host/path`, without scheme. */
export function formatRepository(repository: Repository): string {
  return `${repository.host}/${repository.path}`;
}

/** `host/path[:tag][@digest]`, without scheme. */
export function formatReference(reference: Reference): string {
  const tag = reference.tag === undefined ? "" : `:${reference.tag}`;
  const digest = reference.digest === undefined ? "" : `@${reference.digest}`;
  return `${formatRepository(reference)}${tag}${digest}`;
}

/** The part of a manifest URL after `/manifests/`: digest before tag, `latest` without both. */
export function manifestKey(reference: Reference): string {
  return reference.digest ?? reference.tag ?? "latest";
}
