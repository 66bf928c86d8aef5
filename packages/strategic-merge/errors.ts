import { defineErrors } from "@kyma-operators/errors";

export const merge = defineErrors("STRATEGIC_MERGE", {
  /** The patch contradicts itself or the kind. `problem` is worded as Kubernetes does. */
  PATCH_INVALID: { retry: "never", text: (d: { field: string; problem: string }) => `${d.field}: ${d.problem}` },
});
