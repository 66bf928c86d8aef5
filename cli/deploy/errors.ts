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
  /** The cluster stores objects in a version that the new CRD does not know; upgrade to a version between first. */
  CRD_VERSION_LOST: {
    retry: "never",
    text: (d: { crd: string; stored: string; known: readonly string[] }) =>
      `${d.crd}: the cluster stores objects in ${d.stored}, the new CRD knows ${d.known.join(", ")}: upgrade to a version between first`,
  },
  /** Neither the manifests nor the cluster have the CRD of Kymas; name manifests that bring it. */
  NO_KYMA_CRD: {
    retry: "never",
    text: (d: { manifests: readonly string[] }) =>
      `${d.manifests.join(", ")}: the CRD of Kymas is neither there nor on the cluster`,
  },
  /** A container of the operator cannot start or ends at once; correct the image, its flags or its configuration. */
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
  /** The operator would not start without the Secret that --registry-secret names; create it in the namespace first. */
  NO_REGISTRY_SECRET: {
    retry: "on-change",
    text: (d: { namespace: string; name: string }) =>
      `--registry-secret: Secret ${d.namespace}/${d.name} is missing, and the operator would not start: create the namespace and the Secret first, with "kubectl create secret docker-registry ${d.name} --namespace ${d.namespace}"`,
  },
  /** There is nothing to watch; deploy first. */
  NOT_DEPLOYED: {
    retry: "on-change",
    text: (d: { namespace: string }) => `namespace ${d.namespace} holds no Deployment kyma-operator: run "kyma deploy"`,
  },
});
