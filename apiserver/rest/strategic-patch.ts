import { hasCode, textOf } from "@kyma-operators/errors";
import type { AnyObject } from "@kyma-operators/kube";
import { strategicMerge } from "@kyma-operators/strategic-merge";
import { apiError } from "../api-error.ts";
import { kindFacts } from "../facts/facts.ts";
import type { ServedResource } from "../resources/resource.ts";

/** Applies a strategic merge patch to an object of a built-in kind. Throws 400 for a patch that contradicts itself. */
export function applyStrategicPatch(
  { group, version, kind }: ServedResource,
  object: AnyObject,
  patch: object,
): object {
  try {
    return strategicMerge(object, patch, kindFacts(group, version, kind)?.merge);
  } catch (error) {
    if (hasCode(error, "STRATEGIC_MERGE_PATCH_INVALID")) throw apiError.badRequest(textOf(error));
    throw error;
  }
}
