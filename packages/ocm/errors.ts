import { defineErrors } from "@kyma-operators/errors";

/** Everything that can be wrong with a component version. */
export const ocm = defineErrors("OCM", {
  /** The text is no component descriptor; `where` is a path such as `component.resources[0].name`. */
  DESCRIPTOR_INVALID: {
    retry: "never",
    text: (d: { source: string; where: string; reason: string }) =>
      `${d.source}: ${d.where === "" ? "" : `${d.where}: `}${d.reason}`,
  },
  /** Component names are a domain and a path. */
  NAME_INVALID: {
    retry: "on-change",
    text: (d: { name: string; reason: string }) => `component name ${JSON.stringify(d.name)}: ${d.reason}`,
  },
  /** Component versions are semantic versions; minor and patch may be left out. */
  VERSION_INVALID: {
    retry: "on-change",
    text: (d: { version: string; reason: string }) => `component version ${JSON.stringify(d.version)}: ${d.reason}`,
  },
  /** The repository context or the configured repository cannot be used. */
  REPOSITORY_INVALID: {
    retry: "on-change",
    text: (d: { repository: string; reason: string }) => `OCM repository ${JSON.stringify(d.repository)}: ${d.reason}`,
  },
  /** There is something under this name and version, but no component. */
  NOT_A_COMPONENT: {
    retry: "never",
    text: (d: { name: string; version: string; reason: string }) =>
      `failed to get config file for ocm artifact with name=${JSON.stringify(d.name)} and version=${JSON.stringify(d.version)}: ${d.reason}`,
  },
  /** Name or version in the descriptor are not those that were asked for. */
  IDENTITY_MISMATCH: {
    retry: "never",
    text: (d: { ref: string; want: string; got: string }) => `${d.ref}: expected component ${d.want}, found ${d.got}`,
  },
  /** The component has no resource of this name. */
  RESOURCE_MISSING: {
    retry: "on-change",
    text: (d: { component: string; resource: string; found: readonly string[] }) =>
      `${d.component} has no resource ${JSON.stringify(d.resource)}; found ${d.found.join(", ") || "none"}`,
  },
  /** The resource lies where we do not fetch from. */
  ACCESS_UNSUPPORTED: {
    retry: "on-change",
    text: (d: { component: string; resource: string; type: string; reason: string }) =>
      `${d.component}: resource ${d.resource}: access type ${JSON.stringify(d.type)} ${d.reason}`,
  },
  /** A digest in the descriptor is missing, or is not that of the content. */
  DIGEST_REFUSED: {
    retry: "never",
    // `reason` stands alone in conditions that name the component already
    text: (d: { component: string; reason: string }) => `${d.component}: ${d.reason}`,
  },
  /** The algorithm of a digest or signature is none of jsonNormalisation/v1, v2 and v3. */
  NORMALISATION_UNKNOWN: {
    retry: "never",
    text: (d: { algorithm: string }) =>
      `normalisation ${JSON.stringify(d.algorithm)} is unknown; expected jsonNormalisation/v1, v2 or v3`,
  },
  /** Unsigned, wrongly signed, or signed with another key. The component must not be used. */
  SIGNATURE_REFUSED: {
    retry: "on-change",
    text: (d: { component: string; reason: string }) => `${d.component}: ${d.reason}`,
  },
  /** The text is no key, or a key that is too weak or of another kind. */
  KEY_INVALID: {
    retry: "on-change",
    text: (d: { key: string; reason: string }) => `key ${d.key}: ${d.reason}`,
  },
  /** The verification policy itself cannot be read; nothing is trusted until it can. */
  POLICY_INVALID: {
    retry: "on-change",
    text: (d: { source: string; where: string; reason: string }) => `${d.source}: ${d.where}: ${d.reason}`,
  },
  /** The directory or archive is no transport archive (CTF). */
  TRANSPORT_INVALID: {
    retry: "never",
    text: (d: { archive: string; reason: string }) => `${d.archive}: not a common transport archive: ${d.reason}`,
  },
});

/** Refuses what a digest should have fixed; `resource` may also be the digest of a local blob. */
export function digestRefused(component: string, resource: string, why: string): Error {
  return ocm.DIGEST_REFUSED({ component, reason: `resource ${resource}: ${why}` });
}

/** Refuses a component because of one of its signatures. */
export function signatureRefused(component: string, signature: string, why: string): Error {
  return ocm.SIGNATURE_REFUSED({ component, reason: `signature ${JSON.stringify(signature)} refused: ${why}` });
}
