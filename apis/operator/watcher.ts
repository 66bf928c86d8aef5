import type { apiVersion } from "./group.ts";
import { labels } from "./labels.ts";
import type { Condition, LabelSelector, ObjectMeta } from "./object.ts";
import type { State } from "./state.ts";

export interface WatcherSpec {
  /** The Service that receives the events. */
  readonly serviceInfo: { readonly name: string; readonly namespace: string; readonly port: number };
  /** Name of the receiver in the path of an event; see {@link watcherManager}. */
  readonly manager?: string;
  readonly labelsToWatch?: Readonly<Record<string, string>>;
  readonly resourceToWatch: { readonly group: string; readonly version: string; readonly resource: string };
  /** The part of an object whose change is an event. */
  readonly field: "spec" | "status";
  readonly gateway: { readonly selector: LabelSelector };
}

export interface WatcherStatus {
  readonly state: State;
  readonly conditions?: readonly Condition[];
  readonly observedGeneration?: number;
}

/** Which changes on remote clusters are reported, and to whom. */
export interface Watcher {
  apiVersion: typeof apiVersion;
  kind: "Watcher";
  metadata: ObjectMeta;
  spec: WatcherSpec;
  status?: WatcherStatus;
}

export const watcherCondition = {
  type: "VirtualService",
  reason: "Ready",
  True: "VirtualService is configured",
  False: "VirtualService is not configured",
} as const;

/** False for a Watcher that watches nothing: its schema asks for no spec, only for all of it. */
export function hasSpec({ spec }: { readonly spec?: Partial<WatcherSpec> }): boolean {
  return spec?.resourceToWatch !== undefined;
}

/** Receiver of the events: `spec.manager`, else the label `managed-by`, else empty. */
export function watcherManager(watcher: Watcher): string {
  return watcher.spec.manager || (watcher.metadata.labels?.[labels.managedBy] ?? "");
}

/** NetworkPolicies that let the watcher agent talk on the remote cluster. */
export const networkPolicyNames = [
  "kyma-project.io--watcher-to-apiserver",
  "kyma-project.io--seed-to-watcher",
  "kyma-project.io--watcher-to-dns",
  "kyma-project.io--metrics-to-watcher",
] as const;
