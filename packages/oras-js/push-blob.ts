import { retryOf } from "@kyma-operators/errors";
import { digestOf } from "./digest.ts";
import { oci } from "./errors.ts";
import type { Descriptor } from "./manifest.ts";
import { mediaTypes } from "./media-types.ts";
import { hasBlob } from "./pull-blob.ts";
import type { CallOptions } from "./pull-manifest.ts";
import { formatRepository, type Repository } from "./reference.ts";
import type { Call, Session } from "./session.ts";

/** Content to push: bytes, or a stream that can be opened again for a retry. */
export type BlobSource = Uint8Array | StreamSource;

export interface StreamSource {
  readonly digest: string;
  /** Bytes. */
  readonly size: number;
  /** Yields the content from `offset` on. */
  open(offset: number): AsyncIterable<Uint8Array>;
}

export interface PushBlobOptions extends CallOptions {
  /** Media type of the descriptor that comes back; registries do not keep it. */
  readonly mediaType?: string;
  /** A repository of the same registry that has the blob already; saves the transfer. */
  readonly mountFrom?: string;
  /** Sends the content in pieces of this many bytes. Default: in one piece. */
  readonly chunkBytes?: number;
}

const deadlineMs = 600_000;
const chunkAttempts = 5;
const uploadAttempts = 3;

function streamOf(source: BlobSource): StreamSource {
  if (!(source instanceof Uint8Array)) return source;
  return {
    digest: digestOf(source),
    size: source.length,
    open: async function* (offset) {
      yield source.subarray(offset);
    },
  };
}

/** One upload session: where the next request goes, and what every request has in common. */
interface Upload {
  readonly session: Session;
  readonly source: StreamSource;
  readonly call: Pick<Call, "ref" | "repository" | "actions" | "deadlineMs" | "signal">;
}

type Answer = Awaited<ReturnType<Session["send"]>>;

function locationOf({ call }: Upload, answer: Answer): URL {
  const location = answer.headers["location"];
  const url = location === undefined ? null : URL.parse(location, answer.url.href);
  if (url !== null) return url;
  throw oci.UPLOAD_INVALID({ ref: call.ref, host: call.repository.host, reason: "the answer has no usable Location" });
}

/** An upload that has begun. */
interface Begun {
  readonly location: URL;
  /** The registry takes no smaller chunks, but for the last one. */
  readonly minChunkBytes: number;
}

/** Nothing, when the blob was mounted. */
async function begin(upload: Upload, mountFrom: string | undefined): Promise<Begun | undefined> {
  const { session, call, source } = upload;
  const mount = mountFrom === undefined ? undefined : new URLSearchParams({ mount: source.digest, from: mountFrom });
  const answer = await session.send({
    ...call,
    ...(mountFrom === undefined ? {} : { mountFrom }),
    method: "POST",
    url: `${call.repository.path}/blobs/uploads/${mount === undefined ? "" : `?${mount.toString()}`}`,
    headers: { "content-length": "0" },
    expect: mount === undefined ? [202] : [201, 202],
  });
  await answer.discard();
  if (answer.status === 201) return undefined;
  const minChunkBytes = Number(answer.headers["oci-chunk-min-length"] ?? 0);
  return {
    location: locationOf(upload, answer),
    minChunkBytes: Number.isSafeInteger(minChunkBytes) ? minChunkBytes : 0,
  };
}

/** Ends an upload; `from` is what the registry has already. */
async function finish({ session, call, source }: Upload, location: URL, from: number): Promise<void> {
  const url = new URL(location);
  url.searchParams.set("digest", source.digest);
  const rest = source.size - from;
  const answer = await session.send({
    ...call,
    method: "PUT",
    url,
    headers: { "content-type": mediaTypes.octetStream, "content-length": String(rest) },
    ...(rest > 0 ? { body: () => source.open(from) } : {}),
    expect: [201],
    repeatable: false,
  });
  await answer.discard();
}

async function* upTo(stream: AsyncIterable<Uint8Array>, bytes: number): AsyncGenerator<Uint8Array> {
  let left = bytes;
  for await (const chunk of stream) {
    yield chunk.subarray(0, left);
    left -= chunk.length;
    if (left <= 0) return;
  }
}

/** Asks the registry how much it has, after a chunk whose answer was lost. */
async function progressOf(upload: Upload, location: URL): Promise<{ location: URL; received: number }> {
  const answer = await upload.session.send({ ...upload.call, method: "GET", url: location, expect: [204] });
  await answer.discard();
  const last = /^(?:bytes=)?0-(\d+)$/.exec(answer.headers["range"] ?? "")?.[1];
  const next = answer.headers["location"] === undefined ? location : locationOf(upload, answer);
  return { location: next, received: last === undefined ? 0 : Number(last) + 1 };
}

async function sendChunk(upload: Upload, location: URL, from: number, chunkBytes: number): Promise<URL> {
  const { session, call, source } = upload;
  const length = Math.min(chunkBytes, source.size - from);
  const answer = await session.send({
    ...call,
    method: "PATCH",
    url: location,
    headers: {
      "content-type": mediaTypes.octetStream,
      "content-length": String(length),
      "content-range": `${from}-${from + length - 1}`,
    },
    body: () => upTo(source.open(from), length),
    expect: [202],
    repeatable: false,
  });
  await answer.discard();
  return locationOf(upload, answer);
}

async function sendChunks(upload: Upload, first: URL, chunkBytes: number): Promise<URL> {
  let state = { location: first, received: 0 };
  let failures = 0;
  while (state.received < upload.source.size) {
    const { location, received } = state;
    try {
      const next = await sendChunk(upload, location, received, chunkBytes);
      state = { location: next, received: Math.min(received + chunkBytes, upload.source.size) };
    } catch (error) {
      failures += 1;
      if (failures >= chunkAttempts || upload.call.signal?.aborted === true) throw error;
      state = await progressOf(upload, location);
    }
  }
  return state.location;
}

/**
 * Pushes a blob unless the repository has it; a blob that exists elsewhere in the registry is mounted.
 *
 * @returns its descriptor
 * @throws OCI_UPLOAD_INVALID, OCI_DIGEST_MISMATCH, OCI_UNAUTHORIZED …
 */
export async function pushBlob(
  session: Session,
  repository: Repository,
  content: BlobSource,
  options: PushBlobOptions = {},
): Promise<Descriptor> {
  const { signal, mediaType = mediaTypes.octetStream, mountFrom, chunkBytes } = options;
  const source = streamOf(content);
  const ref = `${formatRepository(repository)}@${source.digest}`;
  const descriptor: Descriptor = { mediaType, digest: source.digest, size: source.size };
  if (await hasBlob(session, repository, source.digest, signal === undefined ? {} : { signal })) return descriptor;

  const upload: Upload = { session, source, call: { ref, repository, actions: ["pull", "push"], deadlineMs, signal } };
  await retried(upload, (attempt) => transfer(upload, attempt === 1 ? mountFrom : undefined, chunkBytes));
  return descriptor;
}

/** An upload session cannot be trusted after a failure, so all of it begins anew. */
async function retried({ session, call: { signal } }: Upload, work: (attempt: number) => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await work(attempt);
      return;
    } catch (error) {
      if (retryOf(error) !== "backoff" || attempt >= uploadAttempts || signal?.aborted === true) throw error;
      await session.pause(attempt, signal);
    }
  }
}

async function transfer(upload: Upload, mountFrom: string | undefined, chunkBytes: number | undefined): Promise<void> {
  const begun = await begin(upload, mountFrom);
  if (begun === undefined) return;
  if (chunkBytes === undefined) return finish(upload, begun.location, 0);
  const location = await sendChunks(upload, begun.location, Math.max(chunkBytes, begun.minChunkBytes));
  return finish(upload, location, upload.source.size);
}

/** Deletes a blob from a repository. */
export async function deleteBlob(
  session: Session,
  repository: Repository,
  digest: string,
  { signal }: CallOptions = {},
): Promise<void> {
  const answer = await session.send({
    ref: `${formatRepository(repository)}@${digest}`,
    repository,
    actions: ["pull", "push", "delete"],
    method: "DELETE",
    url: `${repository.path}/blobs/${digest}`,
    expect: [202],
    deadlineMs,
    signal,
  });
  await answer.discard();
}
