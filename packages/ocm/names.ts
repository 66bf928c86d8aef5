import { digestOf, joinRepository, type Repository } from "oras-js";
import { ocm } from "./errors.ts";

const nameLimit = 255;
const v2Name = "^[a-z][-a-z0-9]*([.][a-z][-a-z0-9]*)*[.][a-z]{2,}(/[a-z][-a-z0-9_]*([.][a-z][-a-z0-9_]*)*)+$";
const v3Name = "^[a-z0-9.\\-]+[.][a-z]{2,4}/[-a-z0-9/_.]*$";
const relaxedVersion =
  "^[v]?(0|[1-9]\\d*)(?:\\.(0|[1-9]\\d*))?(?:\\.(0|[1-9]\\d*))?(?:-((?:0|[1-9]\\d*|[a-zA-Z-][0-9a-zA-Z-]*)(?:\\.(?:0|[1-9]\\d*|[a-zA-Z-][0-9a-zA-Z-]*))*))?(?:\\+([0-9a-zA-Z-]+(?:\\.[0-9a-zA-Z-]+)*))?$";

/** Patterns of the published JSON schemas; they stand in error texts as they are. */
export const patterns = { v2Name, v3Name, relaxedVersion } as const;

const compiled = { v2Name: new RegExp(v2Name), v3Name: new RegExp(v3Name), version: new RegExp(relaxedVersion) };

/** True for a component name of schema v2, at most 255 characters. */
export function isComponentName(name: string): boolean {
  return name.length <= nameLimit && compiled.v2Name.test(name);
}

/** True for a component name of schema v3alpha1, whose pattern is laxer. */
export function isComponentNameV3(name: string): boolean {
  return name.length <= nameLimit && compiled.v3Name.test(name);
}

/** True for a relaxed semantic version: optional `v`, minor and patch may be left out. */
export function isComponentVersion(version: string): boolean {
  return version.length <= nameLimit && compiled.version.test(version);
}

const buildMark = ".build-";

/** The tag of a version: OCI tags cannot hold `+`. Throws OCM_VERSION_INVALID. */
export function tagOf(version: string): string {
  if (!isComponentVersion(version)) throw ocm.VERSION_INVALID({ version, reason: "expected a semantic version" });
  return version.replaceAll("+", buildMark);
}

/** The version behind a tag: the last `.build-` becomes `+`. */
export function versionOfTag(tag: string): string {
  const at = tag.lastIndexOf(buildMark);
  return at < 0 ? tag : `${tag.slice(0, at)}+${tag.slice(at + buildMark.length)}`;
}

/** How component names become repositories. */
export type ComponentNameMapping = "urlPath" | "sha256-digest";

/** Where component versions live: registry host with optional path, as people write it. */
export interface ComponentRepository {
  readonly baseUrl: string;
  readonly subPath?: string;
  /** Default `urlPath`. */
  readonly mapping?: ComponentNameMapping;
}

/** Reads the name of a mapping; empty means `urlPath`. Throws OCM_REPOSITORY_INVALID. */
export function parseMapping(text: string | undefined): ComponentNameMapping {
  if (text === undefined || text === "" || text === "urlPath") return "urlPath";
  if (text === "sha256-digest") return text;
  const reason = `error while parsing componentNameMapping ${text}: componentNameMapping not supported`;
  throw ocm.REPOSITORY_INVALID({ repository: text, reason });
}

/** The name of a component inside its OCM repository. */
export function mappedName(name: string, mapping: ComponentNameMapping): string {
  return mapping === "urlPath" ? name : digestOf(name).slice("sha256:".length);
}

function parseBase(baseUrl: string): { host: string; path: string; plainHttp: boolean } {
  const match = /^(?:(https?|oci):\/\/)?([^/]+)(\/.*)?$/.exec(baseUrl);
  if (match === null) {
    throw ocm.REPOSITORY_INVALID({ repository: baseUrl, reason: "expected [scheme://]host[:port][/path]" });
  }
  return { host: match[2] ?? "", path: match[3] ?? "", plainHttp: match[1] === "http" };
}

/**
 * The OCI repository that holds the versions of a component.
 *
 * `urlPath`: `<baseUrl>[/<subPath>]/component-descriptors/<name>`; `sha256-digest`:
 * `<baseUrl>[/<subPath>]/<hex sha256 of the name>`, without that segment.
 *
 * @throws OCM_NAME_INVALID, OCM_REPOSITORY_INVALID, OCI_REFERENCE_INVALID
 */
export function repositoryFor(where: ComponentRepository, name: string): Repository {
  const { baseUrl, subPath = "", mapping = "urlPath" } = where;
  if (!isComponentName(name) && !isComponentNameV3(name)) {
    const reason = "expected a domain and a path, for example example.org/module/demo";
    throw ocm.NAME_INVALID({ name: name.slice(0, 300), reason });
  }
  const prefix = mapping === "urlPath" ? "component-descriptors" : "";
  return joinRepository(parseBase(baseUrl), subPath, prefix, mappedName(name, mapping));
}
