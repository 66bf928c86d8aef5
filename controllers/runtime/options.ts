import type { Client } from "@kyma-operators/kube";
import type { Timeouts } from "./operation.ts";
import type { AuditLogTenants, LandscapeConfig, MaintenanceWindows } from "./shoot/index.ts";

/** The configuration files of a landscape, as they are now. */
export interface Landscape {
  readonly config: LandscapeConfig;
  readonly auditLogTenants: AuditLogTenants;
  readonly maintenanceWindows: MaintenanceWindows;
}

/** Opens and keeps clients of runtime clusters. */
export interface RemoteClients {
  /**
   * The client for a kubeconfig. The same key and revision give the same client; another revision closes the old one.
   *
   * @param key - names the cluster.
   * @param revision - changes whenever the credentials may have changed.
   */
  open(key: string, revision: string, kubeconfig: () => string): Client | Promise<Client>;
  /** Forgets the client. */
  evict(key: string): void;
}

export interface RuntimeControllerOptions {
  /** The API server of Gardener. */
  readonly gardener: Client;
  readonly remote: RemoteClients;
  /** Read anew in every pass, so that changed files count without a restart. */
  readonly landscape: () => Landscape;
  /** Says when the landscape has changed: what failed before may succeed now. Ends with the function that comes back. */
  readonly onLandscapeChange?: (listener: () => void) => () => void;
  /** Namespace of the Runtimes. Default `kcp-system`. */
  readonly namespace?: string;
  /** Runtimes in work at once. Default 25. */
  readonly concurrency?: number;
  /** Refuse Runtimes whose region has no audit-log tenant. Default true. */
  readonly auditLogMandatory?: boolean;
  /** Structured authentication below Kubernetes 1.32 too. Default false. */
  readonly structuredAuthentication?: boolean;
  /** Heed the annotation that forces the deletion of a Shoot. Default false. */
  readonly forceDeletion?: boolean;
  /** Leave Runtimes that the Provisioner controls alone. Default false. */
  readonly controlledByProvisionerCheck?: boolean;
  /** Longest creation and update before a Runtime says that it is stuck. Default 60 and 120 minutes. */
  readonly timeouts?: Timeouts;
  /** Age of a deletion from which on a warning is given, in milliseconds. Default 120 minutes. */
  readonly deletionWarningMs?: number;
  /** Safety net: an unfinished Runtime is looked at again after so long, in milliseconds. Default 30 minutes. */
  readonly resyncMs?: number;
}

/** The options with their defaults. */
export type Settings = Required<RuntimeControllerOptions>;

export function settingsOf(options: RuntimeControllerOptions): Settings {
  return {
    onLandscapeChange: () => () => undefined,
    namespace: "kcp-system",
    concurrency: 25,
    auditLogMandatory: true,
    structuredAuthentication: false,
    forceDeletion: false,
    controlledByProvisionerCheck: false,
    timeouts: { provisioningMs: 3_600_000, updateMs: 7_200_000 },
    deletionWarningMs: 7_200_000,
    resyncMs: 1_800_000,
    ...options,
  };
}
