import { finalizers } from "../../../apis/operator/finalizers.ts";
import { kymas } from "../../../apis/operator/group.ts";
import type { Kyma } from "../../../apis/operator/kyma.ts";
import { isUnmanaged } from "../../../apis/operator/manifest.ts";
import { deleteInOrder, type PruneDelays } from "../apply/prune-phase.ts";
import { deleteLive } from "../apply/remote.ts";
import { describeRef, refOf } from "../inventory/identity.ts";
import { planPrune } from "../inventory/plan.ts";
import { findModuleCRs, releaseModuleCR } from "../module-cr.ts";
import { clusterOf, done, next, type Pass, type Step, syncedOf, wait } from "../pass.ts";
import { moduleCRRef } from "../sharing/claimed-refs.ts";
import { foreignFinalizersOperation, operations, withExtraCondition, withOperation } from "../status.ts";
import { type ManifestStore, ownFinalizers } from "../store.ts";
import { checkCrds } from "./crd-guard.ts";

/** How often a deletion that waits for others is looked at, in milliseconds. */
const soonMs = 200;

/** Condition that names what keeps a Manifest from being deleted; present only while something does. */
export const deletionCondition = "Deletion";

/** Everything on the cluster stays: the Manifest is let go as it is. */
export async function releaseUnmanaged(pass: Pass, store: ManifestStore): Promise<Step> {
  if (!isUnmanaged(pass.manifest)) return next;
  pass.manifest = await store.dropFinalizers(pass.manifest, ownFinalizers, pass.ctx.signal);
  return done;
}

/**
 * The cluster is gone when its access Secret is, provided that the Kyma is going too: a Secret that is missing by
 * mistake must not leave a module behind. Then nothing can be deleted any more, and all finalizers go, others' as well.
 */
export async function releaseVanished(pass: Pass, store: ManifestStore, kyma: Kyma | undefined): Promise<Step> {
  if (kyma !== undefined && kyma.metadata.deletionTimestamp === undefined) return next;
  const all = pass.manifest.metadata.finalizers ?? [];
  pass.ctx.log.info({ finalizers: all }, `the remote cluster is gone with its ${kymas.kind}; releasing the Manifest`);
  pass.manifest = await store.dropFinalizers(pass.manifest, all, pass.ctx.signal);
  return done;
}

/** Users' objects come first: as long as one is left, nothing is deleted. Where another Manifest has the module too, they stay. */
export async function awaitModuleCRs(pass: Pass, { busyMs }: PruneDelays): Promise<Step> {
  if (isModuleOfOthers(pass)) return next;
  const { others, own } = await findModuleCRs(pass);
  pass.ownModuleCR = own;
  if (others.length === 0) return next;
  const shown = others.slice(0, 5).map((object) => describeRef({ ...refOf(object), kind: kindOfModuleCR(pass) }));
  const rest = others.length > shown.length ? ` and ${others.length - shown.length} more` : "";
  pass.status = withOperation(pass.status, "Deleting", operations.waitingForModuleCRs);
  pass.blocked = { reason: "ModuleCRsExist", message: `${shown.join(", ")}${rest}` };
  return wait("manifest_render_resources", busyMs);
}

function isModuleOfOthers({ manifest, claims }: Pass): boolean {
  const moduleCR = moduleCRRef(manifest);
  return moduleCR !== undefined && claims.holdersOf(manifest, [moduleCR]).size > 0;
}

/** Deletes the default module CR and waits until its operator has let it go. */
export async function deleteModuleCR(pass: Pass, store: ManifestStore, { busyMs }: PruneDelays): Promise<Step> {
  const own = pass.ownModuleCR;
  if (own === undefined) {
    await releaseModuleCR(pass, store);
    return next;
  }
  const kind = kindOfModuleCR(pass);
  if (own.metadata.deletionTimestamp === undefined) {
    await deleteLive(clusterOf(pass).client, { ...own, apiVersion: apiVersionOfModuleCR(pass), kind }, pass.ctx.signal);
    return wait("manifest_pre_delete", soonMs);
  }
  const keepers = own.metadata.finalizers ?? [];
  const text = `${describeRef({ ...refOf(own), kind })} is kept by ${keepers.join(", ") || "its graceful end"}`;
  pass.status = withOperation(pass.status, "Deleting", operations.deletingModuleCR);
  pass.blocked = { reason: "DefaultModuleCRExists", message: text };
  return wait("manifest_pre_delete", Math.min(busyMs, soonMs * 5));
}

/** Deletes what the inventory names, by the inventory alone: no registry and no rendering is needed. */
export async function deleteResources(pass: Pass, delays: PruneDelays): Promise<Step> {
  const crds = await checkCrds(pass, syncedOf(pass));
  if ("usedBy" in crds) {
    pass.blocked = { reason: "InstancesExist", message: crds.usedBy };
    return wait("manifest_prune_diff_not_finished", delays.busyMs);
  }
  const step = await deleteInOrder(pass, planPrune([], syncedOf(pass)), { ...crds, ...delays });
  if (step.kind === "wait") return wait(step.reason, soonMs * 5);
  pass.status = { ...pass.status, synced: [] };
  return next;
}

/** Lets the Manifest go; when others hold it, says so. */
export async function releaseManifest(pass: Pass, store: ManifestStore): Promise<Step> {
  pass.manifest = await store.dropFinalizers(pass.manifest, ownFinalizers, pass.ctx.signal);
  const left = pass.manifest.metadata.finalizers ?? [];
  const foreign = left.filter((finalizer) => finalizer !== finalizers.foregroundDeletion);
  if (foreign.length > 0) pass.status = withOperation(pass.status, "Deleting", foreignFinalizersOperation(foreign));
  return done;
}

/** Every pass over a Manifest that is being deleted begins with this; what holds it up is said by later phases. */
export function markDeleting(pass: Pass): Step {
  pass.status = withOperation(pass.status, "Deleting", operations.deleting);
  return next;
}

/** Shows or takes away what keeps the Manifest from being deleted; the last operation names it too. */
export function withBlocker({ blocked, status, now }: Pick<Pass, "blocked" | "status" | "now">): Pass["status"] {
  if (blocked === undefined) return withExtraCondition(status, deletionCondition, undefined, now);
  const { state, lastOperation } = status;
  const text = `${lastOperation?.operation ?? operations.deleting}: ${blocked.message}`;
  const named = state === "Deleting" ? withOperation(status, state, text) : status;
  return withExtraCondition(named, deletionCondition, { status: "False", ...blocked }, now);
}

function kindOfModuleCR(pass: Pass): string {
  return pass.manifest.spec.resource?.kind ?? "";
}

function apiVersionOfModuleCR(pass: Pass): string {
  return pass.manifest.spec.resource?.apiVersion ?? "";
}
