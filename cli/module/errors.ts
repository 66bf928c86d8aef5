import { defineErrors } from "@kyma-operators/errors";

export const moduleErrors = defineErrors("MODULE", {
  /** The cluster has no Kyma. */
  NO_KYMA: {
    retry: "on-change",
    text: (d: { where: string }) =>
      `no Kyma found in ${d.where}: create one with "kyma deploy", or name it with --kyma-name and --namespace`,
  },
  /** Several Kymas and none is named. */
  AMBIGUOUS_KYMA: {
    retry: "on-change",
    text: (d: { names: readonly string[] }) =>
      `several Kymas found (${d.names.join(", ")}): choose one with --kyma-name and --namespace`,
  },
  /** No release of that name. */
  UNKNOWN_MODULE: {
    retry: "on-change",
    text: (d: { module: string; near: string | undefined; known: readonly string[] }) =>
      `unknown module "${d.module}": ${d.near === undefined ? `known are ${d.known.join(", ") || "none"}` : `did you mean "${d.near}"?`}`,
  },
  /** Neither the cluster nor the registry has the module; give a template, another --registry, or the component's name. */
  NOT_IN_REGISTRY: {
    retry: "on-change",
    text: (d: { module: string; component: string; registry: string; known: readonly string[] }) =>
      `unknown module "${d.module}": ${d.registry} has no component ${d.component}, and the cluster knows ${d.known.join(", ") || "no module"}`,
  },
  /** The module has no version in that channel. */
  NOT_IN_CHANNEL: {
    retry: "on-change",
    text: (d: { module: string; channel: string; channels: readonly string[] }) =>
      `module "${d.module}" is not in channel "${d.channel}": it is in ${d.channels.join(", ") || "no channel"}`,
  },
  /** The catalogue is no list of modules; check the address with --remote-url. */
  CATALOG_INVALID: { retry: "backoff", text: (d: { url: string; problem: string }) => `${d.url}: ${d.problem}` },
  /** The catalogue has the module, but not in that version. */
  NO_VERSION: {
    retry: "on-change",
    text: (d: { module: string; version: string; versions: readonly string[] }) =>
      `module "${d.module}" has no version ${d.version}: there are ${d.versions.join(", ")}`,
  },
  /** The namespace holds the template already; replace it with --force. */
  ALREADY_PULLED: {
    retry: "on-change",
    text: (d: { template: string }) => `${d.template} exists already: replace it with --force`,
  },
  /** The Kyma does not list the module. */
  NOT_ENABLED: {
    retry: "on-change",
    text: (d: { module: string; kyma: string; enabled: readonly string[] }) =>
      `module "${d.module}" is not enabled in Kyma ${d.kyma}: enabled are ${d.enabled.join(", ") || "none"}`,
  },
  /** A flag has a value that cannot be used. */
  FLAG: {
    retry: "never",
    text: (d: { flag: string; expected: string; found: string }) =>
      `--${d.flag}: expected ${d.expected}, found ${JSON.stringify(d.found)}`,
  },
  /** What was given to plan with is not what the API server would take. */
  PLAN_INPUT: { retry: "never", text: (d: { where: string; problem: string }) => `${d.where}: ${d.problem}` },
});
