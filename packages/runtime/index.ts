export { conflictsOf, type FieldConflict } from "./apply-conflicts.ts";
export {
  type ClusterPool,
  type ClusterPoolOptions,
  type ClusterSource,
  createClusterPool,
  type RemoteCluster,
} from "./cluster-pool.ts";
export { type Condition, conditionOf, type NewCondition, setCondition } from "./conditions.ts";
export { type ConnectivityProblem, connectivityProblem } from "./connectivity.ts";
export { assignShards, shardOf } from "./consistent-hash.ts";
export { debugPages } from "./debug-pages.ts";
export { runtimeErrors } from "./errors.ts";
export { ensureFinalizer, hasFinalizer, removeFinalizer } from "./finalizers.ts";
export { canonicalJson, intentHash } from "./hash.ts";
export { keyOf, keyText, refTo } from "./keys.ts";
export type { LeaseTimes } from "./lease-elector.ts";
export {
  createLogger,
  isLogLevel,
  type LevelLogger,
  type LogDestination,
  type LogLevel,
  logLevels,
  silentLogger,
} from "./logger.ts";
export { countUnchanged } from "./managed-client.ts";
export { createManager, type LeaseGroup, type Manager, type ManagerOptions } from "./manager.ts";
export { jsonEqual, mergePatchBetween } from "./merge-patch.ts";
export { createMetrics, type MetricsExport } from "./metrics.ts";
export {
  healthPages,
  listenOn,
  metricsPages,
  type OperationsServer,
  type Page,
  type Pages,
  serveOperations,
} from "./operations-server.ts";
export { ownerReferenceTo, specChanged, toOwner } from "./owners.ts";
export { allow, type Permission, type Permissions, type Verb } from "./permissions.ts";
export { priority } from "./priorities.ts";
export { limitRate, type RateLimit } from "./rate-limit.ts";
export { observeRequests } from "./rest-metrics.ts";
export { patchStatus } from "./status.ts";
export { type Random, systemRandom } from "./system-random.ts";
export type {
  Change,
  ChannelSource,
  Context,
  ControllerDefinition,
  EventRecorder,
  IndexFunction,
  Informer,
  InformerOptions,
  Logger,
  ManagerContext,
  MetricsRegistry,
  Outcome,
  Reconcile,
  Store,
  WatchDefinition,
} from "./types.ts";
