import { textOf } from "@kyma-operators/errors";
import type { AnyObject } from "@kyma-operators/kube";
import { manifestErrors } from "../errors.ts";
import { isRecord, type JsonRecord, show } from "../json.ts";
import { formatImageReference, type ImageReference, imageReferenceIn, parseImageReference } from "./image-reference.ts";
import { isPatchedWorkload, podSpecOf, withPodSpec } from "./pods.ts";

/**
 * Replaces images of Deployments and StatefulSets by their localized counterparts: those with the same name and tag.
 * The whole reference is replaced, an old digest included. The first fitting localized image wins.
 *
 * Throws `MANIFEST_TRANSFORM` when a localized image, or an image of a container, is no reference.
 */
export function localizeImages(
  objects: readonly AnyObject[],
  localizedImages: readonly string[],
): readonly AnyObject[] {
  if (localizedImages.length === 0) return objects;
  const localized = within("failed to parse localized images", () => localizedImages.map(parseImageReference));
  return objects.map((object) => (isPatchedWorkload(object) ? localizeWorkload(object, localized) : object));
}

function localizeWorkload(object: AnyObject, localized: readonly ImageReference[]): AnyObject {
  const podSpec = podSpecOf(object);
  if (podSpec === undefined) return object;
  const where = `${object.metadata.namespace ?? ""}/${object.metadata.name ?? ""}`;
  return within(`failed to rewrite images in resource ${where}`, () =>
    withPodSpec(object, {
      ...podSpec,
      ...within("failed to rewrite pod containers", () => rewritten(podSpec, "containers", localized)),
      ...within("failed to rewrite pod init containers", () => rewritten(podSpec, "initContainers", localized)),
    }),
  );
}

function rewritten(podSpec: JsonRecord, field: string, localized: readonly ImageReference[]): JsonRecord {
  const list = podSpec[field];
  if (list === undefined || list === null) return {};
  if (!Array.isArray(list))
    throw fail(`.spec.template.spec.${field} is of the type ${goTypeOf(list)}, expected a list`);
  return { [field]: list.map((container: unknown, index) => rewriteContainer(container, index, localized)) };
}

function rewriteContainer(container: unknown, index: number, localized: readonly ImageReference[]): JsonRecord {
  if (!isRecord(container)) {
    throw fail(`failed to get pod containers: ${goTypeOf(container)}: invalid container type, expected map[string]any`);
  }
  return within(`failed to rewrite images in container ${index}`, () => {
    const image = imageOf(container);
    const { env } = container;
    return {
      ...container,
      ...(image === undefined ? {} : { image: localizedImage(image, localized) }),
      ...(Array.isArray(env) ? { env: env.map((entry: unknown) => rewriteEnv(entry, localized)) } : {}),
    };
  });
}

function imageOf(container: JsonRecord): string | undefined {
  const { image } = container;
  if (image === undefined || image === null) return undefined;
  if (typeof image === "string") return image;
  throw fail(
    `error finding image in pod container: .image accessor error: ${show(image)} is of the type ${goTypeOf(image)}, expected string`,
  );
}

function localizedImage(image: string, localized: readonly ImageReference[]): string {
  const { nameAndTag } = within("invalid docker image reference", () => parseImageReference(image));
  const match = localized.find((candidate) => candidate.nameAndTag === nameAndTag);
  return match === undefined ? image : formatImageReference(match);
}

function rewriteEnv(entry: unknown, localized: readonly ImageReference[]): JsonRecord {
  if (!isRecord(entry)) {
    throw fail(`unexpected environment variable type: ${goTypeOf(entry)} (expected map[string]any)`);
  }
  const { value } = entry;
  if (value === undefined || value === null) return entry;
  if (typeof value !== "string") {
    throw fail(`unexpected environment variable type: invalid type for value: ${goTypeOf(value)} (expected a string)`);
  }
  const reference = imageReferenceIn(value);
  const match = localized.find(({ nameAndTag }) => nameAndTag === reference?.nameAndTag);
  return match === undefined ? entry : { ...entry, value: formatImageReference(match) };
}

/** Runs an action and puts the place of the failure in front of its text. */
function within<T>(place: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    throw fail(`${place}: ${textOf(error)}`);
  }
}

function fail(problem: string): Error {
  return manifestErrors.TRANSFORM({ problem });
}

/** The name upstream's messages use for the type of a value. */
function goTypeOf(value: unknown): string {
  if (typeof value === "string") return "string";
  if (typeof value === "boolean") return "bool";
  if (typeof value === "number") return Number.isInteger(value) ? "int64" : "float64";
  if (value === null || value === undefined) return "<nil>";
  return Array.isArray(value) ? "[]interface {}" : "map[string]interface {}";
}
