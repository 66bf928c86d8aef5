import { defineErrors } from "@kyma-operators/errors";

/** Why a Runtime can't become a Shoot. The texts are what operators of the original already search for. */
export const conversionErrors = defineErrors("CONVERSION", {
  /** The environment broker sets these labels; set the one that is named. */
  MISSING_LABEL: {
    retry: "on-change",
    text: (d: { label: string }) => `missing required label ${d.label}`,
  },
  /** A cluster has exactly one main pool; move the others to additionalWorkers. */
  MAIN_WORKER: {
    retry: "on-change",
    text: (d: { found: number }) =>
      `single main worker is required: spec.shoot.provider.workers has ${d.found} entries, further pools belong into additionalWorkers`,
  },
  /** The Runtime names another provider than its Shoot; put the old one back, or use another Shoot name. */
  PROVIDER_CHANGED: {
    retry: "on-change",
    text: (d: { shoot: string; found: string; wanted: string }) =>
      `spec.shoot.provider.type is "${d.wanted}", but Shoot ${d.shoot} runs on "${d.found}": no cluster can move`,
  },
  /** The Shoot is half-written or was made by hand; give it the infrastructureConfig of its provider. */
  NO_INFRASTRUCTURE: {
    retry: "on-change",
    text: (d: { shoot: string }) => `existing infrastructure config is required, Shoot ${d.shoot} has none`,
  },
  /** The Shoot is half-written or has no nodes; give it its pools in Gardener. */
  NO_SHOOT_WORKERS: {
    retry: "on-change",
    text: (d: { shoot: string }) => `shoot workers are required, Shoot ${d.shoot} has none`,
  },
  /** What was read has not the shape of the object that is expected; correct the fields that are named. */
  NOT_READABLE: {
    retry: "never",
    text: (d: { source: string; problems: readonly string[] }) => `${d.source}: ${d.problems.join("; ")}`,
  },
  /** Gardener would refuse the Shoot; correct every field that is named. */
  INVALID_RUNTIME: {
    retry: "on-change",
    text: (d: { problems: readonly { readonly field: string; readonly message: string }[] }) =>
      d.problems.map(({ field, message }) => `${field}: ${message}`).join("; "),
  },
});

/** Why a configuration file can't be used. */
export const configErrors = defineErrors("CONFIG", {
  /** The configuration file is not JSON; correct it at the place that is named. */
  NOT_JSON: {
    retry: "never",
    text: (d: { file: string }) => `${d.file} is no JSON`,
  },
  /** The configuration file has unknown, missing or wrong keys; correct every one that is named. */
  INVALID: {
    retry: "never",
    text: (d: { file: string; problems: readonly string[] }) => `${d.file} is not valid: ${d.problems.join("; ")}`,
  },
  /** The audit-log file has no tenant for the provider; add one, or start with --audit-log-mandatory=false. */
  AUDIT_LOG_PROVIDER: {
    retry: "on-change",
    text: (d: { provider: string }) => `audit logs configuration not found: missing providerType: '${d.provider}'`,
  },
  /** The audit-log file has no tenant for the region; add one, or start with --audit-log-mandatory=false. */
  AUDIT_LOG_REGION: {
    retry: "on-change",
    text: (d: { provider: string; region: string }) =>
      `audit logs configuration not found: missing region: '${d.region}' for providerType: '${d.provider}'`,
  },
});
