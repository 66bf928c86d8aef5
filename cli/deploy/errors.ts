import { defineErrors } from "@kyma-operators/errors";

export const deployErrors = defineErrors("DEPLOY", {
  /** The module list file cannot be used; correct every field that is named. */
  FILE_INVALID: {
    retry: "never",
    text: (d: { file: string; problems: readonly string[] }) =>
      [`${d.file} is no module list:`, ...d.problems.map((problem) => `  ${problem}`)].join("\n"),
  },
  /** A value of a module cannot be read; write it as MODULE.KEY=VALUE. */
  VALUE_INVALID: {
    retry: "never",
    text: (d: { value: string; reason: string }) => `--value ${d.value}: ${d.reason}`,
  },
  /** A given object is of another kind than was asked for; correct the file. */
  OBJECT_UNEXPECTED: {
    retry: "never",
    text: (d: { source: string; expected: string; found: string }) =>
      `${d.source}: expected ${d.expected}, found ${d.found}`,
  },
  /** The cluster holds a newer version; use a program of that version, or go back with --force. */
  DOWNGRADE: {
    retry: "never",
    text: (d: { installed: string; wanted: string }) =>
      `version ${d.installed} is installed, ${d.wanted} is older: use a newer kyma, or go back with --force`,
  },
  /** A container of the operator cannot start; correct the image or its configuration. */
  POD_FAILED: {
    retry: "on-change",
    text: (d: { deployment: string; pod: string; reason: string; message: string }) =>
      `Deployment ${d.deployment}: Pod ${d.pod}: ${d.reason}: ${d.message}`,
  },
  /** Somebody else manages a field that the setup wants otherwise; take it over with --force-conflicts. */
  CONFLICT: {
    retry: "on-change",
    text: (d: { object: string; reason: string }) => `${d.object}: ${d.reason}; take it over with --force-conflicts`,
  },
  /** Somebody else manages the modules of the Kyma; change them there, or take them over with --force-conflicts. */
  KYMA_OWNED: {
    retry: "on-change",
    text: (d: { kyma: string; field: string; owner: string }) =>
      `Kyma ${d.kyma}: ${d.field} is managed by ${d.owner}: change it there, or take it over with --force-conflicts`,
  },
  /** No channel leads to that version of the module; choose a channel, or give a release with --template. */
  NO_CHANNEL: {
    retry: "on-change",
    text: (d: { module: string; version: string; known: readonly string[] }) =>
      `module "${d.module}": no channel leads to version ${d.version}: there are ${d.known.join(", ") || "none"}`,
  },
  /** Resources of modules were not taken by the cluster; correct what is named and run again. */
  RESOURCES_FAILED: {
    retry: "on-change",
    text: (d: { failures: readonly string[] }) =>
      ["resources of modules were not applied:", ...d.failures.map((line) => `  ${line}`)].join("\n"),
  },
  /** There is nothing to watch; deploy first. */
  NOT_DEPLOYED: {
    retry: "on-change",
    text: (d: { namespace: string }) => `namespace ${d.namespace} holds no Deployment kyma-operator: run "kyma deploy"`,
  },
});
