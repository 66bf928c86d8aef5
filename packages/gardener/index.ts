export { contains, formatNetwork, maskNetwork, type Network, overlap, parseNetwork } from "./cidr.ts";
export {
  codesOf,
  describeErrors,
  type ErrorCode,
  errorCodes,
  forceDeletionCodes,
  isRetryable,
  nonRetryableByGardener,
} from "./error-codes.ts";
export { gardenerErrors } from "./errors.ts";
export { isObject, type JsonObject, objectAt, objectsAt } from "./json.ts";
export {
  cloudProfileResource,
  credentialsBindingResource,
  exposureClassResource,
  gardenerAnnotations,
  projectNamespace,
  projectResource,
  secretBindingResource,
  seedRegionLabel,
  seedResource,
  shootApiVersion,
  shootResource,
} from "./names.ts";
export { narrowSubnets } from "./providers/aws.ts";
export { providerFor } from "./providers/index.ts";
export type { Provider, ProviderConfigs } from "./providers/provider.ts";
export type {
  AccessRestriction,
  KubeApiServer,
  LastError,
  LastOperation,
  Maintenance,
  NamedResource,
  OperationState,
  OperationType,
  Shoot,
  ShootDns,
  ShootExtension,
  ShootKubernetes,
  ShootMeta,
  ShootNetworking,
  ShootProvider,
  ShootSpec,
  ShootStatus,
  ShootWorker,
  TimeWindow,
  Toleration,
} from "./shoot.ts";
export { parseMaintenanceTime, windowLength, windowLimits } from "./time-window.ts";
export { compareVersions, isAtLeast, withoutDowngrade } from "./versions.ts";
