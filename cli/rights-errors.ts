import { defineErrors } from "@kyma-operators/errors";

export const rightsErrors = defineErrors("RIGHTS", {
  /** You may not do what the command needs; ask an administrator of the cluster for the verbs that are named. */
  MISSING: {
    retry: "on-change",
    text: (d: { missing: readonly string[] }) =>
      ["you lack rights on this cluster; nothing was written:", ...d.missing.map((line) => `  ${line}`)].join("\n"),
  },
});
