import type { ConditionStatus } from "./object.ts";

/** Condition types of a Kyma, in the order in which they are listed. */
export const kymaConditionTypes = [
  "CRDsSync",
  "Modules",
  "ModuleCatalog",
  "SKRWebhook",
  "SKRImagePullSecretSync",
] as const;

export type KymaConditionType = (typeof kymaConditionTypes)[number];

/** The only reason of a Kyma condition. */
export const kymaConditionReason = "Ready";

const webhookOutOfSync = "skrwebhook is out of sync and needs to be resynchronized";
const pullSecretOutOfSync = "skr image pull secret is out of sync and needs to be resynchronized";

/** Message of a condition by type and status; part of the API. */
export const kymaConditionMessages: Readonly<Record<KymaConditionType, Readonly<Record<ConditionStatus, string>>>> = {
  CRDsSync: {
    True: "CRDs are synchronized to the SKR",
    False: "CRDs are not synchronized to the SKR",
    Unknown: "CRDs synchronization state is unknown",
  },
  Modules: {
    True: "all modules are in ready state",
    False: "not all modules are in ready state",
    Unknown: "modules state is unknown",
  },
  ModuleCatalog: {
    True: "module templates are synchronized",
    False: "module templates are out of sync and need to be resynchronized",
    Unknown: "module templates synchronization state is unknown",
  },
  SKRWebhook: {
    True: "skrwebhook is synchronized",
    False: webhookOutOfSync,
    Unknown: webhookOutOfSync,
  },
  SKRImagePullSecretSync: {
    True: "skr image pull secret is synchronized",
    False: pullSecretOutOfSync,
    Unknown: pullSecretOutOfSync,
  },
};
