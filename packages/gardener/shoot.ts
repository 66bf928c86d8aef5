import type { ErrorCode } from "./error-codes.ts";
import type { JsonObject } from "./json.ts";

/** `metadata` as far as Shoots need it; times are RFC 3339 texts. */
export interface ShootMeta {
  name?: string;
  namespace?: string;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  creationTimestamp?: string;
  deletionTimestamp?: string;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  finalizers?: string[];
}

/** A Gardener cluster, `core.gardener.cloud/v1beta1`. Fields that nobody here reads pass through untyped. */
export interface Shoot {
  apiVersion: string;
  kind: string;
  metadata: ShootMeta;
  spec: ShootSpec;
  status?: ShootStatus;
}

export interface ShootSpec {
  readonly purpose?: string;
  readonly region: string;
  readonly secretBindingName?: string;
  readonly credentialsBindingName?: string;
  readonly cloudProfileName?: string;
  readonly cloudProfile?: { readonly kind: string; readonly name: string };
  readonly exposureClassName?: string;
  readonly seedName?: string;
  readonly seedSelector?: { readonly matchLabels?: Readonly<Record<string, string>> };
  readonly accessRestrictions?: readonly AccessRestriction[];
  readonly tolerations?: readonly Toleration[];
  readonly networking?: ShootNetworking;
  readonly controlPlane?: JsonObject;
  readonly kubernetes: ShootKubernetes;
  readonly provider: ShootProvider;
  readonly dns?: ShootDns;
  readonly extensions?: readonly ShootExtension[];
  readonly resources?: readonly NamedResource[];
  readonly maintenance?: Maintenance;
  readonly hibernation?: { readonly enabled?: boolean };
}

export interface AccessRestriction {
  readonly name: string;
  readonly options?: Readonly<Record<string, string>>;
}

export interface Toleration {
  readonly key: string;
  readonly value?: string;
}

export interface ShootNetworking {
  readonly type?: string;
  readonly nodes?: string;
  readonly pods?: string;
  readonly services?: string;
}

export interface ShootKubernetes {
  readonly version: string;
  readonly kubeAPIServer?: KubeApiServer;
}

export interface KubeApiServer {
  readonly oidcConfig?: JsonObject;
  readonly structuredAuthentication?: { readonly configMapName: string };
  readonly auditConfig?: { readonly auditPolicy: { readonly configMapRef: { readonly name: string } } };
}

export interface ShootProvider {
  readonly type: string;
  readonly infrastructureConfig?: JsonObject;
  readonly controlPlaneConfig?: JsonObject;
  readonly workers?: readonly ShootWorker[];
  readonly workersSettings?: { readonly sshAccess: { readonly enabled: boolean } };
}

/** A worker pool; the list is keyed by `name`. */
export interface ShootWorker {
  readonly name: string;
  readonly machine: {
    readonly type: string;
    readonly image?: { readonly name: string; readonly version?: string; readonly providerConfig?: JsonObject };
    readonly architecture?: string;
  };
  readonly minimum: number;
  readonly maximum: number;
  readonly zones?: readonly string[];
  readonly updateStrategy?: string;
  readonly providerConfig?: JsonObject;
}

export interface ShootDns {
  readonly domain?: string;
  readonly providers?: readonly JsonObject[];
}

export interface ShootExtension {
  readonly type: string;
  readonly disabled?: boolean;
  readonly providerConfig?: JsonObject;
}

export interface NamedResource {
  readonly name: string;
  readonly resourceRef: { readonly apiVersion: string; readonly kind: string; readonly name: string };
}

export interface Maintenance {
  readonly autoUpdate?: { readonly kubernetesVersion: boolean; readonly machineImageVersion: boolean };
  readonly timeWindow?: TimeWindow;
}

/** Both in the form `HHMMSS+ZZZZ`. */
export interface TimeWindow {
  readonly begin: string;
  readonly end: string;
}

export interface ShootStatus {
  readonly observedGeneration?: number;
  readonly lastOperation?: LastOperation;
  readonly lastErrors?: readonly LastError[];
  readonly advertisedAddresses?: readonly { readonly name: string; readonly url: string }[];
  readonly hibernated?: boolean;
  readonly technicalID?: string;
  readonly seedName?: string;
}

export type OperationType = "Create" | "Reconcile" | "Delete" | "Migrate" | "Restore" | "LiveMigrate";
export type OperationState = "Processing" | "Succeeded" | "Error" | "Failed" | "Pending" | "Aborted";

export interface LastOperation {
  readonly type: OperationType;
  readonly state: OperationState;
  /** 0 to 100. */
  readonly progress: number;
  readonly description: string;
  readonly lastUpdateTime: string;
}

export interface LastError {
  readonly description: string;
  readonly taskID?: string;
  readonly codes?: readonly (ErrorCode | (string & {}))[];
  readonly lastUpdateTime?: string;
}
