import { hasCode, textOf } from "@kyma-operators/errors";
import type { AnyObject } from "@kyma-operators/kube";
import { strategicMerge } from "@kyma-operators/strategic-merge";
import { ApiError } from "../api-error.ts";
import { kindFacts } from "../facts/facts.ts";
import type { ServedResource } from "../resources/resource.ts";

/** Applies a strategic merge patch to an object of a built-in kind. Throws 500 for a patch that contradicts itself, as Kubernetes does. */
export function applyStrategicPatch(
  { group, version, kind }: ServedResource,
  object: AnyObject,
  patch: object,
): object {
  try {
    return strategicMerge(object, patch, kindFacts(group, version, kind)?.merge);
  } catch (error) {
    if (hasCode(error, "STRATEGIC_MERGE_PATCH_INVALID"))
      throw new ApiError({ code: 500, reason: "", message: textOf(error).replace(/^[\w.[\]]+: /, ""), cause: error });
    throw error;
  }
}
