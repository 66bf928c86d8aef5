import { collect } from "./body.ts";
import type { RegistryClient } from "./client.ts";
import { digestOf, isDigest, parseDigest } from "./digest.ts";
import { oci } from "./errors.ts";
import { type Descriptor, parseManifest } from "./manifest.ts";
import { manifestTypes, mediaTypes } from "./media-types.ts";
import type { BlobTarget } from "./pull-blob.ts";
import type { PulledManifest } from "./pull-manifest.ts";
import type { BlobSource } from "./push-blob.ts";
import { formatReference, formatRepository, type Reference, type Repository } from "./reference.ts";

/** Files of an artifact store: a directory, or an archive in memory. Paths have forward slashes. */
export interface ArtifactFiles {
  /** Undefined when there is no such file. */
  read(path: string): Promise<Uint8Array | undefined>;
  /** The file appears whole or not at all. */
  write(path: string, content: Uint8Array): Promise<void>;
}

/** Files in memory, for example from `readTarGz`; `write` changes the map. */
export function filesInMemory(files: Map<string, Uint8Array>): ArtifactFiles {
  return {
    read: async (path) => files.get(path),
    write: async (path, content) => void files.set(path, content),
  };
}

/** How a format on disk names its blobs and finds its manifests. */
export interface ArtifactFormat {
  blobPath(digest: string): string;
  /** The manifest behind a tag; undefined when there is none. */
  find(reference: Reference): Promise<{ readonly digest: string; readonly mediaType?: string } | undefined>;
  enter(reference: Reference, descriptor: Descriptor): Promise<void>;
  tags(repository: Repository): Promise<readonly string[]>;
}

/** The part of a registry client that files can answer. */
export type FileClient = Pick<
  RegistryClient,
  "resolve" | "pullManifest" | "pullBlob" | "openBlob" | "hasBlob" | "pushBlob" | "pushManifest" | "listTags"
>;

const blobLimitBytes = 67_108_864;

/** The bytes of a source and their digest, which must be the one that a stream claims. */
async function bytesOf(content: BlobSource, repository: Repository): Promise<{ bytes: Uint8Array; digest: string }> {
  if (content instanceof Uint8Array) return { bytes: content, digest: digestOf(content) };
  const { digest: want, size } = content;
  const ref = `${formatRepository(repository)}@${want}`;
  const bytes = await collect(content.open(0), { ref, limitBytes: size });
  const digest = digestOf(bytes, parseDigest(want).algorithm);
  if (digest !== want) throw oci.DIGEST_MISMATCH({ ref, want, got: digest });
  return { bytes, digest };
}

function ownMediaType(bytes: Uint8Array): string {
  try {
    const own = (JSON.parse(new TextDecoder().decode(bytes)) as { mediaType?: unknown } | null)?.mediaType;
    return typeof own === "string" && manifestTypes.includes(own) ? own : mediaTypes.ociManifest;
  } catch {
    return mediaTypes.ociManifest;
  }
}

/** A registry client over files: what is true of a pull from a registry is true here, digests above all. */
export function createFileClient(files: ArtifactFiles, format: ArtifactFormat): FileClient {
  async function readBlob(ref: string, { digest, size, limitBytes = blobLimitBytes }: BlobTarget): Promise<Uint8Array> {
    const { algorithm } = parseDigest(digest); // before it becomes part of a path
    const bytes = await files.read(format.blobPath(digest));
    if (bytes === undefined) throw oci.NOT_FOUND({ ref });
    if (bytes.length > limitBytes) throw oci.TOO_LARGE({ ref, limitBytes });
    if (size !== undefined && size !== bytes.length)
      throw oci.SIZE_MISMATCH({ ref, wantBytes: size, gotBytes: bytes.length });
    const got = digestOf(bytes, algorithm);
    if (got !== digest) throw oci.DIGEST_MISMATCH({ ref, want: digest, got });
    return bytes;
  }

  async function find(reference: Reference): Promise<{ readonly digest: string; readonly mediaType?: string }> {
    const found = reference.digest === undefined ? await format.find(reference) : { digest: reference.digest };
    if (found === undefined || !isDigest(found.digest)) throw oci.NOT_FOUND({ ref: formatReference(reference) });
    return found;
  }

  async function pullManifest(reference: Reference): Promise<PulledManifest> {
    const ref = formatReference(reference);
    const { digest, mediaType } = await find(reference);
    const bytes = await readBlob(ref, { digest, limitBytes: 4_194_304 });
    const type = mediaType ?? ownMediaType(bytes);
    return {
      descriptor: { mediaType: type, digest, size: bytes.length },
      bytes,
      manifest: parseManifest(bytes, type, ref),
    };
  }

  const blobRef = (repository: Repository, { digest }: BlobTarget): string =>
    `${formatRepository(repository)}@${digest}`;

  return {
    pullManifest,
    resolve: async (reference) => (await pullManifest(reference)).descriptor,
    pullBlob: (repository, target) => readBlob(blobRef(repository, target), target),
    openBlob: async function* (repository, target) {
      yield await readBlob(blobRef(repository, target), target);
    },
    hasBlob: async (_repository, digest) =>
      isDigest(digest) && (await files.read(format.blobPath(digest))) !== undefined,
    pushBlob: async (repository, content, { mediaType = mediaTypes.octetStream } = {}) => {
      const { bytes, digest } = await bytesOf(content, repository);
      await files.write(format.blobPath(digest), bytes);
      return { mediaType, digest, size: bytes.length };
    },
    pushManifest: async (reference, bytes, { mediaType = ownMediaType(bytes) } = {}) => {
      parseManifest(bytes, mediaType, formatReference(reference));
      const descriptor: Descriptor = { mediaType, digest: digestOf(bytes), size: bytes.length };
      await files.write(format.blobPath(descriptor.digest), bytes);
      await format.enter(reference, descriptor);
      return descriptor;
    },
    listTags: (repository) => format.tags(repository),
  };
}
