import { isAppError } from "@kyma-operators/errors";
import { collect, collectExactly } from "./body.ts";
import { createDigester, digestOf, parseDigest } from "./digest.ts";
import { oci } from "./errors.ts";
import { type Descriptor, type Manifest, parseManifest } from "./manifest.ts";
import { manifestTypes } from "./media-types.ts";
import { formatReference, formatRepository, manifestKey, type Reference, type Repository } from "./reference.ts";
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

/** A blob by digest; without size a limit in bytes applies. */
export interface BlobTarget {
  readonly digest: string;
  /** Bytes, when a descriptor says so; any other length is an error. */
  readonly size?: number;
  /** Without `size`: the most that is read. Default 64 MiB. */
  readonly limitBytes?: number;
}

// The distribution specification asks registries to accept manifests of 4 MiB, and few accept more.
const manifestLimitBytes = 4_194_304;
const blobLimitBytes = 67_108_864;
const manifestDeadlineMs = 60_000;
const blobDeadlineMs = 600_000;
const resumeLimit = 5;

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
    deadlineMs: manifestDeadlineMs,
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

function blobName(repository: Repository, target: BlobTarget): string {
  return `${formatRepository(repository)}@${target.digest}`;
}

function requestBlob(
  session: Session,
  repository: Repository,
  target: BlobTarget,
  more: { from: number; signal: AbortSignal | undefined },
): ReturnType<Session["send"]> {
  return session.send({
    ref: blobName(repository, target),
    repository,
    actions: ["pull"],
    method: "GET",
    url: `${repository.path}/blobs/${target.digest}`,
    headers: more.from > 0 ? { range: `bytes=${more.from}-` } : {},
    expect: more.from > 0 ? [200, 206] : [200],
    deadlineMs: blobDeadlineMs,
    signal: more.signal,
  });
}

/** The bytes from `from` on; a server that ignores the range sends all of them again. */
async function* fromOffset(response: HttpResponse, from: number): AsyncGenerator<Uint8Array> {
  const range = /^bytes (\d+)-/.exec(response.headers["content-range"] ?? "");
  let skip = from - (response.status === 206 ? Number(range?.[1] ?? from) : 0);
  for await (const chunk of response.body) {
    if (chunk.length > skip) yield skip > 0 ? chunk.subarray(skip) : chunk;
    skip = Math.max(0, skip - chunk.length);
  }
}

/** Counts and hashes what passes, and stops at the first byte too many. */
class Verifier {
  readonly #ref: string;
  readonly #target: BlobTarget;
  readonly #digester;
  #bytes = 0;

  constructor(ref: string, target: BlobTarget) {
    this.#ref = ref;
    this.#target = target;
    this.#digester = createDigester(parseDigest(target.digest).algorithm);
  }

  get bytes(): number {
    return this.#bytes;
  }

  get short(): boolean {
    return this.#target.size !== undefined && this.#bytes < this.#target.size;
  }

  add(chunk: Uint8Array): void {
    this.#bytes += chunk.length;
    const { size, limitBytes = blobLimitBytes } = this.#target;
    if (size !== undefined && this.#bytes > size) {
      throw oci.SIZE_MISMATCH({ ref: this.#ref, wantBytes: size, gotBytes: this.#bytes });
    }
    if (size === undefined && this.#bytes > limitBytes) throw oci.TOO_LARGE({ ref: this.#ref, limitBytes });
    this.#digester.update(chunk);
  }

  finish(): void {
    const { size, digest: want } = this.#target;
    if (size !== undefined && size !== this.#bytes) {
      throw oci.SIZE_MISMATCH({ ref: this.#ref, wantBytes: size, gotBytes: this.#bytes });
    }
    const got = this.#digester.digest();
    if (got !== want) throw oci.DIGEST_MISMATCH({ ref: this.#ref, want, got });
  }
}

/**
 * Streams a blob. A broken transfer is resumed where it stopped.
 *
 * The digest is known only at the end: whoever reads must not use a byte before the iteration has
 * ended without an error.
 *
 * @throws OCI_DIGEST_MISMATCH, OCI_SIZE_MISMATCH, OCI_TOO_LARGE, OCI_TRUNCATED
 */
export async function* openBlob(
  session: Session,
  repository: Repository,
  target: BlobTarget,
  { signal }: CallOptions = {},
): AsyncGenerator<Uint8Array> {
  const ref = blobName(repository, target);
  const verifier = new Verifier(ref, target);
  for (let broken = 0; ; broken += 1) {
    const response = await requestBlob(session, repository, target, { from: verifier.bytes, signal });
    try {
      for await (const chunk of fromOffset(response, verifier.bytes)) {
        verifier.add(chunk);
        yield chunk;
      }
      if (!verifier.short) break;
    } catch (error) {
      if (isAppError(error) || signal?.aborted === true) throw error;
    }
    if (broken >= resumeLimit) throw oci.TRUNCATED({ ref, gotBytes: verifier.bytes });
  }
  verifier.finish();
}

/** Pulls a whole blob into memory; returns verified bytes only. */
export async function pullBlob(
  session: Session,
  repository: Repository,
  target: BlobTarget,
  options: CallOptions = {},
): Promise<Uint8Array> {
  const { limitBytes = blobLimitBytes, size } = target;
  const ref = blobName(repository, target);
  if (size !== undefined && size > limitBytes) throw oci.TOO_LARGE({ ref, limitBytes });
  const stream = openBlob(session, repository, target, options);
  return size === undefined ? collect(stream, { ref, limitBytes }) : collectExactly(stream, size);
}

/** Whether the repository has the blob. */
export async function hasBlob(
  session: Session,
  repository: Repository,
  digest: string,
  { signal }: CallOptions = {},
): Promise<boolean> {
  const response = await session.send({
    ref: blobName(repository, { digest }),
    repository,
    actions: ["pull"],
    method: "HEAD",
    url: `${repository.path}/blobs/${digest}`,
    expect: [200, 404],
    deadlineMs: manifestDeadlineMs,
    signal,
  });
  await response.discard();
  return response.status === 200;
}
