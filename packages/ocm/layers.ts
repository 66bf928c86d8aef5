import { isDigest, parseReference, parseRepository, type Reference, type Repository } from "oras-js";
import { type KnownAccess, parseAccess } from "./access.ts";
import { ocm } from "./errors.ts";
import type { ComponentDescriptor, DigestSpec, Resource } from "./types.ts";

/** Where the bytes of a resource are. */
export type ResourceLocation =
  /** One or more blobs of a repository; several are concatenated. */
  | {
      readonly kind: "blob";
      readonly repository: Repository;
      readonly digests: readonly string[];
      readonly mediaType: string;
      readonly size?: number;
    }
  /** A manifest or index of its own. */
  | { readonly kind: "artifact"; readonly reference: Reference }
  /** A chart in a classic chart repository. */
  | { readonly kind: "helm"; readonly repositoryUrl: string; readonly chart: string; readonly version?: string };

/** `name:version` of a component. */
export function componentId({ name, version }: Pick<ComponentDescriptor, "name" | "version">): string {
  return `${name}:${version}`;
}

/** The resource of this name. Throws OCM_RESOURCE_MISSING, which lists those that there are. */
export function findResource(descriptor: ComponentDescriptor, name: string): Resource {
  const found = descriptor.resources.find((resource) => resource.name === name);
  if (found !== undefined) return found;
  const names = descriptor.resources.map((resource) => resource.name);
  throw ocm.RESOURCE_MISSING({ component: componentId(descriptor), resource: name, found: names });
}

type Refuse = (reason: string) => never;
type AccessOf<K extends KnownAccess["kind"]> = Extract<KnownAccess, { kind: K }>;

function locateLocal(
  { digests, mediaType }: AccessOf<"localBlob">,
  repository: Repository,
  refuse: Refuse,
): ResourceLocation {
  const wrong = digests.find((digest) => !isDigest(digest));
  if (digests.length === 0) return refuse("has no localReference");
  if (wrong !== undefined) return refuse(`has a localReference that is no digest: ${wrong.slice(0, 100)}`);
  return { kind: "blob", repository, digests, mediaType };
}

function locateBlob({ digest, mediaType, size, repository }: AccessOf<"ociBlob">, refuse: Refuse): ResourceLocation {
  if (!isDigest(digest)) return refuse("has no valid digest");
  const sized = size === undefined ? {} : { size };
  return { kind: "blob", repository: parseRepository(repository), digests: [digest], mediaType, ...sized };
}

function locate(access: KnownAccess, repository: Repository, refuse: Refuse): ResourceLocation {
  switch (access.kind) {
    case "localBlob":
      return locateLocal(access, repository, refuse);
    case "ociArtifact":
      return { kind: "artifact", reference: parseReference(access.imageReference) };
    case "ociBlob":
      return locateBlob(access, refuse);
    case "helm": {
      const { repository: repositoryUrl, chart, version } = access;
      return { kind: "helm", repositoryUrl, chart, ...(version === undefined ? {} : { version }) };
    }
    case "none":
      return refuse("has no content");
    case "other":
    default:
      return refuse("is not supported");
  }
}

/**
 * Finds out where a resource is to be fetched from.
 *
 * @param repository - the OCI repository of the component version, where local blobs are
 * @throws OCM_RESOURCE_MISSING, OCM_ACCESS_UNSUPPORTED, OCI_REFERENCE_INVALID
 */
export function resolveLayer(
  descriptor: ComponentDescriptor,
  repository: Repository,
  resource: string,
): ResourceLocation {
  const { access } = findResource(descriptor, resource);
  return locate(parseAccess(access), repository, (reason) => {
    throw ocm.ACCESS_UNSUPPORTED({ component: componentId(descriptor), resource, type: access.type, reason });
  });
}

const hashNames: Readonly<Record<string, string>> = { "SHA-256": "sha256", "SHA-512": "sha512" };

/** True for content that is deliberately not covered by a digest. */
export function isExcluded(digest: DigestSpec): boolean {
  return digest.normalisationAlgorithm === "EXCLUDE-FROM-SIGNATURE" || digest.hashAlgorithm === "NO-DIGEST";
}

/** A resource's digest in the form of OCI, `sha256:<hex>`; nothing for an unknown hash. */
export function ociDigestOf(digest: DigestSpec): string | undefined {
  const algorithm = hashNames[digest.hashAlgorithm];
  const text = `${algorithm ?? ""}:${digest.value}`;
  return isDigest(text) ? text : undefined;
}
