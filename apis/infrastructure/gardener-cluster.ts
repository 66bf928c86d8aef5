import type { Condition, Metadata } from "./meta.ts";

/** Keeps a kubeconfig Secret for one Shoot fresh. */
export interface GardenerCluster {
  apiVersion: "infrastructuremanager.kyma-project.io/v1";
  kind: "GardenerCluster";
  metadata: Metadata;
  spec: GardenerClusterSpec;
  status?: GardenerClusterStatus;
}

export interface GardenerClusterSpec {
  readonly shoot: { readonly name: string };
  readonly kubeconfig: {
    readonly secret: { readonly name: string; readonly namespace: string; readonly key: string };
  };
}

export const gardenerClusterStates = ["Ready", "Error"] as const;
export type GardenerClusterState = (typeof gardenerClusterStates)[number];

export interface GardenerClusterStatus {
  readonly state?: string;
  readonly conditions?: readonly Condition[];
}
