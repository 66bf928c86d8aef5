/** The parts of an image reference that a kustomization sets. */
export interface ImageOverride {
  readonly newName?: string;
  readonly newTag?: string;
  readonly digest?: string;
}

/**
 * Takes an image reference apart: name, name:tag, name@digest. A colon before the last slash is the port of a
 * registry, so `host:5000/name` has no tag.
 */
export function parseImage(reference: string): ImageOverride {
  const [name = "", digest] = reference.split("@");
  const colon = name.indexOf(":", name.lastIndexOf("/") + 1);
  const tag = colon < 0 ? undefined : name.slice(colon + 1);
  return {
    newName: colon < 0 ? name : name.slice(0, colon),
    ...(tag === undefined || digest !== undefined ? {} : { newTag: tag }),
    ...(digest === undefined ? {} : { digest }),
  };
}
