import {
  type Descriptor,
  digestOf,
  formatReference,
  mediaTypes,
  parseDigest,
  type Reference,
  type RegistryClient,
  writeTar,
} from "oras-js";
import { parseAccess } from "./access.ts";
import { digestRefused } from "./errors.ts";
import { componentId } from "./layers.ts";
import { type ComponentRepository, repositoryFor, tagOf } from "./names.ts";
import { annotations, componentMediaTypes } from "./repository-media-types.ts";
import type { ComponentDescriptor, Resource } from "./types.ts";
import { formatDescriptor } from "./write.ts";

/** A local blob by its digest, as `localReference` names it: its bytes, or its size when the repository has it. */
export type LocalBlob = { readonly digest: string } & ({ readonly content: Uint8Array } | { readonly size: number });

export interface PushOptions {
  /** Written into the manifest as its creator, for example `kyma-cli 1.0.0`. */
  readonly creator?: string;
  readonly signal?: AbortSignal;
}

/** The bytes of a component version, in the order in which they are pushed. */
export interface ComponentArtifact {
  readonly blobs: readonly { readonly mediaType: string; readonly content: Uint8Array }[];
  readonly manifest: Uint8Array;
}

function artifactAnnotation(kind: string, { name, extraIdentity }: Pick<Resource, "name" | "extraIdentity">): string {
  return JSON.stringify([{ kind, identity: { name, ...extraIdentity } }]);
}

function layersOf(descriptor: ComponentDescriptor): readonly Descriptor[] {
  const elements = [
    ...descriptor.resources.map((element) => ({ kind: "resource", element })),
    ...descriptor.sources.map((element) => ({ kind: "source", element })),
  ];
  const layers = elements.flatMap(({ kind, element }) => {
    const access = parseAccess(element.access);
    if (access.kind !== "localBlob") return [];
    const mediaType = access.digests.length > 1 || access.mediaType === "" ? mediaTypes.octetStream : access.mediaType;
    const annotation = { [annotations.artifact]: artifactAnnotation(kind, element) };
    return access.digests.map((digest) => ({ mediaType, digest, size: 0, annotations: annotation }));
  });
  // resources may share a blob; the first one names it
  return layers.filter((layer, i) => layers.findIndex(({ digest }) => digest === layer.digest) === i);
}

interface PlacedBlob {
  readonly layer: Descriptor;
  readonly content?: Uint8Array;
}

function placeBlobs(descriptor: ComponentDescriptor, blobs: readonly LocalBlob[]): readonly PlacedBlob[] {
  const given = new Map(blobs.map((blob) => [blob.digest, blob]));
  return layersOf(descriptor).map((layer) => {
    const blob = given.get(layer.digest);
    const refuse = (why: string): Error => digestRefused(componentId(descriptor), layer.digest, why);
    if (blob === undefined) throw refuse("its local blob was not given");
    if (!("content" in blob)) return { layer: { ...layer, size: blob.size } };
    const got = digestOf(blob.content, parseDigest(layer.digest).algorithm);
    if (got !== layer.digest) throw refuse(`the given blob has ${got}`);
    return { layer: { ...layer, size: blob.content.length }, content: blob.content };
  });
}

/**
 * Builds what is pushed for a component version: local blobs, the descriptor in a tar, the config, and
 * the manifest. Equal input gives equal bytes.
 *
 * @throws OCM_DIGEST_REFUSED when a local blob is missing or has other bytes
 */
export function buildComponentArtifact(
  descriptor: ComponentDescriptor,
  blobs: readonly LocalBlob[],
  creator?: string,
): ComponentArtifact {
  const tar = writeTar([{ path: "component-descriptor.yaml", content: Buffer.from(formatDescriptor(descriptor)) }]);
  const descriptorLayer = { mediaType: componentMediaTypes.descriptorTar[0], digest: digestOf(tar), size: tar.length };
  const config = Buffer.from(JSON.stringify({ componentDescriptorLayer: descriptorLayer }));
  const local = placeBlobs(descriptor, blobs);
  const manifest = {
    schemaVersion: 2,
    mediaType: mediaTypes.ociManifest,
    config: { mediaType: componentMediaTypes.config[0], digest: digestOf(config), size: config.length },
    layers: [descriptorLayer, ...local.map(({ layer }) => layer)],
    annotations: {
      [annotations.componentVersion]: componentId(descriptor),
      ...(creator === undefined ? {} : { [annotations.creator]: creator }),
    },
  };
  return {
    blobs: [
      ...local.flatMap(({ layer, content }) =>
        content === undefined ? [] : [{ mediaType: layer.mediaType, content }],
      ),
      { mediaType: descriptorLayer.mediaType, content: tar },
      { mediaType: componentMediaTypes.config[0], content: config },
    ],
    manifest: Buffer.from(JSON.stringify(manifest)),
  };
}

/** Pushes a component version: blobs first, then the manifest under the version's tag. Returns its descriptor. */
export async function pushComponentVersion(
  client: Pick<RegistryClient, "pushBlob" | "pushManifest">,
  repository: ComponentRepository,
  component: { readonly descriptor: ComponentDescriptor; readonly blobs: readonly LocalBlob[] },
  { creator, signal }: PushOptions = {},
): Promise<Descriptor & { readonly reference: string }> {
  const { descriptor, blobs } = component;
  const target: Reference = { ...repositoryFor(repository, descriptor.name), tag: tagOf(descriptor.version) };
  const artifact = buildComponentArtifact(descriptor, blobs, creator);
  const call = signal === undefined ? {} : { signal };
  for (const { content, mediaType } of artifact.blobs) await client.pushBlob(target, content, { ...call, mediaType });
  const pushed = await client.pushManifest(target, artifact.manifest, call);
  return { ...pushed, reference: formatReference(target) };
}
