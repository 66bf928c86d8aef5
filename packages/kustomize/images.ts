import { RE2JS } from "re2js";
import type { Budget } from "./budget.ts";
import { kustomizeErrors } from "./errors.ts";
import { changeField } from "./field-path.ts";
import { imageFields } from "./field-specs.ts";
import { isFields } from "./json.ts";
import type { ImageEntry } from "./kustomization.ts";
import type { Resource } from "./resource.ts";
import type { ResourceList } from "./resource-list.ts";

/**
 * Rewrites images in two passes, as kustomize does: lists named `containers` and `initContainers` at any depth, then
 * the pod specs by their path. A tag suffix is therefore added twice there.
 */
export function rewriteImages(list: ResourceList, entries: readonly ImageEntry[]): void {
  if (entries.length === 0) return;
  const rewriters = entries.map((entry) => ({ matches: matcherOf(entry.name, list.budget), entry }));
  for (const resource of list.all()) {
    let images = imagesOf(resource);
    for (const { matches, entry } of rewriters) {
      list.budget.spend(images.size * stepsPerMatch);
      if (![...images].some(matches)) continue;
      rewriteIn(resource, (image) => (matches(image) ? formatImage(changed(splitImage(image), entry)) : image));
      images = imagesOf(resource);
      list.budget.spend(images.size);
    }
  }
}

/** Most images are told apart by the first characters. */
const stepsPerMatch = 0.1;

type Rewrite = (image: string) => string;

/** All images that a resource names: most entries fit none of them, and a look at these is cheap. */
function imagesOf(resource: Resource): ReadonlySet<string> {
  const images = new Set<string>();
  rewriteIn(resource, (image) => {
    images.add(image);
    return image;
  });
  return images;
}

function rewriteIn(resource: Resource, rewrite: Rewrite): void {
  const set = (image: unknown): unknown => (typeof image === "string" ? rewrite(image) : image);
  if (resource.kind !== "CustomResourceDefinition") rewriteLists(resource.fields, set);
  for (const field of imageFields) changeField(resource, field, { set });
}

function rewriteLists(node: unknown, rewrite: (image: unknown) => unknown): void {
  if (Array.isArray(node)) for (const item of node) rewriteLists(item, rewrite);
  if (!isFields(node)) return;
  for (const [key, value] of Object.entries(node)) {
    if ((key === "containers" || key === "initContainers") && Array.isArray(value)) rewriteContainers(value, rewrite);
    rewriteLists(value, rewrite);
  }
}

function rewriteContainers(containers: readonly unknown[], rewrite: (image: unknown) => unknown): void {
  for (const container of containers) {
    if (isFields(container) && container["image"] !== undefined) container["image"] = rewrite(container["image"]);
  }
}

/** Fits images whose name, in front of tag and digest, is the entry's. */
function matcherOf(name: string, budget: Budget): (image: string) => boolean {
  const pattern = patternOf(name);
  const start = name.includes("|") ? "" : plainStart(name);
  return (image) => {
    if (!image.startsWith(start)) return false;
    budget.spendMatch(name, image);
    return pattern.matcher(image).find();
  };
}

/** What every match of an expression without alternatives begins with. */
function plainStart(pattern: string): string {
  return /^[\w/-]*(?![*?{])/.exec(pattern)?.[0] ?? "";
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
