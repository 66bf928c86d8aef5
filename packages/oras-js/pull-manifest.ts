import { collect } from "./body.ts";
import { digestOf, parseDigest } from "./digest.ts";
import { oci } from "./errors.ts";
import { type Descriptor, type Manifest, parseManifest } from "./manifest.ts";
import { manifestTypes } from "./media-types.ts";
import { formatReference, manifestKey, type Reference } from "./reference.ts";
import type { Session } from "./session.ts";
import type { HttpResponse } from "./transport.ts";

/** Options of every call. */
export interface CallOptions {
  readonly signal?: AbortSignal;
}

/** A manifest with the exact bytes that its digest is of. */
export interface PulledManifest {
  readonly descriptor: Descriptor;
  readonly bytes: Uint8Array;
  readonly manifest: Manifest;
}

// The distribution specification asks registries to accept manifests of 4 MiB, and few accept more.
const manifestLimitBytes = 4_194_304;
const deadlineMs = 60_000;

const acceptManifests = { accept: [...manifestTypes, "application/json;q=0.5"].join(", ") };

function contentType(response: HttpResponse): string {
  return (response.headers["content-type"] ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
}

function requestManifest(
  session: Session,
  ref: Reference,
  method: "GET" | "HEAD",
  signal: AbortSignal | undefined,
): ReturnType<Session["send"]> {
  return session.send({
    ref: formatReference(ref),
    repository: ref,
    actions: ["pull"],
    method,
    url: `${ref.path}/manifests/${manifestKey(ref)}`,
    headers: acceptManifests,
    expect: [200],
    deadlineMs: deadlineMs,
    signal,
  });
}

/**
 * Finds what a tag points at now, without its content where the registry allows that.
 *
 * @throws OCI_NOT_FOUND and the other errors of a request
 */
export async function resolve(session: Session, ref: Reference, { signal }: CallOptions = {}): Promise<Descriptor> {
  const response = await requestManifest(session, ref, "HEAD", signal);
  await response.discard();
  const digest = response.headers["docker-content-digest"];
  const size = Number(response.headers["content-length"] ?? Number.NaN);
  const mediaType = contentType(response);
  const complete = digest !== undefined && Number.isSafeInteger(size) && manifestTypes.includes(mediaType);
  if (!complete) return (await pullManifest(session, ref, { ...(signal && { signal }) })).descriptor;
  parseDigest(digest);
  if (ref.digest !== undefined && ref.digest !== digest) {
    throw oci.DIGEST_MISMATCH({ ref: formatReference(ref), want: ref.digest, got: digest });
  }
  return { mediaType, digest, size };
}

/** The digest that the bytes must have: the one asked for, else the one that the registry claims for a tag. */
function checkManifestDigest(ref: Reference, response: HttpResponse, bytes: Uint8Array): string {
  const want = ref.digest ?? response.headers["docker-content-digest"];
  if (want === undefined) return digestOf(bytes);
  const got = digestOf(bytes, parseDigest(want).algorithm);
  if (got !== want) throw oci.DIGEST_MISMATCH({ ref: formatReference(ref), want, got });
  return want;
}

function looksLikeHtml(bytes: Uint8Array): boolean {
  return /^\s*</.test(new TextDecoder().decode(bytes.subarray(0, 64)));
}

/** Many registries and static file servers say nothing useful; then the document speaks for itself. */
function mediaTypeOf(response: HttpResponse, bytes: Uint8Array): string {
  const said = contentType(response);
  if (
    manifestTypes.includes(said) ||
    !["", "application/json", "application/octet-stream", "text/plain"].includes(said)
  )
    return said;
  try {
    const own = (JSON.parse(new TextDecoder().decode(bytes)) as { mediaType?: unknown } | null)?.mediaType;
    return typeof own === "string" ? own : said;
  } catch {
    return said;
  }
}

/**
 * Pulls a manifest or index, and verifies its digest.
 *
 * @throws OCI_DIGEST_MISMATCH, OCI_NOT_A_REGISTRY, OCI_MANIFEST_INVALID, OCI_MEDIA_TYPE_UNKNOWN, OCI_TOO_LARGE
 */
export async function pullManifest(
  session: Session,
  ref: Reference,
  { signal }: CallOptions = {},
): Promise<PulledManifest> {
  const name = formatReference(ref);
  const response = await requestManifest(session, ref, "GET", signal);
  const bytes = await collect(response.body, { ref: name, limitBytes: manifestLimitBytes });
  const said = contentType(response);
  if (said === "text/html" || looksLikeHtml(bytes)) {
    throw oci.NOT_A_REGISTRY({ ref: name, host: ref.host, found: "an HTML page" });
  }
  const digest = checkManifestDigest(ref, response, bytes);
  const mediaType = mediaTypeOf(response, bytes);
  return {
    descriptor: { mediaType, digest, size: bytes.length },
    bytes,
    manifest: parseManifest(bytes, mediaType, name),
  };
}
