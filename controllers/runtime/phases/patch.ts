import { hasCode, textOf } from "@kyma-operators/errors";
import type { Shoot } from "@kyma-operators/gardener";
import { decide } from "../decision.ts";
import type { GardenShoot } from "../garden.ts";
import { type CachePlan, cacheSelector, collectCaches, currentCaches, noCaches } from "../registry-caches.ts";
import { auditLogOf, conversionInputOf, end, hasForeignShoot, next, type Scope, type Step, stop } from "../scope.ts";
import {
  type AuditLogTenant,
  convertToPatch,
  isCacheResource,
  keptZones,
  subnetWarning,
  updateBefore,
} from "../shoot/index.ts";
import { hasGardenerCluster, openCluster } from "./cluster.ts";
import { auditLogFailure, conversionFailure, giveUp, writeAuthentication } from "./create.ts";

const soon: Step = { kind: "end", afterMs: 1_000 };

/** Applies the Runtime to its Shoot where that is due. */
export async function patchShoot(scope: Scope): Promise<Step> {
  const { runtime, shoot, deps, log } = scope;
  if (shoot === undefined) return end;
  const decision = decide(runtime, shoot);
  // Somebody may have deleted the GardenerCluster, and with it the kubeconfig.
  if (decision.kind === "rest") return hasGardenerCluster(scope) ? end : next;
  if (decision.kind === "follow") return next;
  if (decision.kind === "puzzled") {
    log.warn({ shoot: shoot.metadata.name, problem: decision.problem }, "the Shoot is left alone");
    deps.events.event(runtime, { type: "Warning", reason: "ProcessingErr", note: decision.problem });
    return end;
  }
  const live = await deps.garden.live(runtime.spec.shoot.name, scope.signal);
  scope.shoot = live;
  // The watch, which is late, will tell that it is gone, goes or belongs to somebody else now.
  if (live === undefined || live.metadata.deletionTimestamp !== undefined || hasForeignShoot(scope)) return soon;
  const current = decide(runtime, live);
  return current.kind === "patch" ? prepare(scope, live, current.isForced) : next;
}

async function prepare(scope: Scope, live: GardenShoot, isForced: boolean): Promise<Step> {
  let auditLog: AuditLogTenant | undefined;
  try {
    auditLog = auditLogOf(scope);
  } catch (error) {
    return stop(scope, auditLogFailure(error));
  }
  let plan: CachePlan;
  try {
    plan = await cachesOf(scope, live);
  } catch (error) {
    const message = `Failed to configure registry cache: ${textOf(error)}`;
    stop(scope, { type: "Provisioned", reason: "RegistryCacheConfigurationErr", message });
    throw error;
  }
  let wanted: Shoot;
  try {
    const { caches, resources } = plan;
    wanted = convertToPatch({ ...conversionInputOf(scope, auditLog), shoot: live, caches, cacheResources: resources });
  } catch (error) {
    return stop(scope, conversionFailure(error));
  }
  warnOfKeptZones(scope, live);
  await stampGeneration(scope);
  return write(scope, { live, wanted, isForced, plan });
}

interface Change {
  readonly live: GardenShoot;
  readonly wanted: Shoot;
  readonly isForced: boolean;
  readonly plan: CachePlan;
}

async function write(scope: Scope, { live, wanted, isForced, plan }: Change): Promise<Step> {
  const { deps, draft, signal } = scope;
  try {
    await writeAuthentication(scope, wanted);
  } catch (error) {
    return giveUp(scope, error, {
      reason: "OidcConfigurationErr",
      message: "Failed to create structured authentication config map",
    });
  }
  try {
    for (const secret of plan.secrets) await deps.garden.writeSecret(secret, signal);
    const update = updateBefore(live, wanted);
    if (update !== undefined) await deps.garden.update(update, signal);
  } catch (error) {
    return writeFailed(scope, error, "update");
  }
  try {
    scope.shoot = await deps.garden.apply(wanted, signal);
  } catch (error) {
    return writeFailed(scope, error, "patch");
  }
  if (plan.secrets.length > 0 || live.spec.resources?.some(isCacheResource)) await removeStaleCredentials(scope, plan);
  scope.isForceDone = isForced;
  draft.operationEnded();
  if (scope.shoot.metadata.generation === live.metadata.generation) return unchanged(scope);
  draft.operationBegan();
  draft.pending(processing(`Shoot is pending for update after patch${subnetWarning(wanted)}`));
  return end;
}

/** Gardener had nothing to do; our part on the cluster is still due. */
function unchanged({ draft }: Scope): Step {
  draft.pending({ ...processing("Shoot patched without changes"), status: "True" });
  return next;
}

function processing(message: string) {
  return { type: "Provisioned", status: "Unknown", reason: "Processing", message } as const;
}

/** Somebody else wrote, or Gardener said 403 to an allowed request: both pass; anything else is a failure. */
function writeFailed(scope: Scope, error: unknown, verb: "patch" | "update"): Step {
  const words = hasCode(error, "KUBE_CONFLICT")
    ? "conflict"
    : hasCode(error, "KUBE_FORBIDDEN")
      ? "forbidden"
      : undefined;
  if (words === undefined) {
    return giveUp(scope, error, {
      reason: "ProcessingErr",
      message: `Gardener API shoot ${verb} error: ${textOf(error)}`,
    });
  }
  scope.draft.pending(processing(`Shoot is pending for update after ${words} error`));
  throw error;
}

async function cachesOf(scope: Scope, live: GardenShoot): Promise<CachePlan> {
  if (scope.runtime.spec.imageRegistryCache?.enabled !== true) return noCaches;
  if (live.status?.hibernated === true) return currentCaches(live);
  return collectCaches(scope.runtime, await openCluster(scope), live.metadata.namespace ?? "");
}

/** Only when the Shoot no longer refers to them: Gardener protects Secrets that are in use. */
async function removeStaleCredentials({ runtime, deps, signal }: Scope, { resources }: CachePlan): Promise<void> {
  const kept = resources.map(({ name }) => name);
  await deps.garden.removeSecrets(cacheSelector(runtime), kept, signal);
}

function warnOfKeptZones({ runtime, deps }: Scope, live: Shoot): void {
  const kept = keptZones(runtime, live);
  if (kept.length === 0) return;
  const note = `Gardener can't take zones back, these stay: ${kept.join(", ")}`;
  deps.events.event(runtime, { type: "Warning", reason: "Processing", note });
}

/**
 * Runtimes from the original don't say for which generation their cluster was configured. It is put on record before
 * the first patch of ours: otherwise a crash between patch and status would look like nothing is left to do.
 */
async function stampGeneration({ runtime, draft, deps, signal }: Scope): Promise<void> {
  const configured = runtime.status?.conditions?.find(({ type }) => type === "Configured");
  if (configured === undefined || configured.observedGeneration !== undefined) return;
  draft.pending(processing("Shoot is pending for update after patch"));
  await deps.controlPlane.writeStatus(runtime, draft.value, signal);
}
