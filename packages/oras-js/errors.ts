import { defineErrors } from "@kyma-operators/errors";

/** How the pull was tried, for errors that tell the reader which credential to look at. */
export type CredentialUse = "no credentials" | "the configured credentials";

const fixAccess = (d: { use: CredentialUse }): string =>
  d.use === "no credentials" ? "add credentials for this host" : "check user, password and access rights";

/** Everything that can go wrong between us and a registry. Texts name the reference, never a credential. */
export const oci = defineErrors("OCI", {
  /** The text is no image reference or repository name. */
  REFERENCE_INVALID: {
    retry: "on-change",
    text: (d: { text: string; reason: string }) => `${JSON.stringify(d.text)} is no OCI reference: ${d.reason}`,
  },
  /** Digests are `sha256:` or `sha512:` and lower-case hex. */
  DIGEST_INVALID: {
    retry: "on-change",
    text: (d: { text: string }) =>
      `${JSON.stringify(d.text)} is no digest: expected sha256:<64 hex> or sha512:<128 hex>`,
  },
  /** The registry sent other bytes than the reference names. Never use them. */
  DIGEST_MISMATCH: {
    retry: "never",
    text: (d: { ref: string; want: string; got: string }) =>
      `${d.ref}: expected ${d.want}, the registry sent ${d.got}; the content was changed, push it again`,
  },
  /** The content is longer or shorter than its descriptor says. */
  SIZE_MISMATCH: {
    retry: "never",
    text: (d: { ref: string; wantBytes: number; gotBytes: number }) =>
      `${d.ref}: expected ${d.wantBytes} bytes, the registry sent ${d.gotBytes}`,
  },
  /** The content is larger than the caller allows. */
  TOO_LARGE: {
    retry: "on-change",
    text: (d: { ref: string; limitBytes: number }) => `${d.ref} is larger than the limit of ${d.limitBytes} bytes`,
  },
  /** The connection ended before the content did, more often than we resume. */
  TRUNCATED: {
    retry: "backoff",
    text: (d: { ref: string; gotBytes: number }) => `${d.ref}: the transfer broke off after ${d.gotBytes} bytes`,
  },
  /** The registry has nothing under this reference. */
  NOT_FOUND: {
    retry: "backoff",
    text: (d: { ref: string }) => `${d.ref} does not exist in the registry; check the reference or push it`,
  },
  /** 401 after the challenge was answered. */
  UNAUTHORIZED: {
    retry: "on-change",
    text: (d: { ref: string; host: string; use: CredentialUse }) =>
      `${d.ref}: ${d.host} refused ${d.use} (401); ${fixAccess(d)}`,
  },
  /** 403: the registry knows who asks, and says no. */
  FORBIDDEN: {
    retry: "on-change",
    text: (d: { ref: string; host: string; use: CredentialUse }) =>
      `${d.ref}: ${d.host} denied access with ${d.use} (403); ${fixAccess(d)}`,
  },
  /** The 401 carried no challenge that we can answer. */
  CHALLENGE_INVALID: {
    retry: "backoff",
    text: (d: { ref: string; host: string; reason: string }) =>
      `${d.ref}: ${d.host} asked for credentials in a way that cannot be answered: ${d.reason}`,
  },
  /** The docker config or Secret cannot be read. */
  CREDENTIALS_MALFORMED: {
    retry: "on-change",
    text: (d: { source: string; reason: string }) => `registry credentials in ${d.source} are malformed: ${d.reason}`,
  },
  /** 429, with a longer Retry-After than we wait for, or too often. */
  THROTTLED: {
    retry: "backoff",
    text: (d: { ref: string; host: string; retryAfterMs: number }) =>
      `${d.ref}: ${d.host} throttles requests (429), next try in ${Math.ceil(d.retryAfterMs / 1000)} s`,
  },
  /** The registry or token service answered 5xx or 408, again and again. */
  UNAVAILABLE: {
    retry: "backoff",
    text: (d: { ref: string; host: string; status: number }) => `${d.ref}: ${d.host} answered ${d.status}`,
  },
  /** No connection, no TLS, or no complete answer in time. */
  UNREACHABLE: {
    retry: "backoff",
    text: (d: { ref: string; host: string; reason: string }) => `${d.ref}: ${d.host} cannot be reached: ${d.reason}`,
  },
  /** Any other answer of 400 and above. */
  REFUSED: {
    retry: "on-change",
    text: (d: { ref: string; host: string; status: number; reason: string }) =>
      `${d.ref}: ${d.host} refused the request (${d.status}): ${d.reason}`,
  },
  /** A redirect, upload location, page or token service that we do not follow. */
  REDIRECT_REFUSED: {
    retry: "on-change",
    text: (d: { ref: string; host: string; reason: string }) => `${d.ref}: redirect of ${d.host} refused: ${d.reason}`,
  },
  /** The reference asks for plain HTTP where it is switched off. */
  PLAIN_HTTP_REFUSED: {
    retry: "on-change",
    text: (d: { ref: string; host: string }) => `${d.ref}: plain http to ${d.host} is switched off; use https`,
  },
  /** HTML or another answer that no registry gives: a proxy, a login page, a wrong host. */
  NOT_A_REGISTRY: {
    retry: "backoff",
    text: (d: { ref: string; host: string; found: string }) =>
      `${d.ref}: ${d.host} does not answer like an OCI registry: expected JSON, found ${d.found}`,
  },
  /** The manifest is no JSON, or a field of it is wrong. */
  MANIFEST_INVALID: {
    retry: "never",
    text: (d: { ref: string; reason: string }) => `${d.ref}: manifest is invalid: ${d.reason}`,
  },
  /** Neither an OCI nor a Docker v2 manifest or index. */
  MEDIA_TYPE_UNKNOWN: {
    retry: "never",
    text: (d: { ref: string; found: string }) =>
      `${d.ref}: media type ${JSON.stringify(d.found)} is not supported; expected an OCI or Docker v2 manifest or index`,
  },
  /** The index has no manifest for the platform, or none at all. */
  PLATFORM_MISSING: {
    retry: "on-change",
    text: (d: { ref: string; platform: string; found: readonly string[] }) =>
      `${d.ref}: index has no manifest for ${d.platform}; found ${d.found.join(", ") || "no manifest at all"}`,
  },
  /** The registry broke the upload protocol. */
  UPLOAD_INVALID: {
    retry: "backoff",
    text: (d: { ref: string; host: string; reason: string }) => `${d.ref}: upload to ${d.host} failed: ${d.reason}`,
  },
  /** The archive is cut off or damaged. */
  ARCHIVE_INVALID: {
    retry: "never",
    text: (d: { archive: string; reason: string }) => `${d.archive}: not a readable tar archive: ${d.reason}`,
  },
  /** The archive is larger, or has more or longer entries, than allowed. */
  ARCHIVE_LIMIT: {
    retry: "never",
    text: (d: { archive: string; limit: string; value: number }) =>
      `${d.archive}: archive exceeds the limit ${d.limit} of ${d.value}`,
  },
  /** A name or an entry type that could reach outside the archive. */
  ARCHIVE_ENTRY_REFUSED: {
    retry: "never",
    text: (d: { archive: string; entry: string; reason: string }) =>
      `${d.archive}: entry ${JSON.stringify(d.entry)} refused: ${d.reason}`,
  },
  /** The directory or file is no OCI image layout. */
  LAYOUT_INVALID: {
    retry: "on-change",
    text: (d: { layout: string; reason: string }) => `${d.layout}: not an OCI image layout: ${d.reason}`,
  },
  /** The image carries no cosign signature of a known key. */
  SIGNATURE_INVALID: {
    retry: "on-change",
    text: (d: { ref: string; reason: string }) => `${d.ref}: signature refused: ${d.reason}`,
  },
});
