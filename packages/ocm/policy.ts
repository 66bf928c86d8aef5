import { textOf } from "@kyma-operators/errors";
import { parseYaml } from "@kyma-operators/yaml";
import { ocm } from "./errors.ts";

/** What must hold before content of a repository is used. */
export type Requirement = "none" | "digest" | "signature";

/** Where a public key is: in the policy, in a Secret by name, or in Secrets that carry the labels of the signature. */
export type KeyReference =
  | { readonly kind: "pem"; readonly pem: string }
  | { readonly kind: "secret"; readonly namespace: string; readonly name: string; readonly key: string }
  | { readonly kind: "labelled" };

export interface PolicyRule {
  /** Pattern over `host/path`: `*` stands for one segment or a part of it, `**` for any number of segments. */
  readonly repository: string;
  readonly require: Requirement;
  /** Name of the signature; for components only. */
  readonly signature: string;
  readonly keys: readonly KeyReference[];
}

/** Rules for components and for images; the first that matches a repository decides. */
export interface VerificationPolicy {
  readonly components: readonly PolicyRule[];
  readonly images: readonly PolicyRule[];
}

export interface PolicyOptions {
  /** Names the file in error texts. */
  readonly source?: string;
  /** The name of a signature where a rule gives none. */
  readonly signature: string;
}

type Fields = Readonly<Record<string, unknown>>;
type Fail = (where: string, reason: string) => never;

const requirements: readonly Requirement[] = ["none", "digest", "signature"];

function fieldsOf(value: unknown, where: string, { known, fail }: { known: readonly string[]; fail: Fail }): Fields {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return fail(where, "expected an object");
  // a misspelt field must not silently weaken a rule
  const unknown = Object.keys(value).find((key) => !known.includes(key));
  return unknown === undefined
    ? (value as Fields)
    : fail(`${where}.${unknown}`, `unknown field, expected ${known.join(", ")}`);
}

function stringOf(value: unknown, where: string, fail: Fail): string {
  return typeof value === "string" && value !== "" ? value : fail(where, "expected a text");
}

function listOf<T>(
  value: unknown,
  where: string,
  { read, fail }: { read: (entry: unknown, where: string) => T; fail: Fail },
): readonly T[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) return fail(where, "expected a list");
  return value.map((entry: unknown, i) => read(entry, `${where}[${i}]`));
}

function readKey(value: unknown, where: string, fail: Fail): KeyReference {
  const { pem, secret } = fieldsOf(value, where, { known: ["pem", "secret"], fail });
  if (pem !== undefined) return { kind: "pem", pem: stringOf(pem, `${where}.pem`, fail) };
  const { namespace, name, key } = fieldsOf(secret, `${where}.secret`, { known: ["namespace", "name", "key"], fail });
  return {
    kind: "secret",
    namespace: stringOf(namespace, `${where}.secret.namespace`, fail),
    name: stringOf(name, `${where}.secret.name`, fail),
    key: key === undefined ? "key" : stringOf(key, `${where}.secret.key`, fail),
  };
}

function readRule(value: unknown, where: string, { signature, fail }: { signature: string; fail: Fail }): PolicyRule {
  const fields = fieldsOf(value, where, { known: ["repository", "require", "signature", "keys"], fail });
  const require = requirements.find((known) => known === fields["require"]);
  if (require === undefined) return fail(`${where}.require`, `expected one of ${requirements.join(", ")}`);
  const keys = listOf(fields["keys"], `${where}.keys`, { read: (entry, at) => readKey(entry, at, fail), fail });
  return {
    repository: stringOf(fields["repository"], `${where}.repository`, fail),
    require,
    signature:
      fields["signature"] === undefined ? signature : stringOf(fields["signature"], `${where}.signature`, fail),
    keys: keys.length === 0 ? [{ kind: "labelled" }] : keys,
  };
}

/**
 * Reads a verification policy in YAML: `components` and `images`, each a list of rules.
 *
 * @throws OCM_POLICY_INVALID for anything it does not know; nothing may be trusted until it is repaired
 */
export function parseVerificationPolicy(text: string, options: PolicyOptions): VerificationPolicy {
  const { source = "verification policy", signature } = options;
  const fail: Fail = (where, reason) => {
    throw ocm.POLICY_INVALID({ source, where, reason });
  };
  let document: unknown;
  try {
    document = parseYaml(text, { name: source, duplicateKeys: "error" });
  } catch (error) {
    return fail("document", textOf(error));
  }
  const { components, images } = fieldsOf(document, "document", { known: ["components", "images"], fail });
  const read = (entry: unknown, where: string): PolicyRule => readRule(entry, where, { signature, fail });
  return {
    components: listOf(components, "components", { read, fail }),
    images: listOf(images, "images", { read, fail }),
  };
}

/** Whether a text fits a pattern without `/`, in which `*` stands for any characters. */
function segmentMatches(pattern: string, text: string): boolean {
  const [head = "", ...rest] = pattern.split("*");
  if (!text.startsWith(head)) return false;
  let at = head.length;
  for (const [i, part] of rest.entries()) {
    const found = i === rest.length - 1 ? text.length - part.length : text.indexOf(part, at);
    if (found < at || !text.startsWith(part, found)) return false;
    at = found + part.length;
  }
  return at === text.length;
}

function pathMatches(pattern: readonly string[], path: readonly string[]): boolean {
  const [first, ...rest] = pattern;
  if (first === undefined) return path.length === 0;
  if (first === "**") return rest.length === 0 || path.some((_, i) => pathMatches(rest, path.slice(i)));
  const [segment, ...others] = path;
  return segment !== undefined && segmentMatches(first, segment) && pathMatches(rest, others);
}

/** The first rule for a repository, `host/path`; nothing when none matches, which requires nothing. */
export function ruleFor(rules: readonly PolicyRule[], repository: string): PolicyRule | undefined {
  const path = repository.split("/");
  return rules.find((rule) => pathMatches(rule.repository.split("/"), path));
}
