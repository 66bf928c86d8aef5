import type { AnyObject } from "@kyma-operators/kube";
import { parseYamlDocuments } from "@kyma-operators/yaml";
import { parseReference, type RegistryClient, readTarGz, repositoryOf } from "oras-js";
import { type RegistryFlags, withRegistry } from "../component/registry.ts";
import type { Io } from "../io.ts";
import { download, isUrl } from "../system-download.ts";
import { deployErrors } from "./errors.ts";

const ociScheme = "oci://";

/** True for what is no path. */
export function isRemote(source: string): boolean {
  return isUrl(source) || source.startsWith(ociScheme);
}

/**
 * The objects of a YAML file, of an address, or of an artifact in a registry (`oci://HOST/REPOSITORY:TAG`). Throws
 * `DEPLOY_OBJECT_UNEXPECTED` for documents that are no objects, and the codes of YAML, download and registry.
 */
export async function readObjects(io: Io, source: string, flags: RegistryFlags = {}): Promise<readonly AnyObject[]> {
  const texts = source.startsWith(ociScheme)
    ? await withRegistry(io, flags, (client) => readArtifact(io, client, source))
    : [await readBytes(io, source)];
  return texts.flatMap((text) => objectsIn(text, source));
}

/** The content of a file, or of an address. */
export async function readBytes(io: Io, source: string): Promise<Uint8Array> {
  return isUrl(source) ? download(source, io.signal) : io.files.read(source);
}

function objectsIn(bytes: Uint8Array, source: string): readonly AnyObject[] {
  const documents = parseYamlDocuments(new TextDecoder().decode(bytes), { name: source });
  return documents.filter((document) => document !== null).map((document) => objectIn(document, source));
}

function objectIn(document: unknown, source: string): AnyObject {
  const { apiVersion, kind, metadata } = document as Partial<AnyObject>;
  if (typeof apiVersion === "string" && typeof kind === "string" && typeof metadata?.name === "string") {
    return document as AnyObject;
  }
  const expected = "objects with apiVersion, kind and metadata.name";
  throw deployErrors.OBJECT_UNEXPECTED({ source, expected, found: JSON.stringify(document).slice(0, 80) });
}

/** The YAML layers of an artifact, and the YAML files of its archives. */
async function readArtifact(io: Io, client: RegistryClient, source: string): Promise<readonly Uint8Array[]> {
  const reference = parseReference(source.slice(ociScheme.length));
  const { manifest } = await client.pullManifest(reference, { signal: io.signal });
  const refuse = (found: string): Error =>
    deployErrors.OBJECT_UNEXPECTED({ source, expected: "an artifact with YAML", found });
  if (manifest.kind !== "manifest") throw refuse("an index");
  if (manifest.config?.mediaType.includes(".ocm.software.component") === true) {
    throw refuse("a component version: name it with --module NAME@VERSION --registry HOST/PATH");
  }
  const contents: Uint8Array[] = [];
  for (const layer of manifest.layers) {
    const bytes = await client.pullBlob(repositoryOf(reference), layer, { signal: io.signal });
    contents.push(...(/[.+]tar/.test(layer.mediaType) ? await yamlFiles(bytes, source) : [bytes]));
  }
  return contents;
}

async function yamlFiles(archive: Uint8Array, name: string): Promise<readonly Uint8Array[]> {
  const files = await readTarGz(archive, { name });
  return [...files].flatMap(([path, content]) => (/\.ya?ml$/.test(path) ? [content] : []));
}
