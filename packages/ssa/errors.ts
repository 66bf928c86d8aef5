import { defineErrors } from "@kyma-operators/errors";

export const ssa = defineErrors("SSA", {
  /** A managedFields entry holds something that is no set of paths. */
  FIELDS_INVALID: {
    retry: "never",
    text: (d: { found: string }) => `metadata.managedFields: expected a FieldsV1 set, found ${d.found}`,
  },
  /** The applied configuration does not fit the schema; Kubernetes' words. */
  PATCH_INVALID: {
    retry: "never",
    text: (d: { object: string; problems: readonly string[] }) =>
      `failed to create typed patch object (${d.object}): ${joinProblems(d.problems)}`,
  },
});

function joinProblems(problems: readonly string[]): string {
  const [first = ""] = problems;
  return problems.length === 1 ? first : `errors:\n${problems.map((problem) => `  ${problem}`).join("\n")}`;
}
