import { parseJsonBody } from "./body.ts";
import { type CredentialSource, noCredentials } from "./credentials.ts";
import { oci } from "./errors.ts";
import type { Descriptor } from "./manifest.ts";
import { collectPages } from "./pages.ts";
import { type BlobTarget, hasBlob, openBlob, pullBlob } from "./pull-blob.ts";
import { type CallOptions, type PulledManifest, pullManifest, resolve } from "./pull-manifest.ts";
import { type BlobSource, deleteBlob, type PushBlobOptions, pushBlob } from "./push-blob.ts";
import { deleteManifest, type PushManifestOptions, pushManifest } from "./push-manifest.ts";
import { formatRepository, type Reference, type Repository } from "./reference.ts";
import { listReferrers, type ReferrersOptions } from "./referrers.ts";
import { type PlainHttpPolicy, Session } from "./session.ts";
import { createTransport, systemClock, systemRandom } from "./system-http.ts";
import type { Clock, Transport } from "./transport.ts";

/** Options of {@link createRegistryClient}; every one has a default. */
export interface RegistryClientOptions {
  /** Default: anonymous. */
  readonly credentials?: CredentialSource;
  /** Default: undici with the proxies of the environment and the CAs of Node.js. */
  readonly transport?: Transport;
  /** PEM certificates to trust beside those of Node.js; for the default transport only. */
  readonly ca?: readonly string[];
  /** Default `explicit`: plain HTTP only where the reference says `http://`. */
  readonly plainHttp?: PlainHttpPolicy;
  readonly clock?: Clock;
  /** A number in [0, 1), for the jitter between tries. */
  readonly random?: () => number;
  /** Tries of one request, the first one included. Default 4. */
  readonly attempts?: number;
  /** A longer `Retry-After` is thrown as OCI_THROTTLED rather than waited for. Default 30 s. */
  readonly retryAfterLimitMs?: number;
  readonly userAgent?: string;
}

/** A client for all OCI registries. Whatever it returns has been verified against its digest. */
export interface RegistryClient {
  /** What the tag points at now; a reference with a digest is checked for existence. */
  resolve(reference: Reference, options?: CallOptions): Promise<Descriptor>;
  pullManifest(reference: Reference, options?: CallOptions): Promise<PulledManifest>;
  /** A whole blob, up to 64 MiB unless the target says otherwise. */
  pullBlob(repository: Repository, target: BlobTarget, options?: CallOptions): Promise<Uint8Array>;
  /** A blob as a stream, resumed when it breaks. No byte may be used before the stream has ended without an error. */
  openBlob(repository: Repository, target: BlobTarget, options?: CallOptions): AsyncIterable<Uint8Array>;
  hasBlob(repository: Repository, digest: string, options?: CallOptions): Promise<boolean>;
  /** Sends nothing when the blob is there. */
  pushBlob(repository: Repository, content: BlobSource, options?: PushBlobOptions): Promise<Descriptor>;
  pushManifest(reference: Reference, bytes: Uint8Array, options?: PushManifestOptions): Promise<Descriptor>;
  /** All tags, in the registry's order. */
  listTags(repository: Repository, options?: CallOptions): Promise<readonly string[]>;
  listReferrers(repository: Repository, digest: string, options?: ReferrersOptions): Promise<readonly Descriptor[]>;
  deleteManifest(reference: Reference, options?: CallOptions): Promise<void>;
  deleteBlob(repository: Repository, digest: string, options?: CallOptions): Promise<void>;
  /** Closes all connections. */
  close(): Promise<void>;
}

async function listTags(
  session: Session,
  repository: Repository,
  { signal }: CallOptions = {},
): Promise<readonly string[]> {
  const ref = `${formatRepository(repository)} (tags)`;
  const tags = await collectPages(session, {
    call: { ref, repository, actions: ["pull"], deadlineMs: 60_000, signal, expect: [200] },
    url: `${repository.path}/tags/list`,
    parse: (bytes) => {
      const page = parseJsonBody(bytes, { ref, host: repository.host }) as { tags?: unknown } | null;
      const list: unknown = page?.tags ?? [];
      if (Array.isArray(list) && list.every((tag) => typeof tag === "string")) return list;
      throw oci.NOT_A_REGISTRY({ ref, host: repository.host, found: "a list of tags that holds something else" });
    },
  });
  return tags ?? [];
}

function sessionFor(transport: Transport, options: RegistryClientOptions): Session {
  return new Session({
    transport,
    credentials: options.credentials ?? noCredentials,
    clock: options.clock ?? systemClock,
    random: options.random ?? systemRandom,
    plainHttp: options.plainHttp ?? "explicit",
    userAgent: options.userAgent ?? "oras-js",
    attempts: options.attempts ?? 4,
    retryAfterLimitMs: options.retryAfterLimitMs ?? 30_000,
  });
}

/** Builds a client. It keeps connections and tokens; make one and share it. */
export function createRegistryClient(options: RegistryClientOptions = {}): RegistryClient {
  const transport = options.transport ?? createTransport(options.ca === undefined ? {} : { ca: options.ca });
  const session = sessionFor(transport, options);
  return {
    resolve: (reference, call) => resolve(session, reference, call),
    pullManifest: (reference, call) => pullManifest(session, reference, call),
    pullBlob: (repository, target, call) => pullBlob(session, repository, target, call),
    openBlob: (repository, target, call) => openBlob(session, repository, target, call),
    hasBlob: (repository, digest, call) => hasBlob(session, repository, digest, call),
    pushBlob: (repository, content, call) => pushBlob(session, repository, content, call),
    pushManifest: (reference, bytes, call) => pushManifest(session, reference, bytes, call),
    listTags: (repository, call) => listTags(session, repository, call),
    listReferrers: (repository, digest, call) => listReferrers(session, repository, digest, call),
    deleteManifest: (reference, call) => deleteManifest(session, reference, call),
    deleteBlob: (repository, digest, call) => deleteBlob(session, repository, digest, call),
    close: () => transport.close(),
  };
}
