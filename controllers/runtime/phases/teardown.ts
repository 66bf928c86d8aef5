import { textOf } from "@kyma-operators/errors";
import { codesOf, forceDeletionCodes, gardenerAnnotations, type Shoot } from "@kyma-operators/gardener";
import { annotations } from "../../../apis/infrastructure/index.ts";
import { isOfOtherShoot } from "../ownership.ts";
import { cacheSelector } from "../registry-caches.ts";
import { again, end, hasForeignShoot, next, type Scope, type Step } from "../scope.ts";
import { structuredAuthConfigName } from "../shoot/index.ts";
import { gardenerClusterOf } from "./cluster.ts";

const started = "Runtime shoot deletion started";

/** Deletes the GardenerCluster, which takes the kubeconfig Secret along, and waits until it is gone. */
export async function removeKubeconfig(scope: Scope): Promise<Step> {
  const { runtime, deps, draft, signal } = scope;
  const report = { type: "Deprovisioned", reason: "GardenerClusterCRDeleted" } as const;
  const cluster = gardenerClusterOf(scope);
  if (cluster === undefined || isOfOtherShoot(cluster, runtime)) return kubeconfigIsGone(scope);
  if (cluster.metadata.deletionTimestamp !== undefined) return end;
  try {
    await deps.controlPlane.removeGardenerCluster(cluster, signal);
  } catch (error) {
    draft.deleting({ type: "Deprovisioned", status: "False", reason: "GardenerErr", message: textOf(error) });
    throw error;
  }
  draft.deleting({ ...report, status: "Unknown", message: started });
  return again;
}

function kubeconfigIsGone(scope: Scope): Step {
  const { draft, shoot, runtime } = scope;
  const message = "Gardener Cluster CR successfully deleted";
  const wasSaid = runtime.status?.conditions?.some(
    ({ type, reason, status }) =>
      type === "Deprovisioned" &&
      (reason === "GardenerShootDeleted" || (reason === "GardenerClusterCRDeleted" && status === "True")),
  );
  if (wasSaid === true || shoot === undefined || hasForeignShoot(scope)) return next;
  draft.deleting({ type: "Deprovisioned", status: "True", reason: "GardenerClusterCRDeleted", message });
  return again;
}

/** Deletes the Shoot and waits until Gardener has taken it down. */
export async function removeShoot(scope: Scope): Promise<Step> {
  const { runtime, deps, draft, signal } = scope;
  scope.shoot ??= await deps.garden.live(runtime.spec.shoot.name, signal);
  const { shoot } = scope;
  if (shoot === undefined) return next;
  if (hasForeignShoot(scope)) return leaveForeign(scope);
  if (shoot.metadata.deletionTimestamp !== undefined) return whileDeleting(scope, shoot);
  try {
    await deps.garden.remove(shoot, signal);
  } catch (error) {
    const message = `Gardener API shoot delete error: ${textOf(error)}`;
    draft.deleting({ type: "Deprovisioned", status: "False", reason: "GardenerShootDeleted", message });
    throw error;
  }
  draft.deleting({ type: "Deprovisioned", status: "Unknown", reason: "GardenerShootDeleted", message: started });
  return end;
}

/** It is the cluster of somebody else: only the Runtime goes. */
function leaveForeign({ runtime, deps }: Scope): Step {
  const note = `Shoot ${runtime.spec.shoot.name} stays, it belongs to another Runtime`;
  deps.events.event(runtime, { type: "Warning", reason: "GardenerShootDeleted", note });
  return next;
}

async function whileDeleting(scope: Scope, shoot: Shoot): Promise<Step> {
  const { deps, draft, signal } = scope;
  draft.deleting({ type: "Deprovisioned", status: "Unknown", reason: "GardenerShootDeleted", message: started });
  draft.showErrors(shoot.status?.lastErrors ?? []);
  if (wantsForce(scope) && mayForce(shoot)) {
    const marks = { [gardenerAnnotations.confirmForceDeletion]: "true" };
    await deps.garden.annotate(shoot.metadata.name ?? "", marks, signal);
  }
  return warnOfAge(scope, shoot);
}

/** A deletion never gives up; it only complains. */
function warnOfAge({ runtime, deps, now }: Scope, { metadata, status }: Shoot): Step {
  const ageMs = now - Date.parse(metadata.deletionTimestamp ?? "");
  const leftMs = deps.settings.deletionWarningMs - ageMs;
  if (leftMs > 0) return { kind: "end", afterMs: leftMs };
  const words = status?.lastOperation?.description ?? "nothing";
  const note = `Shoot ${metadata.name ?? ""} is being deleted for ${Math.round(ageMs / 60_000)}m, Gardener says: ${words}`;
  deps.events.event(runtime, { type: "Warning", reason: "GardenerShootDeleted", note });
  return end;
}

function wantsForce({ runtime, deps }: Scope): boolean {
  return deps.settings.forceDeletion && runtime.metadata.annotations?.[annotations.forceDelete] === "true";
}

/** Gardener accepts it only for a deletion that hangs on certain errors. */
function mayForce({ metadata, status }: Shoot): boolean {
  const isForced = metadata.annotations?.[gardenerAnnotations.confirmForceDeletion] === "true";
  return !isForced && codesOf(status?.lastErrors).some((code) => forceDeletionCodes.has(code));
}

/** Removes what stood beside the Shoot and lets the Runtime go. */
export async function release(scope: Scope): Promise<Step> {
  const { runtime, deps, signal, now } = scope;
  const cluster = gardenerClusterOf(scope);
  const sharesId = cluster !== undefined && isOfOtherShoot(cluster, runtime);
  if (!sharesId) await deps.garden.removeSecrets(cacheSelector(runtime), [], signal);
  // Gardener protects the ConfigMap while the Shoot is there, so it goes last.
  if (scope.shoot === undefined) {
    await deps.garden.removeConfigMap(structuredAuthConfigName(runtime.spec.shoot.name), signal);
  }
  await deps.controlPlane.release(runtime, signal);
  const durationMs = now - Date.parse(runtime.metadata.deletionTimestamp ?? "");
  deps.metrics.operation("delete", runtime, { result: "succeeded", durationMs });
  return end;
}
