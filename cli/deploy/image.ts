/** The parts of an image reference that a kustomization sets. */
export interface ImageOverride {
  readonly newName?: string;
  readonly newTag?: string;
  readonly digest?: string;
}

/** Takes an image reference apart: name, name:tag, name@digest, name:tag@digest, whose tag says nothing. */
export function parseImage(reference: string): ImageOverride {
  const { name, tag, digest } = partsOf(reference);
  if (digest !== undefined) return { newName: name, digest };
  return { newName: name, ...(tag === undefined ? {} : { newTag: tag }) };
}

/** The tag of an image reference, also where a digest follows; undefined when there is none. */
export function tagOf(reference: string): string | undefined {
  return partsOf(reference).tag;
}

/** A colon before the last slash is the port of a registry, so `host:5000/name` has no tag. */
function partsOf(reference: string): {
  readonly name: string;
  readonly tag: string | undefined;
  readonly digest: string | undefined;
} {
  const [address = "", digest] = reference.split("@");
  const colon = address.indexOf(":", address.lastIndexOf("/") + 1);
  if (colon < 0) return { name: address, tag: undefined, digest };
  return { name: address.slice(0, colon), tag: address.slice(colon + 1), digest };
}
