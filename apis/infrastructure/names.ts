/** REST collections of the kinds in this folder. */
export const runtimeResource = {
  group: "infrastructuremanager.kyma-project.io",
  version: "v1",
  kind: "Runtime",
  plural: "runtimes",
  namespaced: true,
} as const;

export const gardenerClusterResource = {
  group: "infrastructuremanager.kyma-project.io",
  version: "v1",
  kind: "GardenerCluster",
  plural: "gardenerclusters",
  namespaced: true,
} as const;

export const customConfigResource = {
  group: "core.kyma-project.io",
  version: "v1beta1",
  kind: "CustomConfig",
  plural: "customconfigs",
  namespaced: true,
} as const;

/** Namespace of all our resources on the control plane. */
export const controlPlaneNamespace = "kcp-system";

export const labels = {
  instanceId: "kyma-project.io/instance-id",
  runtimeId: "kyma-project.io/runtime-id",
  region: "kyma-project.io/region",
  kymaName: "operator.kyma-project.io/kyma-name",
  planId: "kyma-project.io/broker-plan-id",
  planName: "kyma-project.io/broker-plan-name",
  globalAccountId: "kyma-project.io/global-account-id",
  subaccountId: "kyma-project.io/subaccount-id",
  shootName: "kyma-project.io/shoot-name",
  platformRegion: "kyma-project.io/platform-region",
  managedBy: "operator.kyma-project.io/managed-by",
  internal: "operator.kyma-project.io/internal",
  /** On a kubeconfig Secret: the GardenerCluster it belongs to. */
  clusterName: "operator.kyma-project.io/cluster-name",
  /** On a ClusterRoleBinding of the runtime cluster: ours to change and remove. */
  bindingManagedBy: "reconciler.kyma-project.io/managed-by",
  controlledByProvisioner: "kyma-project.io/controlled-by-provisioner",
  createdByMigrator: "operator.kyma-project.io/created-by-migrator",
} as const;

/** Value of the two managed-by labels. */
export const infrastructureManager = "infrastructure-manager";

/** Labels without which a Runtime can't be converted, in the order in which they are checked. */
export const requiredRuntimeLabels = [
  labels.instanceId,
  labels.runtimeId,
  labels.region,
  labels.kymaName,
  labels.planId,
  labels.planName,
  labels.globalAccountId,
  labels.subaccountId,
] as const;

export const annotations = {
  /** `true` on a Runtime: patch the Shoot once although nothing changed. */
  forcePatch: "operator.kyma-project.io/force-patch-reconciliation",
  /** `true` on a Runtime: never patch the Shoot; wins over `forcePatch`. */
  suspendPatch: "operator.kyma-project.io/suspend-patch-reconciliation",
  /** `true` on a Runtime: force the deletion of the Shoot as soon as Gardener allows it. */
  forceDelete: "operator.kyma-project.io/force-delete",
  /** Any value on a GardenerCluster: fetch a new kubeconfig once. */
  forceRotation: "operator.kyma-project.io/force-kubeconfig-rotation",
  /** On a kubeconfig Secret: when it was written, RFC 3339 in UTC. */
  lastSync: "operator.kyma-project.io/last-sync",
  /** On a kubeconfig Secret: until when Gardener granted it, RFC 3339 in UTC. */
  expiresAt: "operator.kyma-project.io/kubeconfig-expires-at",
  /** On a GardenerCluster: DNS domain of the Shoot. */
  skrDomain: "skr-domain",
} as const;

/** Labels and annotations that the manager sets on a Shoot. */
export const shootMarks = {
  account: "account",
  subaccount: "subaccount",
  runtimeId: "infrastructuremanager.kyma-project.io/runtime-id",
  runtimeGeneration: "infrastructuremanager.kyma-project.io/runtime-generation",
  licenceType: "infrastructuremanager.kyma-project.io/licence-type",
} as const;

export const runtimeFinalizer = "runtime-controller.infrastructure-manager.kyma-project.io/deletion-hook";

/** Field manager of every write to a Shoot and to a runtime cluster. */
export const fieldManager = "kim";
