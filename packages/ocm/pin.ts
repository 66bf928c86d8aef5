import { formatReference, parseReference, type Reference } from "oras-js";
import { parseAccess } from "./access.ts";
import { verifyCoverage } from "./contents.ts";
import { digestRefused } from "./errors.ts";
import { componentId } from "./layers.ts";
import type { ComponentDescriptor, Resource } from "./types.ts";

/** The image behind a resource; nothing for other accesses. */
export function imageOf(resource: Resource): Reference | undefined {
  const access = parseAccess(resource.access);
  return access.kind === "ociArtifact"
    ? parseReference(access.imageReference, { defaultHost: "docker.io" })
    : undefined;
}

/** The same resource, with an access that leads to this digest and to nothing else. */
export function pinImage(resource: Resource, image: Reference & { readonly digest: string }): Resource {
  return { ...resource, access: { ...resource.access, imageReference: formatReference(image) } };
}

/**
 * The same resource, with an access that can only lead to the content of its digest.
 *
 * A tag may move after it was looked at, so images get the digest into their reference. Accesses that
 * no digest can be put into are refused.
 *
 * @throws OCM_DIGEST_REFUSED
 */
export function pinResource(descriptor: ComponentDescriptor, resource: Resource): Resource {
  const digest = verifyCoverage(descriptor, resource);
  const access = parseAccess(resource.access);
  const image = imageOf(resource);
  if (image !== undefined) return pinImage(resource, { ...image, digest });
  const isPinned =
    (access.kind === "localBlob" && access.digests.length === 1 && access.digests[0] === digest) ||
    (access.kind === "ociBlob" && access.digest === digest);
  if (isPinned) return resource;
  throw digestRefused(
    componentId(descriptor),
    resource.name,
    `its access of type ${resource.access.type} cannot be held to its digest`,
  );
}
