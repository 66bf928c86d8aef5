import { defineErrors } from "@kyma-operators/errors";

export const merge = defineErrors("STRATEGIC_MERGE", {
  /** The patch contradicts itself or the kind; Kubernetes answers 400. */
  PATCH_INVALID: { retry: "never", text: (d: { field: string; problem: string }) => `${d.field}: ${d.problem}` },
});
