import { Secret } from "@kyma-operators/errors";
import { oci } from "./errors.ts";
import type { Repository } from "./reference.ts";

/** What a registry may be told about us. Printing it shows no secret. */
export interface Credential {
  readonly username?: string;
  readonly password?: Secret;
  /** An OAuth2 refresh token; exchanged for a bearer token. */
  readonly identityToken?: Secret;
  /** A bearer token that is sent as it is. */
  readonly registryToken?: Secret;
}

/**
 * Finds the credential for a repository, or nothing for anonymous access.
 *
 * It is asked again whenever a registry answers 401, so a rotated Secret needs no restart.
 */
export type CredentialSource = (repository: Pick<Repository, "host" | "path">) => Promise<Credential | undefined>;

/** Anonymous access everywhere. */
export const noCredentials: CredentialSource = async () => undefined;

/** The first source that knows the repository wins. */
export function firstOf(sources: readonly CredentialSource[]): CredentialSource {
  return async (repository) => {
    for (const source of sources) {
      const found = await source(repository);
      if (found !== undefined) return found;
    }
    return undefined;
  };
}

/** One entry of a docker config: where it applies, and what to say there. */
export interface CredentialEntry {
  readonly host: string;
  /** Empty: the whole host. */
  readonly path: string;
  readonly credential: Credential;
}

type Fields = Readonly<Record<string, unknown>>;

const sizeLimit = 1_048_576;

// Docker Hub answers to several names; its config key is the oldest of them.
const hubNames = new Set(["index.docker.io", "registry-1.docker.io", "docker.io"]);

function canonicalHost(host: string): string {
  const lower = host.toLowerCase();
  return hubNames.has(lower) ? "docker.io" : lower.replace(/:443$/, "");
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Takes `https://index.docker.io/v1/` and `reg.io:5000/team` apart. */
function splitKey(key: string): { host: string; path: string } {
  const [host = "", ...path] = key.replace(/^https?:\/\//, "").split("/");
  const joined = path.filter((part) => part !== "").join("/");
  return { host: canonicalHost(host), path: joined === "v1" || joined === "v2" ? "" : joined };
}

function text(fields: Fields, name: string): string | undefined {
  const value = fields[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}

function fromBasic(auth: string, refuse: (reason: string) => never): { username: string; password: string } {
  const decoded = Buffer.from(auth, "base64").toString("utf8").replace(/\0+$/, "");
  const colon = decoded.indexOf(":");
  if (colon < 0) return refuse("auth is not base64 of user:password");
  return { username: decoded.slice(0, colon), password: decoded.slice(colon + 1) };
}

function secretField(name: "identityToken" | "registryToken", value: string | undefined): Partial<Credential> {
  return value === undefined ? {} : { [name]: new Secret(value) };
}

function credentialOf(fields: Fields, refuse: (reason: string) => never): Credential {
  const auth = text(fields, "auth");
  const basic = auth === undefined ? undefined : fromBasic(auth, refuse);
  const username = basic?.username ?? text(fields, "username");
  const password = basic?.password ?? text(fields, "password");
  return {
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password: new Secret(password) }),
    ...secretField("identityToken", text(fields, "identitytoken")),
    ...secretField("registryToken", text(fields, "registrytoken")),
  };
}

function parseJson(content: string, refuse: (reason: string) => never): Fields {
  try {
    const value: unknown = JSON.parse(content);
    return isFields(value) ? value : refuse("expected a JSON object");
  } catch {
    // JSON.parse quotes the text around the fault, which may be a password; it must not become a cause.
    return refuse("expected a JSON object");
  }
}

/** Without `auths`: the hosts of a dockercfg stand at the top, where other settings of docker may stand as well. */
function legacyAuths(config: Fields): Fields {
  return Object.fromEntries(Object.entries(config).filter(([key]) => /[.:]|^localhost$/.test(key)));
}

/**
 * Reads `config.json` of docker, the data of a Secret of type `kubernetes.io/dockerconfigjson`, or
 * the older `kubernetes.io/dockercfg`, which is the value of `auths` alone.
 *
 * Entries without any credential (a credential helper keeps it) are left out.
 *
 * @param source - names the file or Secret in error texts.
 * @throws OCI_CREDENTIALS_MALFORMED
 */
export function parseDockerConfig(content: string, source: string): readonly CredentialEntry[] {
  const refuse = (reason: string): never => {
    throw oci.CREDENTIALS_MALFORMED({ source, reason });
  };
  if (content.length > sizeLimit) return refuse(`larger than ${sizeLimit} bytes`);
  const config = parseJson(content, refuse);
  const auths = config["auths"] ?? legacyAuths(config);
  if (!isFields(auths)) return refuse("auths must be an object");
  return Object.entries(auths).flatMap(([key, value]) => {
    if (!isFields(value)) return refuse(`the entry of ${JSON.stringify(key)} must be an object`);
    const credential = credentialOf(value, (reason) => refuse(`entry of ${JSON.stringify(key)}: ${reason}`));
    return Object.keys(credential).length === 0 ? [] : [{ ...splitKey(key), credential }];
  });
}

function hostMatches(pattern: string, host: string): boolean {
  if (!pattern.includes("*")) return pattern === host;
  // As the kubelet does: `*` stands for one label, never for a dot.
  const labels = host.split(".");
  const wanted = pattern.split(".");
  return wanted.length === labels.length && wanted.every((label, i) => globMatches(label, labels[i] ?? ""));
}

function globMatches(pattern: string, label: string): boolean {
  const [head = "", ...rest] = pattern.split("*");
  if (rest.length === 0) return head === label;
  const tail = rest.at(-1) ?? "";
  if (!label.startsWith(head) || label.length < head.length + tail.length || !label.endsWith(tail)) return false;
  let at = head.length;
  for (const part of rest.slice(0, -1)) {
    const found = label.indexOf(part, at);
    if (found < 0 || found + part.length > label.length - tail.length) return false;
    at = found + part.length;
  }
  return true;
}

function pathMatches(pattern: string, path: string): boolean {
  return pattern === "" || path === pattern || path.startsWith(`${pattern}/`);
}

/** Looks credentials up in parsed entries: the entry with the longest path wins, an exact host before a `*`. */
export function credentialsFrom(entries: readonly CredentialEntry[]): CredentialSource {
  const ordered = entries.toSorted(
    (a, b) => b.path.length - a.path.length || Number(a.host.includes("*")) - Number(b.host.includes("*")),
  );
  return async ({ host, path }) => {
    const wanted = canonicalHost(host);
    return ordered.find((entry) => hostMatches(entry.host, wanted) && pathMatches(entry.path, path))?.credential;
  };
}
