import { defineErrors } from "@kyma-operators/errors";

export const createErrors = defineErrors("CREATE", {
  /** The module config cannot be used; correct every field that is named. */
  CONFIG_INVALID: {
    retry: "never",
    text: (d: { file: string; problems: readonly string[] }) =>
      [`${d.file} is no module config:`, ...d.problems.map((problem) => `  ${problem}`)].join("\n"),
  },
  /** A file that the config names cannot be used; correct the file or the field. */
  SOURCE_INVALID: {
    retry: "never",
    text: (d: { field: string; source: string; problem: string }) => `${d.field}: ${d.source}: ${d.problem}`,
  },
  /** The default resource does not fit the CRD of the module; correct every field that is named. */
  DEFAULT_CR_INVALID: {
    retry: "never",
    text: (d: { source: string; kind: string; problems: readonly string[] }) =>
      [`${d.source} is no valid ${d.kind}:`, ...d.problems.map((problem) => `  ${problem}`)].join("\n"),
  },
  /** The repository around the config does not name its commit and origin; commit, or name a remote with --git-remote. */
  GIT_INVALID: {
    retry: "on-change",
    text: (d: { repository: string; problem: string }) => `${d.repository}: ${d.problem}`,
  },
  /** The registry holds this version with other content; raise the version, or replace it with --overwrite. */
  VERSION_EXISTS: {
    retry: "on-change",
    text: (d: { component: string; registry: string }) =>
      `${d.component} is in ${d.registry} already, with other content: raise the version, or replace it with --overwrite`,
  },
});
