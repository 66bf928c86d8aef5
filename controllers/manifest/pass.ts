import type { AnyObject, Client } from "@kyma-operators/kube";
import type { Context } from "@kyma-operators/runtime";
import type { Manifest, ManifestStatus } from "../../apis/operator/manifest.ts";
import type { CheckRequest } from "./drift/verification.ts";
import type { MigrationStep } from "./hooks/migrations.ts";
import type { SyncedRef } from "./inventory/identity.ts";
import type { Rendered } from "./inventory/plan.ts";
import type { Hook } from "./render/rendering.ts";
import type { Claims } from "./sharing/claims.ts";

/** What a phase tells the runner. A failure is thrown, never returned. */
export type Step =
  | { readonly kind: "next" }
  /** Nothing is left to do in this pass; look again after the delay. */
  | { readonly kind: "wait"; readonly reason: string; readonly afterMs: number }
  /** Nothing is left to do until something changes. */
  | { readonly kind: "done" };

export const next: Step = { kind: "next" };
export const done: Step = { kind: "done" };
export const wait = (reason: string, afterMs: number): Step => ({ kind: "wait", reason, afterMs });

/** The cluster whose objects a Manifest describes. A local and a remote cluster look the same from here. */
export interface Cluster {
  /** Same id, same cluster and same identity towards it. */
  readonly id: string;
  readonly client: Client;
  /** True when we act as a ServiceAccount there, which may see no more than some namespaces. */
  readonly restricted?: boolean;
}

/** Everything one pass knows: built once, handed to every phase, dropped at the end. */
export interface Pass {
  /** The Manifest as it was when the pass began. */
  readonly observed: Manifest;
  /** The request for a check of the cluster, as it was when the pass began; absent where it only rolls out. */
  readonly checkRequest: CheckRequest | undefined;
  /** What other Manifests have on the same cluster. */
  readonly claims: Claims;
  /** Digest of everything the installation depends on now. */
  readonly fingerprint: string;
  /** The Manifest as far as we know it; its metadata follows our own writes. */
  manifest: Manifest;
  /** Our own copy. Phases change it; it is written once at the end, and earlier where an intention must be on record. */
  status: ManifestStatus;
  /** RFC 3339, seconds: one single time per pass. */
  readonly now: string;
  readonly ctx: Context;
  /** Set by the first phase that needs it. */
  cluster: Cluster | undefined;
  /** Objects as they should be; set by the render phase. */
  wanted: readonly Rendered[];
  hooks: readonly Hook[];
  migrations: readonly MigrationStep[];
  /** Digest of the content that was rendered and of its inputs. */
  sourceKey: string;
  /** What `sync-oci-ref` will say of that content. */
  sourceRef: string;
  /** Digest of what the cluster serves, where the rendering depends on it. */
  capabilities: string | undefined;
  /** Answers to the applies of this pass, by identity. */
  readonly live: Map<string, AnyObject>;
  /** What this pass did on the cluster, for metrics and events. */
  readonly tally: { applied: number; pruned: number; repaired: readonly string[] };
  /** Identities whose live object differs from what we applied. */
  drifted: ReadonlySet<string>;
  /** Fields that somebody else had set before we applied ours, one text each. */
  readonly takenOver: string[];
  /** True when everything on record was applied from the same inputs, so that only readiness is left to look at. */
  upToDate: boolean;
  /** True once the cluster was compared with what is on record. */
  compared: boolean;
  /** What keeps a deletion from going on; shown as a condition as long as it is set. */
  blocked: { readonly reason: string; readonly message: string } | undefined;
  /** The default module CR on the cluster, where it is ours to delete; set while a Manifest is deleted. */
  ownModuleCR: AnyObject | undefined;
}

/** One step of a pass. The name is the reason under which a failure or a wait is counted. */
export interface Phase {
  readonly reason: string;
  readonly run: (pass: Pass) => Promise<Step> | Step;
}

/** The cluster of a pass; a phase that needs it comes after the one that connects. */
export function clusterOf(pass: Pass): Cluster {
  if (pass.cluster === undefined) throw new Error("a phase used the remote cluster before it was connected");
  return pass.cluster;
}

/** `status.synced`, never absent. */
export function syncedOf(pass: Pass): readonly SyncedRef[] {
  return pass.status.synced ?? [];
}
