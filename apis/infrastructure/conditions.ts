/** Condition types of a Runtime. */
export const runtimeConditions = [
  "Provisioned",
  "ProvisionedDryRun",
  "KubeconfigReady",
  "OidcConfigured",
  "Configured",
  "Deprovisioned",
] as const;
export type RuntimeConditionType = (typeof runtimeConditions)[number];

/** Every reason a condition of a Runtime can have. */
export const runtimeReasons = [
  "Initialised",
  "Pending",
  "Processing",
  "ShootCreationCompleted",
  "ConfigurationCompleted",
  "ConversionErr",
  "GardenerErr",
  "SeedNotFound",
  "AuditLogErr",
  "OidcConfigurationErr",
  "RegistryCacheConfigurationErr",
  "CreationErr",
  "ProcessingErr",
  "GardenerClusterCRCreated",
  "GardenerClusterCRReady",
  "KubernetesErr",
  "OidcConfigured",
  "AdministratorsConfigured",
  "ConfigurationError",
  "GardenerClusterCRDeleted",
  "GardenerShootDeleted",
  "StructuredConfigDeleted",
] as const;
export type RuntimeReason = (typeof runtimeReasons)[number];

/** The only condition type of a GardenerCluster. */
export const kubeconfigCondition = "KubeconfigManagement";

/** Reasons of a GardenerCluster's condition. The two odd values are what users of the original already match on. */
export const gardenerClusterReasons = {
  created: "KubeconfigSecretCreated",
  rotated: "KubeconfigSecretRotated",
  fetchFailed: "FailedToGetKubeconfig",
  checkFailed: "FailedToCheckSecret",
  createFailed: "ConditionReasonFailedToCreateSecret",
  updateFailed: "FailedToUpdateSecret",
  deleteFailed: "ConditionReasonFailedToDeleteSecret",
} as const;
export type GardenerClusterReason = (typeof gardenerClusterReasons)[keyof typeof gardenerClusterReasons];
