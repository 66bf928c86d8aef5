import type { AnyObject } from "@kyma-operators/kube";
import { build, treeOf } from "@kyma-operators/kustomize";
import { manifestErrors } from "../errors.ts";
import { uniqueObjects } from "./documents.ts";

/** Builds a kustomization whose files are all in the layer; nothing outside it can be named. */
export function renderKustomization(files: ReadonlyMap<string, Uint8Array>, name: string): readonly AnyObject[] {
  const objects = build(treeOf(files), "/").map((fields) => asObject(fields, name));
  return uniqueObjects(objects, name);
}

function asObject(fields: Readonly<Record<string, unknown>>, source: string): AnyObject {
  const tooLarge = findBigint(fields);
  if (tooLarge !== undefined) {
    const problem = `the integer ${tooLarge} is too large to be kept exactly; quote it if it is a text`;
    throw manifestErrors.CONTENT_INVALID({ source, problem });
  }
  return { metadata: {}, ...fields } as AnyObject;
}

function findBigint(value: unknown): bigint | undefined {
  if (typeof value === "bigint") return value;
  if (typeof value !== "object" || value === null) return undefined;
  for (const entry of Object.values(value)) {
    const found = findBigint(entry);
    if (found !== undefined) return found;
  }
  return undefined;
}
