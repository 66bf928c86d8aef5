/** Label keys. All are part of the API: other components, tests and stored objects depend on them. */
const prefix = "operator.kyma-project.io/";
const btp = "kyma-project.io/";

export const labels = {
  /** On Manifests and access Secrets: name of the Kyma they belong to. */
  kymaName: `${prefix}kyma-name`,
  moduleName: `${prefix}module-name`,
  /** On Manifests of non-mandatory modules: the channel the version came from. */
  channel: `${prefix}channel`,
  controllerName: `${prefix}controller-name`,
  managedBy: `${prefix}managed-by`,
  mandatoryModule: `${prefix}mandatory-module`,
  /** On the Kyma of the remote cluster: selected by the watcher agent. */
  watchedBy: `${prefix}watched-by`,
  purpose: `${prefix}purpose`,
  skipReconciliation: `${prefix}skip-reconciliation`,
  internal: `${prefix}internal`,
  beta: `${prefix}beta`,
  watcherGateway: `${prefix}watcher-gateway`,
  podRestartTrigger: `${prefix}pod-restart-trigger`,
  globalAccountId: `${btp}global-account-id`,
  subaccountId: `${btp}subaccount-id`,
  runtimeId: `${btp}runtime-id`,
  region: `${btp}region`,
  platformRegion: `${btp}platform-region`,
  brokerPlanName: `${btp}broker-plan-name`,
  instanceId: `${btp}instance-id`,
  istioInjection: "istio-injection",
  wardenValidate: "namespaces.warden.kyma-project.io/validate",
  component: "app.kubernetes.io/component",
  partOf: "app.kubernetes.io/part-of",
} as const;

/** Fixed label values. */
export const labelValues = {
  enabled: "enabled",
  true: "true",
  /** `managed-by` of our objects on the control plane. */
  managedByControlPlane: "lifecycle-manager",
  /** `managed-by` of everything we put on a remote cluster, and `watched-by` of its Kyma. */
  managedByRemote: "kyma",
  partOf: "Kyma",
  certManagerPurpose: "klm-watcher-cert-manager",
  watcherGateway: "default",
} as const;

/** True when the label says `true` in any case, as Kymas and ModuleTemplates are read. */
export function isLabelled(object: { readonly metadata: { labels?: Record<string, string> } }, key: string): boolean {
  return object.metadata.labels?.[key]?.toLowerCase() === labelValues.true;
}
