import { defineErrors } from "@kyma-operators/errors";

export const mandatoryErrors = defineErrors("MANDATORY", {
  /** Some Manifests were refused or could not be written. */
  MANIFEST_WRITE: {
    retry: "backoff",
    text: (d: { first: string; others: number }) =>
      d.others === 0 ? `could not write ${d.first}` : `could not write ${d.first} and ${d.others} more`,
  },
  /** A module that every Kyma should have cannot be installed; the others are. */
  MODULES_UNUSABLE: {
    retry: "backoff",
    text: (d: { first: string; problem: string; others: number }) =>
      `mandatory module ${d.first} cannot be installed: ${d.problem}${d.others === 0 ? "" : `; ${d.others} more cannot either`}`,
  },
});
