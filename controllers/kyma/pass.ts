import type { Context, Outcome } from "@kyma-operators/runtime";
import { isPaused, type Kyma, type ModuleStatus } from "../../apis/operator/kyma.ts";
import type { ConditionStatus } from "../../apis/operator/object.ts";
import { kymaErrors } from "./errors.ts";
import type { RequeueReason } from "./metrics.ts";
import type { RemoteCluster } from "./options.ts";
import type { RemoteView } from "./remote/views.ts";

/** Everything one pass knows: built once, handed to every phase, dropped at the end. */
export interface Pass {
  /** As the store has it. */
  readonly observed: Kyma;
  /** With the spec that counts, which is that of the remote cluster once it has been read. */
  kyma: Kyma;
  readonly ctx: Context;
  /** Set by the first phase. */
  cluster?: RemoteCluster;
  /** What is known of the cluster; a phase that has to look again replaces it. */
  view?: RemoteView;
  /** Entries of the status after this pass; until the modules are planned, those that were found. */
  modules: readonly ModuleStatus[];
  /** By condition type. */
  readonly findings: Record<string, ConditionStatus>;
  /** What went wrong; the first counts. */
  failure?: unknown;
}

/** What a phase says when nothing was thrown: go on, or end the pass here without a verdict. */
export type Step = { readonly kind: "next" } | Outcome;

export const next: Step = { kind: "next" };

/** One step of a pass. The reason is that under which a failure is counted. */
export interface Phase {
  readonly reason: RequeueReason;
  readonly run: (pass: Pass) => Promise<Step>;
  /** A failure does not keep the phases behind it from running. */
  readonly independent?: boolean;
}

export function newPass(observed: Kyma, ctx: Context): Pass {
  return { observed, kyma: observed, ctx, modules: observed.status?.modules ?? [], findings: {} };
}

/** Cluster and view of a pass; phases that need them come after the one that connects. */
export function remoteOf({ cluster, view, observed }: Pass): {
  readonly cluster: RemoteCluster;
  readonly view: RemoteView;
} {
  if (cluster !== undefined && view !== undefined) return { cluster, view };
  throw kymaErrors.REMOTE_UNREACHABLE({ kyma: observed.metadata.name ?? "" });
}

/** True when nothing is to be brought to the cluster of this Kyma: somebody has paused it, or nobody manages it. */
export function isLeftAlone(kyma: Kyma): boolean {
  return isPaused(kyma) || kyma.status?.state === "Unmanaged";
}

/** A Kyma without a name is none of the API server's. */
export function nameOf({ metadata }: Kyma): string {
  return metadata.name ?? "";
}
