import { RE2JS } from "re2js";
import { type Budget, stepsFor } from "./budget.ts";
import { kustomizeErrors } from "./errors.ts";
import { changeField, type FieldChange } from "./field-path.ts";
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
  const { budget } = list;
  for (const resource of list.all()) {
    let images = imagesOf(resource, budget);
    for (const { matches, entry } of rewriters) {
      // Most images are told apart by the first characters.
      budget.spendLooks(images.size);
      if (![...images].some(matches)) continue;
      const rewrite = (image: string): string => {
        if (!matches(image)) return image;
        const written = formatImage(changed(splitImage(image), entry));
        budget.spend(stepsFor(written));
        return written;
      };
      rewriteIn(resource, { rewrite, budget });
      images = imagesOf(resource, budget);
    }
  }
}

/** How images are changed, and what pays for the way to them. */
interface Rewriter {
  readonly rewrite: (image: string) => string;
  readonly budget: Budget;
}

/** All images that a resource names: most entries fit none of them, and a look at these is cheap. */
function imagesOf(resource: Resource, budget: Budget): ReadonlySet<string> {
  const images = new Set<string>();
  const rewrite = (image: string): string => {
    images.add(image);
    return image;
  };
  rewriteIn(resource, { rewrite, budget });
  return images;
}

function rewriteIn(resource: Resource, { rewrite, budget }: Rewriter): void {
  const set = (image: unknown): unknown => (typeof image === "string" ? rewrite(image) : image);
  const change = { set, budget };
  if (resource.kind !== "CustomResourceDefinition") rewriteLists(resource.fields, change);
  for (const field of imageFields) changeField(resource, field, change);
}

function rewriteLists(node: unknown, change: FieldChange): void {
  change.budget.spendLooks(1);
  if (Array.isArray(node)) for (const item of node) rewriteLists(item, change);
  if (!isFields(node)) return;
  for (const [key, value] of Object.entries(node)) {
    if ((key === "containers" || key === "initContainers") && Array.isArray(value)) rewriteContainers(value, change);
    rewriteLists(value, change);
  }
}

function rewriteContainers(containers: readonly unknown[], { set }: FieldChange): void {
  for (const container of containers) {
    if (isFields(container) && container["image"] !== undefined) container["image"] = set(container["image"]);
  }
}

/** Fits images whose name, in front of tag and digest, is the entry's. */
function matcherOf(name: string, budget: Budget): (image: string) => boolean {
  const pattern = patternOf(name);
  budget.spendCompiled(pattern);
  const start = name.includes("|") ? "" : plainStart(name);
  return (image) => {
    if (!image.startsWith(start)) return false;
    budget.spendMatch(pattern, image);
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
