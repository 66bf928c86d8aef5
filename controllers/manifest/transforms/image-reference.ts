import { manifestErrors } from "../errors.ts";

/** A container image reference in the three parts that localisation compares. */
export interface ImageReference {
  /** Host and path without the last segment, for example `docker.io/library`. */
  readonly hostAndPath: string;
  /** Last path segment with its tag, if any: `nginx:1.27`. */
  readonly nameAndTag: string;
  /** `sha256:…`, or empty. */
  readonly digest: string;
}

const defaultHost = "docker.io";
const maxNameLength = 255;
/** Longer texts are no references; the bound also keeps the expressions below cheap. */
const maxTextLength = 1024;

// The grammar of the distribution project's reference package.
const label = "(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])";
const host = `(?:${label}(?:\\.${label})*|\\[[a-fA-F0-9:]+\\])(?::[0-9]+)?`;
const segment = "[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*";
const name = new RegExp(`^${host}(?:/${segment})+$`);
const tag = /^\w[\w.-]{0,127}$/;
const digest = /^[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}$/;
const digestLengths: ReadonlyMap<string, number> = new Map([
  ["sha256", 64],
  ["sha384", 96],
  ["sha512", 128],
]);

/**
 * Parses a reference and fills in what Docker fills in: the host `docker.io` and its path `library`.
 *
 * Throws `MANIFEST_IMAGE_REFERENCE` for anything that is no reference.
 */
export function parseImageReference(text: string): ImageReference {
  const parsed = tryParse(text);
  if ("problem" in parsed) throw manifestErrors.IMAGE_REFERENCE({ problem: parsed.problem });
  return parsed;
}

/** As {@link parseImageReference}, but `undefined` for anything that is no reference. */
export function imageReferenceIn(text: string): ImageReference | undefined {
  const parsed = tryParse(text);
  return "problem" in parsed ? undefined : parsed;
}

/** The reference as text, in its complete form. */
export function formatImageReference(reference: ImageReference): string {
  const suffix = reference.digest === "" ? "" : `@${reference.digest}`;
  return `${reference.hostAndPath}/${reference.nameAndTag}${suffix}`;
}

function tryParse(text: string): ImageReference | { readonly problem: string } {
  if (text.length > maxTextLength) return { problem: "invalid reference format" };
  if (/^[a-f0-9]{64}$/.test(text)) {
    return { problem: `invalid repository name (${text}), cannot specify 64-byte hexadecimal strings` };
  }
  const { hostName, rest } = splitHost(text);
  const path = rest.split(":", 1)[0] ?? "";
  if (path !== path.toLowerCase()) {
    return { problem: `invalid reference format: repository name (${path}) must be lowercase` };
  }
  return assemble(hostName, rest);
}

function splitHost(text: string): { readonly hostName: string; readonly rest: string } {
  const slash = text.indexOf("/");
  const first = text.slice(0, Math.max(slash, 0));
  const isHost = slash >= 0 && (/[.:]/.test(first) || first === "localhost" || first !== first.toLowerCase());
  const hostName = isHost && first !== "index.docker.io" ? first : defaultHost;
  const rest = isHost ? text.slice(slash + 1) : text;
  return { hostName, rest: hostName === defaultHost && !rest.includes("/") ? `library/${rest}` : rest };
}

function assemble(hostName: string, rest: string): ImageReference | { readonly problem: string } {
  const [beforeDigest, digestText] = cut(rest, "@");
  const [path, tagText] = cut(beforeDigest, ":");
  const valid = name.test(`${hostName}/${path}`) && isTagOrAbsent(tagText) && isDigestOrAbsent(digestText);
  if (!valid) return { problem: "invalid reference format" };
  if (path.length > maxNameLength) return { problem: "repository name must not be more than 255 characters" };

  const full = `${hostName}/${path}`;
  const slash = full.lastIndexOf("/");
  const last = full.slice(slash + 1);
  return {
    hostAndPath: full.slice(0, slash),
    nameAndTag: tagText === undefined ? last : `${last}:${tagText}`,
    digest: digestText ?? "",
  };
}

/** The parts before and after the first separator; the second is `undefined` without one. */
function cut(text: string, separator: string): readonly [before: string, after: string | undefined] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}

function isTagOrAbsent(text: string | undefined): boolean {
  return text === undefined || tag.test(text);
}

function isDigestOrAbsent(text: string | undefined): boolean {
  return text === undefined || isDigest(text);
}

function isDigest(text: string): boolean {
  if (!digest.test(text)) return false;
  const [algorithm = "", hex = ""] = text.split(":");
  return digestLengths.get(algorithm) === hex.length;
}
