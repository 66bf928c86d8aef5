import type { Client } from "@kyma-operators/kube";
import type { RotationSettings } from "./rotation.ts";

export interface GardenerClusterControllerOptions {
  /** The API server of Gardener. */
  readonly gardener: Client;
  /** Gardener project; its namespace is `garden-<project>`. */
  readonly projectName: string;
  /** Namespace of GardenerClusters and their Secrets. Default `kcp-system`. */
  readonly namespace?: string;
  /** GardenerClusters in work at once. Default 25. */
  readonly concurrency?: number;
  /** Longest pass, in milliseconds. Default 60 s. */
  readonly passTimeoutMs?: number;
  /** Default 24 h, of which 0.6. */
  readonly rotation?: RotationSettings;
}

export type Settings = Required<GardenerClusterControllerOptions>;

export function settingsOf(options: GardenerClusterControllerOptions): Settings {
  return {
    namespace: "kcp-system",
    concurrency: 25,
    passTimeoutMs: 60_000,
    rotation: { lifetimeMs: 86_400_000, ratio: 0.6 },
    ...options,
  };
}
