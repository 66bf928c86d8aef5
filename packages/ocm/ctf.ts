import {
  type ArtifactFiles,
  type ArtifactFormat,
  createFileClient,
  type Descriptor,
  type FileClient,
  filesInMemory,
  isDigest,
  readTarGz,
  writeTar,
} from "oras-js";
import { ocm } from "./errors.ts";

/** One line of `artifact-index.json`. */
interface Artifact {
  readonly repository: string;
  readonly tag?: string;
  readonly digest: string;
  readonly mediaType?: string;
}

const indexFile = "artifact-index.json";

function parseArtifact(value: unknown, where: string, refuse: (reason: string) => never): Artifact {
  const fields = (typeof value === "object" && value !== null ? value : {}) as Readonly<Record<string, unknown>>;
  const { repository, tag, digest, mediaType } = fields;
  if (typeof repository !== "string") return refuse(`${where}.repository must be a string`);
  if (typeof digest !== "string" || !isDigest(digest)) return refuse(`${where}.digest must be a digest`);
  return {
    repository,
    digest,
    ...(typeof tag === "string" && tag !== "" ? { tag } : {}),
    ...(typeof mediaType === "string" ? { mediaType } : {}),
  };
}

function parseIndex(bytes: Uint8Array, archive: string): readonly Artifact[] {
  const refuse = (reason: string): never => {
    throw ocm.TRANSPORT_INVALID({ archive, reason: `${indexFile}: ${reason}` });
  };
  let document: { schemaVersion?: unknown; artifacts?: unknown } | null;
  try {
    document = JSON.parse(new TextDecoder().decode(bytes)) as typeof document;
  } catch {
    return refuse("it is no JSON");
  }
  if (document?.schemaVersion !== 1)
    return refuse(`schemaVersion is ${JSON.stringify(document?.schemaVersion)}, expected 1`);
  const list = document.artifacts ?? [];
  if (!Array.isArray(list)) return refuse("artifacts must be a list");
  return list.map((entry: unknown, i) => parseArtifact(entry, `artifacts[${i}]`, refuse));
}

async function readIndex(files: ArtifactFiles, archive: string): Promise<readonly Artifact[]> {
  const bytes = await files.read(indexFile);
  if (bytes === undefined) throw ocm.TRANSPORT_INVALID({ archive, reason: `it has no ${indexFile}` });
  return parseIndex(bytes, archive);
}

function transportFormat(files: ArtifactFiles, archive: string): ArtifactFormat {
  return {
    blobPath: (digest) => `blobs/${digest.replace(":", ".")}`,
    find: async ({ path, tag = "latest" }) =>
      (await readIndex(files, archive)).find((entry) => entry.repository === path && entry.tag === tag),
    enter: async ({ path, tag }, { digest, mediaType }: Descriptor) => {
      const known = (await files.read(indexFile)) === undefined ? [] : await readIndex(files, archive);
      const others = known.filter((entry) => entry.repository !== path || entry.tag !== tag);
      const artifacts = [...others, { repository: path, ...(tag === undefined ? {} : { tag }), digest, mediaType }];
      await files.write(indexFile, Buffer.from(JSON.stringify({ schemaVersion: 1, artifacts })));
    },
    tags: async ({ path }) =>
      (await readIndex(files, archive)).flatMap((entry) => (entry.repository === path ? (entry.tag ?? []) : [])),
  };
}

/**
 * A registry client over a common transport archive (CTF) in a directory.
 *
 * The host of references does not matter; their path is the repository inside the archive, so
 * `getComponentVersion` and `pushComponentVersion` work on it as they do on a registry.
 *
 * @param archive - names the archive in error texts.
 */
export function createTransportClient(files: ArtifactFiles, archive = "transport archive"): FileClient {
  return createFileClient(files, transportFormat(files, archive));
}

/** The names and versions of the components in an archive. */
export async function listComponents(
  files: ArtifactFiles,
  archive = "transport archive",
): Promise<readonly { name: string; tag: string }[]> {
  const prefix = "component-descriptors/";
  return (await readIndex(files, archive)).flatMap(({ repository, tag }) =>
    repository.startsWith(prefix) && tag !== undefined ? [{ name: repository.slice(prefix.length), tag }] : [],
  );
}

/** Reads the files of a CTF in a tar or tgz into memory. Throws OCI_ARCHIVE_… and OCM_TRANSPORT_INVALID. */
export async function readTransportArchive(
  source: Uint8Array | AsyncIterable<Uint8Array>,
  options: { readonly name?: string; readonly totalBytes?: number } = {},
): Promise<Map<string, Uint8Array>> {
  const { name = "transport archive", totalBytes = 268_435_456 } = options;
  const files = await readTarGz(source, { name, totalBytes, entryBytes: totalBytes });
  await readIndex(filesInMemory(files), name);
  return files;
}

/** Writes a CTF as an uncompressed tar; equal content gives equal bytes. */
export function writeTransportArchive(files: ReadonlyMap<string, Uint8Array>): Uint8Array {
  const sorted = [...files].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return writeTar(sorted.map(([path, content]) => ({ path, content })));
}
