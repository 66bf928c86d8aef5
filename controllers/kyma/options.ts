import type { Client } from "@kyma-operators/kube";
import type { ChannelSource } from "@kyma-operators/runtime";
import type { Kyma } from "../../apis/operator/kyma.ts";
import type { ComponentVersion, Descriptor } from "../../modules/descriptor.ts";
import type { WindowSettings } from "../../modules/maintenance/upgrade-gate.ts";
import type { RequeueIntervals } from "../../modules/requeue.ts";

/** Settings of the Kyma controller; the flags of the operator with the same meaning have the upstream names. */
export interface KymaSettings {
  /** Where Kymas, Manifests, the catalog and the access Secrets live. */
  readonly namespace: string;
  /** Namespace of our objects on remote clusters. */
  readonly syncNamespace: string;
  /** Registry reference that goes into Manifests. */
  readonly registry: string;
  readonly restrictedModules: readonly string[];
  readonly windows: WindowSettings;
  readonly intervals: RequeueIntervals;
  /** Spread of passes after a change of a ModuleReleaseMeta; 0 means at once. */
  readonly rolloutMaxDelayMs: number;
  /** How old what we know of a remote cluster may become while its watcher reports changes. */
  readonly remoteResyncMs: number;
  /** Name of the image pull Secret that is copied to remote clusters; absent: none is. */
  readonly pullSecret?: string;
  /** Time between two sweeps of the metrics of Kymas that are gone. */
  readonly metricsCleanupMs: number;
  readonly concurrency: number;
  readonly backoff: { readonly firstMs: number; readonly maxMs: number };
}

/** A remote cluster as this controller uses it. */
export interface RemoteCluster {
  /** Another id means another cluster, or another identity towards it. */
  readonly id: string;
  readonly client: Client;
}

/** Opens and keeps clients of remote clusters, one per cluster, shared by all controllers of the process. */
export interface RemoteClients {
  /** The client for a kubeconfig. The same key and revision give the same client; another revision closes the old one. */
  open(key: string, revision: string, kubeconfig: () => string): Client | Promise<Client>;
  /** Closes the client, so that the next call opens a new one. */
  evict(key: string): void;
}

/** Where component descriptors come from. It remembers what it has fetched, and throws what it cannot get. */
export interface DescriptorSource {
  get(id: ComponentVersion, signal: AbortSignal): Promise<Descriptor>;
}

/** What was last found of a watcher agent. */
export interface AgentView {
  readonly digest: string;
  readonly ready: boolean;
  /** When it was last looked at, milliseconds since the epoch. */
  readonly seenAtMs: number;
  /** When its Pods last changed, as its cluster says, milliseconds since the epoch; 0 where it says nothing. */
  readonly changedAtMs: number;
}

/** Keeps the watcher agent on remote clusters. */
export interface WebhookSync {
  /**
   * Brings agent and certificate of one cluster up to date; throws where that fails. The same state as `known` sends
   * nothing.
   */
  sync(
    kyma: Kyma,
    cluster: RemoteCluster,
    known: AgentView | undefined,
    pass: { readonly now: number; readonly signal: AbortSignal },
  ): Promise<AgentView>;
  /** True while a certificate of the Kyma or its Secret exists on the control plane. */
  hasCertificate(kymaName: string, signal: AbortSignal): Promise<boolean>;
  deleteCertificate(kymaName: string, signal: AbortSignal): Promise<void>;
  /** Removes everything of the agent; answers whether there was anything. */
  remove(cluster: RemoteCluster, signal: AbortSignal): Promise<boolean>;
}

export interface KymaControllerOptions {
  readonly settings: KymaSettings;
  readonly clusters: RemoteClients;
  readonly descriptors: DescriptorSource;
  /** Absent: no agent is installed and the condition `SKRWebhook` does not exist. */
  readonly webhook?: WebhookSync;
  /** Wakes Kymas whose remote cluster has reported a change: their next pass looks at it. */
  readonly remoteEvents?: ChannelSource;
  /** Wakes Kymas whose agent has to be looked after. */
  readonly agentEvents?: ChannelSource;
  /** Called when a remote Kyma had to be made: what modules had on that cluster may be gone with the old one. */
  readonly onRemoteMade?: (kymaName: string) => void;
  /** Numbers from 0 to 1, for the spread of passes. */
  readonly random: () => number;
}
