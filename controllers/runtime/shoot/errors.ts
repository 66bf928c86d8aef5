import { defineErrors } from "@kyma-operators/errors";

/** Why a Runtime can't become a Shoot. The texts are what operators of the original already search for. */
export const conversionErrors = defineErrors("CONVERSION", {
  MISSING_LABEL: {
    retry: "on-change",
    text: (d: { label: string }) => `missing required label ${d.label}`,
  },
  MAIN_WORKER: {
    retry: "on-change",
    text: (d: { found: number }) =>
      `single main worker is required: spec.shoot.provider.workers has ${d.found} entries, further pools belong into additionalWorkers`,
  },
  NO_INFRASTRUCTURE: {
    retry: "on-change",
    text: (d: { shoot: string }) => `existing infrastructure config is required, Shoot ${d.shoot} has none`,
  },
  NO_SHOOT_WORKERS: {
    retry: "on-change",
    text: (d: { shoot: string }) => `shoot workers are required, Shoot ${d.shoot} has none`,
  },
  NOT_READABLE: {
    retry: "never",
    text: (d: { source: string; problems: readonly string[] }) => `${d.source}: ${d.problems.join("; ")}`,
  },
  INVALID_RUNTIME: {
    retry: "on-change",
    text: (d: { problems: readonly { readonly field: string; readonly message: string }[] }) =>
      d.problems.map(({ field, message }) => `${field}: ${message}`).join("; "),
  },
});

/** Why a configuration file can't be used. */
export const configErrors = defineErrors("CONFIG", {
  NOT_JSON: {
    retry: "never",
    text: (d: { file: string }) => `${d.file} is no JSON`,
  },
  INVALID: {
    retry: "never",
    text: (d: { file: string; problems: readonly string[] }) => `${d.file} is not valid: ${d.problems.join("; ")}`,
  },
  AUDIT_LOG_PROVIDER: {
    retry: "on-change",
    text: (d: { provider: string }) => `audit logs configuration not found: missing providerType: '${d.provider}'`,
  },
  AUDIT_LOG_REGION: {
    retry: "on-change",
    text: (d: { provider: string; region: string }) =>
      `audit logs configuration not found: missing region: '${d.region}' for providerType: '${d.provider}'`,
  },
});
