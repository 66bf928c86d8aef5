export { type Clock, systemClock } from "@kyma-operators/clock";
export type { ClusterAccess } from "./access.ts";
export { builtIn } from "./built-in.ts";
export { type ClientOptions, createClient } from "./client.ts";
export type {
  ApplyOptions,
  CallOptions,
  Client,
  DeleteOptions,
  JsonPatchOperation,
  ListOptions,
  ObjectList,
  ObjectRef,
  ServerInfo,
  WatchEvent,
  WatchOptions,
  WriteOptions,
} from "./client-types.ts";
export { kubeErrors, type NoAnswerDetail, type RequestDetail } from "./errors.ts";
export { createHttpTransport, type HttpTransportOptions } from "./http-transport.ts";
export { type InCluster, inClusterAccess } from "./in-cluster-files.ts";
export { clusterFromKubeconfig, serverFromKubeconfig } from "./kubeconfig.ts";
export { loadKubeconfig, type PersonalKubeconfig } from "./kubeconfig-files.ts";
export { optional } from "./optional.ts";
export { apiVersionOf } from "./paths.ts";
export type { RequestReport } from "./requester.ts";
export { microTimeText, parseTime, timeText } from "./system-time.ts";
export { type Transport, type TransportRequest, type TransportResponse, transportFrom } from "./transport.ts";
export type {
  AnyObject,
  GroupVersionKind,
  Json,
  KubeObject,
  ManagedFieldsEntry,
  ObjectKey,
  ObjectMeta,
  OwnerReference,
  Resource,
} from "./types.ts";
