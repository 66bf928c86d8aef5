import { isAppError } from "@kyma-operators/errors";
import { collect, collectExactly } from "./body.ts";
import { createDigester, parseDigest } from "./digest.ts";
import { oci } from "./errors.ts";
import type { CallOptions } from "./pull-manifest.ts";
import { formatRepository, type Repository } from "./reference.ts";
import type { Session } from "./session.ts";
import type { HttpResponse } from "./transport.ts";

/** A blob by digest; without size a limit in bytes applies. */
export interface BlobTarget {
  readonly digest: string;
  /** Bytes, when a descriptor says so; any other length is an error. */
  readonly size?: number;
  /** Without `size`: the most that is read. Default 64 MiB. */
  readonly limitBytes?: number;
}

const blobLimitBytes = 67_108_864;
const headDeadlineMs = 60_000;
const blobDeadlineMs = 600_000;
const resumeLimit = 5;

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
    deadlineMs: headDeadlineMs,
    signal,
  });
  await response.discard();
  return response.status === 200;
}
