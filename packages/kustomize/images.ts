import { RE2JS } from "re2js";
import { kustomizeErrors } from "./errors.ts";
import { changeField } from "./field-path.ts";
import { imageFields } from "./field-specs.ts";
import { isFields } from "./json.ts";
import type { ImageEntry } from "./kustomization.ts";
import type { Resource } from "./resource.ts";

/**
 * Rewrites images in two passes, as kustomize does: lists named `containers` and `initContainers` at any depth, then
 * the pod specs by their path. A tag suffix is therefore added twice there.
 */
export function rewriteImages(resources: readonly Resource[], entry: ImageEntry): void {
  const rewrite = rewriterOf(entry);
  for (const resource of resources) {
    if (resource.kind !== "CustomResourceDefinition") rewriteLists(resource.fields, rewrite);
    for (const field of imageFields) changeField(resource, field, { set: rewrite });
  }
}

type Rewrite = (image: unknown) => unknown;

function rewriteLists(node: unknown, rewrite: Rewrite): void {
  if (Array.isArray(node)) for (const item of node) rewriteLists(item, rewrite);
  if (!isFields(node)) return;
  for (const [key, value] of Object.entries(node)) {
    if ((key === "containers" || key === "initContainers") && Array.isArray(value)) rewriteContainers(value, rewrite);
    rewriteLists(value, rewrite);
  }
}

function rewriteContainers(containers: readonly unknown[], rewrite: Rewrite): void {
  for (const container of containers) {
    if (isFields(container) && container["image"] !== undefined) container["image"] = rewrite(container["image"]);
  }
}

function rewriterOf(entry: ImageEntry): Rewrite {
  const pattern = patternOf(entry.name);
  return (image) => {
    if (typeof image !== "string" || !pattern.matcher(image).find()) return image;
    return formatImage(changed(splitImage(image), entry));
  };
}

/** The name of an entry is a regular expression, as in kustomize. */
function patternOf(name: string): RE2JS {
  try {
    return RE2JS.compile(`^${name}(:[a-zA-Z0-9_.{}-]*)?(@sha256:[a-zA-Z0-9_.{}-]*)?$`);
  } catch (error) {
    const problem = `name ${JSON.stringify(name)} is no regular expression`;
    throw kustomizeErrors.TRANSFORM({ what: "images", problem }, error);
  }
}

interface ImageParts {
  readonly name: string;
  readonly tag: string;
  readonly digest: string;
}

function splitImage(image: string): ImageParts {
  const from = Math.max(image.indexOf("/"), 0);
  const at = image.indexOf("@", from);
  const colon = image.indexOf(":", from);
  if (at < 0 && colon < 0) return { name: image, tag: "", digest: "" };
  if (at >= 0 && (at < colon || colon < 0)) return { name: image.slice(0, at), tag: "", digest: image.slice(at + 1) };
  const end = at < 0 ? image.length : at;
  return { name: image.slice(0, colon), tag: image.slice(colon + 1, end), digest: at < 0 ? "" : image.slice(at + 1) };
}

function changed({ name, tag, digest }: ImageParts, entry: ImageEntry): ImageParts {
  const renamed = entry.newName === "" ? name : entry.newName;
  if (entry.newTag !== "") return { name: renamed, tag: entry.newTag, digest: entry.digest };
  if (entry.digest !== "") return { name: renamed, tag: "", digest: entry.digest };
  if (entry.tagSuffix !== "") return { name: renamed, tag: `${tag}${entry.tagSuffix}`, digest: "" };
  return { name: renamed, tag, digest };
}

function formatImage({ name, tag, digest }: ImageParts): string {
  return `${name}${tag === "" ? "" : `:${tag}`}${digest === "" ? "" : `@${digest}`}`;
}
