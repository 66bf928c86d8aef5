import {
  type Descriptor,
  formatReference,
  type ImageIndex,
  type ImageManifest,
  isDigest,
  type PulledManifest,
  type Reference,
  type RegistryClient,
  type Repository,
  readTarGz,
  repositoryOf,
} from "oras-js";
import { ocm } from "./errors.ts";
import { type ComponentRepository, repositoryFor, tagOf } from "./names.ts";
import { parseDescriptor } from "./read.ts";
import { annotations, componentMediaTypes } from "./repository-media-types.ts";
import type { ComponentDescriptor } from "./types.ts";

/** A component version as it lies in a registry. */
export interface ComponentVersion {
  readonly descriptor: ComponentDescriptor;
  /** The OCI repository it was read from; local blobs are in it. */
  readonly repository: Repository;
  /** Digest of the manifest: changes with everything else. */
  readonly manifestDigest: string;
  /** The local blobs; without the descriptor. */
  readonly layers: readonly Descriptor[];
}

/** What is asked of a registry client here. */
export type PullClient = Pick<RegistryClient, "pullManifest" | "pullBlob">;

export interface PullOptions {
  readonly signal?: AbortSignal;
}

/** Original and ours: no more than this is read as a descriptor. */
export const descriptorLimitBytes = 102_400;
const tarOverheadBytes = 8_192;
const configLimitBytes = 65_536;
const descriptorFile = "component-descriptor.yaml";

/** A component version on its way: what is known, and how to refuse it. */
interface Reading {
  readonly client: PullClient;
  readonly reference: Reference;
  readonly name: string;
  readonly version: string;
  readonly signal: AbortSignal | undefined;
}

function refuse({ name, version }: Reading, reason: string): Error {
  return ocm.NOT_A_COMPONENT({ name, version, reason });
}

function options({ signal }: Reading): PullOptions {
  return signal === undefined ? {} : { signal };
}

/** The descriptor manifest of an index: the annotated entry, else the first one. */
function chooseEntry(reading: Reading, index: ImageIndex): Descriptor {
  const marked = index.manifests.filter((entry) => entry.annotations?.[annotations.descriptor] === "true");
  if (marked.length > 1)
    throw refuse(reading, `index has ${marked.length} entries annotated ${annotations.descriptor}, expected one`);
  const chosen = marked[0] ?? index.manifests[0];
  if (chosen === undefined) throw refuse(reading, "index is empty");
  return chosen;
}

async function pullImage(reading: Reading): Promise<PulledManifest & { manifest: ImageManifest }> {
  const pulled = await reading.client.pullManifest(reading.reference, options(reading));
  if (pulled.manifest.kind === "manifest") return { ...pulled, manifest: pulled.manifest };
  const entry = chooseEntry(reading, pulled.manifest);
  const inner = await reading.client.pullManifest({ ...reading.reference, digest: entry.digest }, options(reading));
  if (inner.manifest.kind !== "manifest") throw refuse(reading, "index leads to another index");
  return { ...inner, manifest: inner.manifest };
}

interface LayerPointer {
  readonly mediaType?: unknown;
  readonly digest?: unknown;
}

function parseConfig(reading: Reading, bytes: Uint8Array): { digest: string; mediaType: unknown } {
  let config: unknown;
  try {
    config = JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    throw refuse(reading, "ComponentDescriptorConfig is no JSON");
  }
  const layer = (config as { componentDescriptorLayer?: LayerPointer | null } | null)?.componentDescriptorLayer;
  if (typeof layer !== "object" || layer === null) {
    throw refuse(reading, "ComponentDescriptorLayer is nil in ComponentDescriptorConfig");
  }
  const { digest = "", mediaType } = layer;
  if (digest === "") throw refuse(reading, "ComponentDescriptorLayer.Digest is empty in ComponentDescriptorConfig");
  if (typeof digest !== "string" || !isDigest(digest))
    throw refuse(reading, "ComponentDescriptorLayer.Digest is no digest");
  return { digest, mediaType };
}

function configOf(reading: Reading, { config }: ImageManifest): Descriptor {
  const known: readonly string[] = componentMediaTypes.config;
  if (config === undefined || config.mediaType === "") throw refuse(reading, "config not found in manifest");
  if (known.includes(config.mediaType)) return config;
  throw refuse(reading, `not a component: config media type is ${config.mediaType}`);
}

/** Finds the layer that holds the descriptor, by way of the config blob. */
async function descriptorLayer(reading: Reading, manifest: ImageManifest): Promise<Descriptor> {
  const target = { ...configOf(reading, manifest), limitBytes: configLimitBytes };
  const { digest, mediaType } = parseConfig(
    reading,
    await reading.client.pullBlob(reading.reference, target, options(reading)),
  );
  const layer = manifest.layers.find((entry) => entry.digest === digest);
  if (layer === undefined)
    throw refuse(reading, `ComponentDescriptorLayer ${digest} is not among the layers of the manifest`);
  return typeof mediaType === "string" && mediaType !== "" ? { ...layer, mediaType } : layer;
}

async function descriptorInTar(reading: Reading, bytes: Uint8Array): Promise<Uint8Array> {
  const limits = { totalBytes: descriptorLimitBytes, entryBytes: descriptorLimitBytes, entries: 10 };
  const files = await readTarGz(bytes, {
    ...limits,
    name: formatReference(reading.reference),
    stripLeadingSlash: true,
  });
  const file = files.get(descriptorFile);
  if (file === undefined) throw refuse(reading, `${descriptorFile} not found in TAR archive`);
  return file;
}

/** The descriptor's bytes: by media type a document, or a tar with one file. */
async function descriptorBytes(reading: Reading, layer: Descriptor): Promise<Uint8Array> {
  const documents: readonly string[] = [...componentMediaTypes.descriptorYaml, ...componentMediaTypes.descriptorJson];
  const tars: readonly string[] = componentMediaTypes.descriptorTar;
  const isTar = tars.includes(layer.mediaType);
  if (!isTar && !documents.includes(layer.mediaType))
    throw refuse(reading, `descriptor media type ${layer.mediaType} is unknown`);
  const limitBytes = descriptorLimitBytes + (isTar ? tarOverheadBytes : 0);
  if (layer.size > limitBytes)
    throw refuse(
      reading,
      `entry in the TAR archive is too large: ${layer.size} bytes, at most ${descriptorLimitBytes}`,
    );
  const bytes = await reading.client.pullBlob(reading.reference, { ...layer, limitBytes }, options(reading));
  if (bytes.length === 0) throw refuse(reading, "layer content is empty");
  return isTar ? descriptorInTar(reading, bytes) : bytes;
}

function decode({ reference }: Reading, bytes: Uint8Array): ComponentDescriptor {
  return parseDescriptor(bytes, { source: `${formatReference(reference)}: failed to decode component descriptor` });
}

function assertIdentity({ name, version, reference }: Reading, descriptor: ComponentDescriptor): void {
  // a tag stands for the version that it was made from
  if (descriptor.name === name && tagOf(descriptor.version) === tagOf(version)) return;
  const got = `${descriptor.name}:${descriptor.version}`;
  throw ocm.IDENTITY_MISMATCH({ ref: formatReference(reference), want: `${name}:${version}`, got });
}

/** Reads the component version behind a reference, which may be a tag or a digest. */
export async function pullComponentVersion(
  client: PullClient,
  reference: Reference,
  component: { readonly name: string; readonly version: string },
  { signal }: PullOptions = {},
): Promise<ComponentVersion> {
  const reading: Reading = { client, reference, ...component, signal };
  const { manifest, descriptor: pulled } = await pullImage(reading);
  const layer = await descriptorLayer(reading, manifest);
  const descriptor = decode(reading, await descriptorBytes(reading, layer));
  assertIdentity(reading, descriptor);
  return {
    descriptor,
    repository: repositoryOf(reference),
    manifestDigest: pulled.digest,
    layers: manifest.layers.filter(({ digest }) => digest !== layer.digest),
  };
}

/**
 * Fetches a component version by name and version.
 *
 * @throws OCM_NOT_A_COMPONENT, OCM_IDENTITY_MISMATCH, OCM_DESCRIPTOR_INVALID, and the errors of the registry (`OCI_…`)
 */
export async function getComponentVersion(
  client: PullClient,
  repository: ComponentRepository,
  component: { readonly name: string; readonly version: string },
  pullOptions: PullOptions = {},
): Promise<ComponentVersion> {
  const reference = { ...repositoryFor(repository, component.name), tag: tagOf(component.version) };
  return pullComponentVersion(client, reference, component, pullOptions);
}
