import { annotations } from "../../../apis/operator/annotations.ts";
import { checkCrds, isCrd } from "../deletion/crd-guard.ts";
import { describeRef, type SyncedRef } from "../inventory/identity.ts";
import { inventoryOf, withComplete, withoutRefs } from "../inventory/inventory.ts";
import { planPrune } from "../inventory/plan.ts";
import { clusterOf, next, type Pass, type Step, syncedOf, wait } from "../pass.ts";
import { leaveToOthers } from "../sharing/hand-over.ts";
import { operations, withOperation } from "../status.ts";
import { type Deletion, deleteAll, deletionFailure, type FateOf } from "./remote.ts";

/** Delays of a deletion that is under way, in milliseconds. */
export interface PruneDelays {
  readonly busyMs: number;
  readonly warningMs: number;
}

const unfinished = "manifest_prune_diff_not_finished";

/** Deletes what the module no longer brings; a CRD only when that takes no object of a user with it. */
export async function pruneUnwanted(pass: Pass, delays: PruneDelays): Promise<Step> {
  const wanted = pass.wanted.map(({ ref }) => ref);
  const plan = planPrune(wanted, syncedOf(pass));
  const removed = [...plan.pruneFirst, ...plan.pruneLast];
  if (removed.length > 0) {
    if (isSuspicious(pass, removed)) return refuse(pass, operations.incomplete, delays);
    const crds = await checkCrds(pass, removed);
    if ("usedBy" in crds) return refuse(pass, crds.usedBy, delays);
    const step = await deleteInOrder(pass, plan, { ...crds, ...delays });
    if (step.kind !== "next") return step;
  }
  pass.status = withComplete(pass.status, pass.wanted);
  return next;
}

/**
 * Deletes the first group, and the last one only when nothing of the first is left, so that an operator lives as long
 * as anything it may have to clean up.
 *
 * @param unused - uids of the CRDs that were found without objects of users. Any other CRD stays until the next
 *   pass has looked at it.
 */
export async function deleteInOrder(
  pass: Pass,
  plan: { readonly pruneFirst: readonly SyncedRef[]; readonly pruneLast: readonly SyncedRef[] },
  { unused, busyMs }: { readonly unused: ReadonlySet<string>; readonly busyMs: number },
): Promise<Step> {
  pass.claims.letGo(pass.manifest, [...plan.pruneFirst, ...plan.pruneLast]);
  const fateOf: FateOf = async (ref, live) => {
    if (await leaveToOthers(pass, ref, live)) return "left";
    return isCrd(ref) && !unused.has(live.metadata.uid ?? "") ? "unchecked" : "ours";
  };
  for (const group of [plan.pruneFirst, plan.pruneLast]) {
    const results = await deleteAll(clusterOf(pass).client, group, fateOf, pass.ctx.signal);
    const [gone, left] = [refsIn(results, "gone"), refsIn(results, "left")];
    pass.status = withoutRefs(pass.status, [...gone, ...left]);
    pass.tally.pruned += gone.length;
    for (const ref of left)
      pass.ctx.log.info({ object: describeRef(ref) }, "another Manifest has the object: it stays");
    const failure = deletionFailure(results.flatMap((result) => (result.state === "failed" ? [result] : [])));
    if (failure !== undefined) throw failure;
    const leaving = results.flatMap((result) => (result.state === "leaving" ? [result] : []));
    if (leaving.length > 0) return stillLeaving(pass, leaving, busyMs);
    if (refsIn(results, "unchecked").length > 0) return wait(unfinished, busyMs);
  }
  return next;
}

function refsIn(results: readonly Deletion[], state: Deletion["state"]): readonly SyncedRef[] {
  return results.filter((result) => result.state === state).map(({ ref }) => ref);
}

function stillLeaving(pass: Pass, leaving: readonly Extract<Deletion, { state: "leaving" }>[], busyMs: number): Step {
  const [first] = leaving;
  const rest = leaving.length > 1 ? ` (and ${leaving.length - 1} more)` : "";
  const message = first === undefined ? "" : `${describeRef(first.ref)} is kept by ${listOf(first.finalizers)}${rest}`;
  pass.blocked = { reason: "ResourcesExist", message };
  pass.ctx.log.debug({ blocker: message }, operations.pruning);
  return wait(unfinished, busyMs);
}

function listOf(finalizers: readonly string[]): string {
  return finalizers.length === 0 ? "its pods' graceful end" : `the finalizers ${finalizers.join(", ")}`;
}

/**
 * The same source can't bring fewer objects than before, so a smaller result is a broken one. Where we know what was
 * rendered, equal inputs count; for Manifests that upstream wrote, the equal layer. An object that merely changed its
 * namespace is no loss.
 */
function isSuspicious(pass: Pass, removed: readonly SyncedRef[]): boolean {
  const { source } = inventoryOf(pass.status);
  const installed = pass.manifest.metadata.annotations?.[annotations.syncOciRef];
  const unchanged = source === undefined ? installed === pass.sourceRef : source === pass.sourceKey;
  const kept = new Set(pass.wanted.map(({ ref }) => `${ref.group}/${ref.kind}/${ref.name}`));
  return unchanged && removed.some((ref) => !kept.has(`${ref.group}/${ref.kind}/${ref.name}`));
}

function refuse(pass: Pass, why: string, { warningMs }: PruneDelays): Step {
  pass.status = withOperation(pass.status, "Warning", why);
  return wait("manifest_prune_diff", warningMs);
}
