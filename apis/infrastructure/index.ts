export {
  type GardenerClusterReason,
  gardenerClusterReasons,
  kubeconfigCondition,
  type RuntimeConditionType,
  type RuntimeReason,
  runtimeConditions,
  runtimeReasons,
} from "./conditions.ts";
export type { CustomConfig, RegistryCache } from "./custom-config.ts";
export {
  type GardenerCluster,
  type GardenerClusterSpec,
  type GardenerClusterState,
  type GardenerClusterStatus,
  gardenerClusterStates,
} from "./gardener-cluster.ts";
export type { Condition, JsonObject, Metadata } from "./meta.ts";
export {
  annotations,
  controlPlaneNamespace,
  customConfigResource,
  fieldManager,
  gardenerClusterResource,
  infrastructureManager,
  labels,
  requiredRuntimeLabels,
  runtimeFinalizer,
  runtimeResource,
  shootMarks,
} from "./names.ts";
export type { Problem } from "./problem.ts";
export {
  type AdditionalOidcConfig,
  type ControlPlane,
  type Networking,
  type OidcConfig,
  type ProviderType,
  providerTypes,
  type Runtime,
  type RuntimeKubernetes,
  type RuntimeProvider,
  type RuntimeShoot,
  type RuntimeSpec,
  type RuntimeState,
  type RuntimeStatus,
  runtimeStates,
  type Security,
  type ShootError,
} from "./runtime.ts";
export { type ValidationOptions, validateRuntime, validateRuntimeUpdate } from "./validation.ts";
export type { Machine, MachineImage, Worker } from "./worker.ts";
