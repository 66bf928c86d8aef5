import {
  type CallOptions,
  createDigester,
  parseDigest,
  parseReference,
  type RegistryClient,
  type Repository,
} from "oras-js";
import { parseAccess } from "./access.ts";
import { digestRefused, ocm } from "./errors.ts";
import { componentId, isExcluded, ociDigestOf, resolveLayer } from "./layers.ts";
import { digestOfDescriptor, type Normalisation, parseNormalisation } from "./normalise.ts";
import type { ComponentDescriptor, ComponentReference, DigestSpec, Resource } from "./types.ts";

/** What is asked of a registry client to read resources. */
export type ContentClient = Pick<RegistryClient, "pullBlob" | "openBlob" | "resolve">;

function refuser(descriptor: ComponentDescriptor, resource: string): (reason: string) => never {
  return (reason) => {
    throw digestRefused(componentId(descriptor), resource, reason);
  };
}

/** The digest that the access itself names; nothing when only the content can tell. */
function accessDigest(resource: Resource): string | undefined {
  const access = parseAccess(resource.access);
  if (access.kind === "localBlob") return access.digests.length === 1 ? access.digests[0] : undefined;
  if (access.kind === "ociBlob") return access.digest;
  return access.kind === "ociArtifact"
    ? parseReference(access.imageReference, { defaultHost: "docker.io" }).digest
    : undefined;
}

/**
 * Checks that a descriptor fixes the content of a resource: it has a digest, and its access, where it
 * names a digest itself, names the same one.
 *
 * Access is no part of what is signed; without this check a signed descriptor could point anywhere.
 *
 * @returns the digest as OCI writes it
 * @throws OCM_DIGEST_REFUSED
 */
export function verifyCoverage(descriptor: ComponentDescriptor, resource: Resource): string {
  const refuse = refuser(descriptor, resource.name);
  const { digest } = resource;
  if (digest === undefined) return refuse("it has no digest, so nothing fixes its content");
  if (isExcluded(digest)) return refuse("its content is excluded from the signature");
  const want =
    ociDigestOf(digest) ??
    refuse(`hash ${digest.hashAlgorithm} with value ${JSON.stringify(digest.value)} is not supported`);
  const named = accessDigest(resource);
  // digests of different algorithms cannot be compared; then the content decides
  const comparable = named !== undefined && named.slice(0, 6) === want.slice(0, 6);
  if (comparable && named !== want) return refuse(`its digest is ${want}, but its access names ${named}`);
  return want;
}

/** A component version with what is needed to read its resources. */
export interface LocatedComponent {
  readonly descriptor: ComponentDescriptor;
  readonly repository: Repository;
}

/** The blobs of a resource. Throws OCM_ACCESS_UNSUPPORTED for a resource that is none. */
function blobsOf(
  { descriptor, repository }: LocatedComponent,
  resource: string,
): { repository: Repository; digests: readonly string[] } {
  const where = resolveLayer(descriptor, repository, resource);
  if (where.kind === "blob") return where;
  const reason = "is not a blob that could be read as bytes";
  throw ocm.ACCESS_UNSUPPORTED({ component: componentId(descriptor), resource, type: where.kind, reason });
}

/** The bytes of a resource that is a blob; several blobs are concatenated. Throws OCM_ACCESS_UNSUPPORTED for others. */
export async function pullResource(
  client: Pick<ContentClient, "pullBlob">,
  component: LocatedComponent,
  resource: string,
  { limitBytes, signal }: CallOptions & { readonly limitBytes?: number } = {},
): Promise<Uint8Array> {
  const { repository, digests } = blobsOf(component, resource);
  const limit = limitBytes === undefined ? {} : { limitBytes };
  const parts: Uint8Array[] = [];
  for (const digest of digests) {
    parts.push(await client.pullBlob(repository, { digest, ...limit }, signal === undefined ? {} : { signal }));
  }
  return parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts);
}

/** The digest of a resource's bytes, however many they are: they are not kept. */
async function hashResource(
  client: ContentClient,
  component: LocatedComponent,
  { name, digest }: Resource,
  call: CallOptions,
): Promise<string> {
  const { repository, digests } = blobsOf(component, name);
  const digester = createDigester(digest?.hashAlgorithm === "SHA-512" ? "sha512" : "sha256");
  for (const blob of digests) {
    const target = { digest: blob, limitBytes: Number.MAX_SAFE_INTEGER };
    for await (const chunk of client.openBlob(repository, target, call)) digester.update(chunk);
  }
  return digester.digest();
}

function digestSpec(digest: string, normalisationAlgorithm: string): DigestSpec {
  const { algorithm, hex } = parseDigest(digest);
  return { hashAlgorithm: algorithm === "sha512" ? "SHA-512" : "SHA-256", normalisationAlgorithm, value: hex };
}

/** The digest of a resource, computed from its content; nothing for content that cannot be fetched from a registry. */
async function computeDigest(
  client: ContentClient,
  component: LocatedComponent,
  resource: Resource,
  call: CallOptions,
): Promise<DigestSpec | undefined> {
  const access = parseAccess(resource.access);
  if (access.kind === "none" || access.kind === "other" || access.kind === "helm") return undefined;
  if (access.kind === "ociArtifact") {
    const { digest } = await client.resolve(parseReference(access.imageReference, { defaultHost: "docker.io" }), call);
    return digestSpec(digest, "ociArtifactDigest/v1");
  }
  return digestSpec(await hashResource(client, component, resource, call), "genericBlobDigest/v1");
}

function isSame(a: DigestSpec, b: DigestSpec): boolean {
  return (
    a.hashAlgorithm === b.hashAlgorithm && a.normalisationAlgorithm === b.normalisationAlgorithm && a.value === b.value
  );
}

function shown({ hashAlgorithm, normalisationAlgorithm, value }: DigestSpec): string {
  return `${hashAlgorithm} ${value} (${normalisationAlgorithm})`;
}

/**
 * Fetches every resource and compares it with its digest.
 *
 * @returns the names of resources that could not be checked: without content, or not in a registry
 * @throws OCM_DIGEST_REFUSED for a resource without digest, or with other content
 */
export async function verifyContents(
  client: ContentClient,
  component: LocatedComponent,
  call: CallOptions = {},
): Promise<readonly string[]> {
  const unchecked: string[] = [];
  for (const resource of component.descriptor.resources) {
    const refuse = refuser(component.descriptor, resource.name);
    const { digest } = resource;
    if (digest !== undefined && isExcluded(digest)) {
      unchecked.push(resource.name);
      continue;
    }
    const got = await computeDigest(client, component, resource, call);
    if (got === undefined) unchecked.push(resource.name);
    else if (digest === undefined) refuse("it has no digest, so nothing fixes its content");
    else if (!isSame(got, digest)) refuse(`expected ${shown(digest)}, its content has ${shown(got)}`);
  }
  return unchecked;
}

/**
 * Fills in the digests of resources that have none, so that a signature covers their contents.
 *
 * @throws OCM_DIGEST_REFUSED when a digest that is there is not that of the content
 */
export async function completeDigests(
  client: ContentClient,
  component: LocatedComponent,
  call: CallOptions = {},
): Promise<ComponentDescriptor> {
  const resources: Resource[] = [];
  for (const resource of component.descriptor.resources) {
    const { digest } = resource;
    const got =
      digest !== undefined && isExcluded(digest) ? undefined : await computeDigest(client, component, resource, call);
    if (got !== undefined && digest !== undefined && !isSame(got, digest)) {
      refuser(component.descriptor, resource.name)(`expected ${shown(digest)}, its content has ${shown(got)}`);
    }
    resources.push(got === undefined ? resource : { ...resource, digest: got });
  }
  return { ...component.descriptor, resources };
}

/** Finds the descriptor of a referenced component version. */
export type ReferenceSource = (name: string, version: string) => Promise<ComponentDescriptor>;

const deepestReference = 16;

/**
 * Computes the digests of component references, from the innermost outwards, each with the
 * normalisation that is asked for.
 *
 * @throws OCM_DIGEST_REFUSED when a digest that is there is another one, or when references form a circle
 */
export async function completeReferences(
  descriptor: ComponentDescriptor,
  source: ReferenceSource,
  normalisation: Normalisation,
  depth = 0,
): Promise<ComponentDescriptor> {
  const references: ComponentReference[] = [];
  for (const reference of descriptor.references) {
    const refuse = refuser(descriptor, reference.name);
    if (depth >= deepestReference) refuse(`references lead deeper than ${deepestReference} components`);
    const target = await completeReferences(
      await source(reference.componentName, reference.version),
      source,
      normalisation,
      depth + 1,
    );
    const used =
      reference.digest === undefined ? normalisation : parseNormalisation(reference.digest.normalisationAlgorithm);
    const got = { hashAlgorithm: "SHA-256", normalisationAlgorithm: used, value: digestOfDescriptor(target, used) };
    if (reference.digest !== undefined && !isSame(reference.digest, got)) {
      refuse(`expected ${shown(reference.digest)}, ${componentId(target)} has ${shown(got)}`);
    }
    references.push({ ...reference, digest: got });
  }
  return { ...descriptor, references };
}
