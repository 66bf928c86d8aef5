import { defineErrors } from "@kyma-operators/errors";

/** Everything that can be wrong with a component version. */
export const ocm = defineErrors("OCM", {
  /** The text is no component descriptor; `where` is a path such as `component.resources[0].name`. */
  DESCRIPTOR_INVALID: {
    retry: "never",
    text: (d: { source: string; where: string; reason: string }) =>
      `${d.source}: ${d.where === "" ? "" : `${d.where}: `}${d.reason}`,
  },
  NAME_INVALID: {
    retry: "on-change",
    text: (d: { name: string; reason: string }) => `component name ${JSON.stringify(d.name)}: ${d.reason}`,
  },
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
  RESOURCE_MISSING: {
    retry: "on-change",
    text: (d: { component: string; resource: string; found: readonly string[] }) =>
      `${d.component} has no resource ${JSON.stringify(d.resource)}; found ${d.found.join(", ") || "none"}`,
  },
  ACCESS_UNSUPPORTED: {
    retry: "on-change",
    text: (d: { component: string; resource: string; type: string; reason: string }) =>
      `${d.component}: resource ${d.resource}: access type ${JSON.stringify(d.type)} ${d.reason}`,
  },
  /** A digest in the descriptor is missing, or is not that of the content. */
  DIGEST_REFUSED: {
    retry: "never",
    text: (d: { component: string; resource: string; reason: string }) =>
      `${d.component}: resource ${d.resource}: ${d.reason}`,
  },
  NORMALISATION_UNKNOWN: {
    retry: "never",
    text: (d: { algorithm: string }) =>
      `normalisation ${JSON.stringify(d.algorithm)} is unknown; expected jsonNormalisation/v1, v2 or v3`,
  },
  /** Unsigned, wrongly signed, or signed with another key. The component must not be used. */
  SIGNATURE_REFUSED: {
    retry: "on-change",
    text: (d: { component: string; signature: string; reason: string }) =>
      `${d.component}: signature ${JSON.stringify(d.signature)} refused: ${d.reason}`,
  },
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
