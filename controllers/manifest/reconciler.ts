import { hasCode, redact, textOf } from "@kyma-operators/errors";
import { type ObjectKey, timeText } from "@kyma-operators/kube";
import type { Context, EventRecorder, Outcome, Store } from "@kyma-operators/runtime";
import type { Kyma } from "../../apis/operator/kyma.ts";
import { labels } from "../../apis/operator/labels.ts";
import { isMandatory, isPaused, isUnmanaged, type Manifest } from "../../apis/operator/manifest.ts";
import { announce } from "./announcements.ts";
import { withAdoption, withoutAdoption } from "./apply/adoption.ts";
import { applyWanted } from "./apply/phase.ts";
import { pruneUnwanted } from "./apply/prune-phase.ts";
import { type AccessSecret, type Clusters, kymaNameOf } from "./clusters/clusters.ts";
import { isConnectionRelated, isUnauthorized } from "./clusters/error-classes.ts";
import { ageMs, kymaKeyOf, orphanReason } from "./deletion/orphan.ts";
import {
  awaitModuleCRs,
  deleteModuleCR,
  deleteResources,
  markDeleting,
  releaseManifest,
  releaseUnmanaged,
  releaseVanished,
  withBlocker,
} from "./deletion/teardown.ts";
import { unmanage } from "./deletion/unmanage.ts";
import { ForeignManagers } from "./drift/foreign-managers.ts";
import { LiveLists, sharedListMs } from "./drift/live-lists.ts";
import { adoptDrift, type Drift, detectDrift, withFight } from "./drift/phase.ts";
import { fightAfter, type Verification } from "./drift/verification.ts";
import { manifestErrors } from "./errors.ts";
import { concludeMigrations, runMigrations } from "./hooks/migration-phase.ts";
import { deleteLeftovers, type HookMoment, hasDeletionHooks, markDeletionHooks, runHooks } from "./hooks/phase.ts";
import { fingerprintOf } from "./inventory/fingerprint.ts";
import { inventoryOf } from "./inventory/inventory.ts";
import type { ManifestMetrics } from "./metrics.ts";
import { ensureModuleCR } from "./module-cr.ts";
import { done, next, type Pass, type Phase, type Step } from "./pass.ts";
import { awaitReady } from "./readiness/phase.ts";
import {
  claimManifest,
  type RenderDependencies,
  recordComplete,
  renderWanted,
  servesOtherKinds,
} from "./render/phase.ts";
import type { Claims } from "./sharing/claims.ts";
import { sharingIn, tellsSharing, withSharing } from "./sharing/sharing.ts";
import { initializeStatus, shortText, stampOperation, withOperation } from "./status.ts";
import type { ManifestStore } from "./store.ts";
import { mayInject } from "./transforms/inject.ts";

export interface Dependencies extends RenderDependencies {
  readonly store: ManifestStore;
  readonly clusters: Clusters;
  readonly kymas: Store<Kyma>;
  readonly verification: Verification;
  readonly claims: Claims;
  /** Runs the other Manifests of a Kyma now: their checks are due as well and share what this one asks. */
  readonly wakeSiblings: (kymaName: string) => void;
  readonly events: EventRecorder;
  readonly metrics: ManifestMetrics;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** Brings the cluster of a Manifest closer to what the Manifest describes. */
export class ManifestReconciler {
  readonly #deps: Dependencies;
  readonly #lists = new LiveLists();
  readonly #foreign: ForeignManagers | undefined;

  constructor(deps: Dependencies) {
    this.#deps = deps;
    const { analysis } = deps.options;
    this.#foreign = analysis && new ForeignManagers(analysis);
  }

  /** One pass over one Manifest. May stop at any await and be run again. */
  async reconcile(key: ObjectKey, ctx: Context): Promise<Outcome> {
    const { store, options, verification, claims } = this.#deps;
    const manifest = store.get(key);
    if (manifest === undefined) return this.forget(key);
    this.#showMandatory(manifest);
    claims.reset(keyOf(manifest));
    if (isPaused(manifest)) return { kind: "done" };
    if (this.#isSettled(manifest, ctx.now)) return this.#untilNextCheck(manifest, ctx.now);

    const begun = beginPass(manifest, ctx, this.#fingerprint(manifest));
    // A rollout applies what has changed and compares nothing: it answers no request.
    const checkRequest = begun.upToDate ? verification.pending(keyOf(manifest)) : undefined;
    const pass = { ...begun, checkRequest, claims };
    const end = await runPhases(this.#phasesFor(pass), pass);
    if (end.kind === "failed") this.#noteFailure(pass, end);
    await this.#finish(pass, end);
    if (end.kind === "failed") throw end.error;
    if (end.kind === "wait") return { ...end, afterMs: Math.min(end.afterMs, options.driftCheckMs) };
    return pass.status.state === "Ready" ? this.#untilNextCheck(manifest, ctx.now) : { kind: "done" };
  }

  /** What every living Manifest goes through. */
  readonly #arrival: readonly Phase[] = [
    { reason: "manifest_orphaned", run: (pass) => this.#refuseOrphan(pass) },
    { reason: "manifest_client_init", run: (pass) => this.#connect(pass) },
    { reason: "manifest_unmanaged_update", run: (pass) => unmanage(pass, this.#deps.store) },
    { reason: "manifest_sync_resources", run: (pass) => this.#verify(pass) },
  ];

  /** Skipped as a whole while everything on record was applied from the same inputs. */
  readonly #rollout: readonly Phase[] = [
    { reason: "manifest_parse_spec", run: (pass) => renderWanted(pass, this.#deps) },
    { reason: "manifest_add_finalizer", run: (pass) => claimManifest(pass, this.#deps.store) },
    { reason: "manifest_hook", run: (pass) => runHooks(pass, "before", this.#deps.store) },
    { reason: "manifest_migration", run: (pass) => runMigrations(pass, "before", this.#deps.store) },
    { reason: "manifest_sync_resources", run: (pass) => applyWanted(pass, this.#deps.store) },
    { reason: "manifest_migration", run: (pass) => runMigrations(pass, "after", this.#deps.store) },
    { reason: "manifest_prune_diff", run: (pass) => pruneUnwanted(pass, this.#deps.options.requeue) },
    { reason: "manifest_hook", run: (pass) => runHooks(pass, "after", this.#deps.store) },
    { reason: "manifest_sync_state", run: (pass) => ensureModuleCR(pass, this.#deps.store) },
    { reason: "manifest_update_synced_oci_ref", run: (pass) => this.#recordInstalled(pass) },
  ];

  readonly #readiness: readonly Phase[] = [
    { reason: "manifest_sync_state", run: (pass) => awaitReady(pass, this.#deps.options) },
  ];

  readonly #teardown: readonly Phase[] = [
    { reason: "manifest_pre_delete", run: markDeleting },
    { reason: "manifest_unmanaged_update", run: (pass) => releaseUnmanaged(pass, this.#deps.store) },
    { reason: "manifest_client_init", run: (pass) => this.#connectOrRelease(pass) },
    { reason: "manifest_render_resources", run: (pass) => awaitModuleCRs(pass, this.#deps.options.requeue) },
    { reason: "manifest_sync_resources", run: (pass) => this.#upgradeWhileDeleting(pass) },
    { reason: "manifest_hook", run: (pass) => this.#runDeletionHooks(pass, "before-delete") },
    {
      reason: "manifest_pre_delete",
      run: (pass) => deleteModuleCR(pass, this.#deps.store, this.#deps.options.requeue),
    },
    { reason: "manifest_prune_diff", run: (pass) => deleteResources(pass, this.#deps.options.requeue) },
    { reason: "manifest_hook", run: (pass) => this.#runDeletionHooks(pass, "after-delete") },
    { reason: "manifest_hook", run: deleteLeftovers },
    { reason: finished, run: (pass) => releaseManifest(pass, this.#deps.store) },
  ];

  #phasesFor(pass: Pass): readonly Phase[] {
    if (pass.manifest.metadata.deletionTimestamp !== undefined) return this.#teardown;
    const rollout = this.#rollout.map((phase) => ({
      ...phase,
      run: (current: Pass) => (current.upToDate ? next : phase.run(current)),
    }));
    return [...this.#arrival, ...rollout, ...this.#readiness];
  }

  /** True when nothing at all has to be asked or done: the usual case. */
  #isSettled(manifest: Manifest, nowMs: number): boolean {
    const { metadata, status } = manifest;
    return (
      status?.state === "Ready" &&
      metadata.deletionTimestamp === undefined &&
      !isUnmanaged(manifest) &&
      inventoryOf(status).fingerprint === this.#fingerprint(manifest) &&
      !this.#deps.verification.isDue(keyOf(manifest), manifest, nowMs) &&
      tellsSharing(manifest, this.#deps.claims) &&
      this.#orphanReason(manifest, nowMs) === undefined
    );
  }

  #untilNextCheck(manifest: Manifest, nowMs: number): Outcome {
    const { verification, options } = this.#deps;
    const untilOrphan = options.orphanToleranceMs - ageMs(manifest, nowMs);
    const untilCheck = verification.delayMs(keyOf(manifest), manifest, nowMs);
    const afterMs = untilOrphan > 0 ? Math.min(untilOrphan + 1_000, untilCheck) : untilCheck;
    return { kind: "wait", reason: finished, afterMs: Math.max(afterMs, 1_000) };
  }

  #fingerprint(manifest: Manifest): string {
    const { options, secrets } = this.#deps;
    const injected = options.deployerInjection && mayInject(manifest) ? revisionsOf(secrets) : undefined;
    return fingerprintOf(manifest, { pullSecret: options.pullSecret, injected });
  }

  #refuseOrphan(pass: Pass): Step {
    const why = this.#orphanReason(pass.manifest, pass.ctx.now);
    if (why !== undefined) throw manifestErrors.ORPHANED({ why });
    return next;
  }

  #orphanReason(manifest: Manifest, nowMs: number): string | undefined {
    const kymaName = manifest.metadata.labels?.[labels.kymaName];
    if (kymaName === undefined) return undefined;
    const kyma = this.#deps.kymas.get(kymaKeyOf(manifest, kymaName));
    return orphanReason(manifest, kyma, { nowMs, toleranceMs: this.#deps.options.orphanToleranceMs });
  }

  async #connect(pass: Pass): Promise<Step> {
    pass.cluster = await this.#deps.clusters.for(pass.manifest);
    return next;
  }

  async #connectOrRelease(pass: Pass): Promise<Step> {
    try {
      return await this.#connect(pass);
    } catch (error) {
      if (!hasCode(error, "MANIFEST_ACCESS_SECRET_MISSING")) throw error;
      const kymaName = kymaNameOf(pass.manifest) ?? "";
      const kyma = this.#deps.kymas.get(kymaKeyOf(pass.manifest, kymaName));
      const step = await releaseVanished(pass, this.#deps.store, kyma);
      if (step.kind === "next") throw error;
      return step;
    }
  }

  /** Compares a finished installation with its cluster when that is due; what drifted is applied again. */
  async #verify(pass: Pass): Promise<Step> {
    const { verification, metrics, claims } = this.#deps;
    const sharesAsBefore = tellsSharing(pass.manifest, claims);
    const isDue = verification.isDue(keyOf(pass.manifest), pass.manifest, pass.ctx.now) || !sharesAsBefore;
    if (!pass.upToDate || !isDue) return next;
    // Another Manifest may have written since any list that there is, in this very millisecond.
    const notBeforeMs = sharesAsBefore ? (pass.checkRequest?.atMs ?? pass.ctx.now - sharedListMs) : Infinity;
    const drifts = await detectDrift(pass, { lists: this.#lists, notBeforeMs });
    metrics.drifted(drifts.length);
    pass.compared = true;
    pass.upToDate = !(await servesOtherKinds(pass)) && drifts.length === 0;
    return drifts.length === 0 ? this.#keepCalm(pass) : this.#repair(pass, drifts);
  }

  #keepCalm(pass: Pass): Step {
    if (!pass.upToDate) return next;
    this.#deps.verification.calm(keyOf(pass.manifest), pass.ctx.now, pass.checkRequest);
    // Only where nothing is left to do: a Manifest is one of its own siblings, and would wake itself past its back-off.
    if (pass.checkRequest === undefined) this.#deps.wakeSiblings(kymaNameOf(pass.manifest) ?? "");
    pass.status = withFight(pass, []);
    pass.status = withSharing(pass);
    return next;
  }

  #repair(pass: Pass, drifts: readonly Drift[]): Step {
    const fought = drifts.filter(({ by }) => by !== "left");
    const repairs = fought.length === 0 ? 0 : this.#deps.verification.repaired(keyOf(pass.manifest), pass.ctx.now);
    if (repairs >= fightAfter) pass.status = withFight(pass, fought);
    return adoptDrift(pass, drifts);
  }

  async #recordInstalled(pass: Pass): Promise<Step> {
    pass.manifest = await this.#deps.store.recordInstalled(pass.manifest, pass.sourceRef, pass.ctx.signal);
    this.#deps.verification.done(keyOf(pass.manifest), pass.ctx.now, pass.checkRequest);
    concludeMigrations(pass);
    pass.status = markDeletionHooks(pass);
    pass.status = pass.takenOver.length > 0 || pass.tally.repaired.length > 0 ? pass.status : withoutAdoption(pass);
    this.#renewSharing(pass);
    return recordComplete(pass);
  }

  /**
   * A report that the rollout found outdated tells the next pass, which compares, that the objects of one that is gone
   * are no stranger's: until then it stays.
   */
  #renewSharing(pass: Pass): void {
    const { claims, verification } = this.#deps;
    const { compared, observed } = pass;
    if (compared || sharingIn(observed.status) === undefined || tellsSharing(observed, claims))
      pass.status = withSharing(pass);
    else verification.request(keyOf(observed), pass.ctx.now);
  }

  /**
   * A module whose deletion waits for its default CR still gets upgrades: a newer operator may be what it takes to let
   * the CR go. A source that can't be had does not hold the deletion up.
   */
  async #upgradeWhileDeleting(pass: Pass): Promise<Step> {
    if (pass.upToDate || pass.ownModuleCR === undefined) return next;
    const rollout = this.#rollout.filter(({ reason }) => reason !== "manifest_sync_state");
    const end = await runPhases(rollout, pass);
    if (end.kind === "failed")
      pass.ctx.log.warn({ error: textOf(end.error) }, "the module can't be upgraded while it is deleted");
    return next;
  }

  /** Hooks of the deletion need the source once more; when it can't be had, the deletion goes on without them. */
  async #runDeletionHooks(pass: Pass, moment: HookMoment): Promise<Step> {
    if (!hasDeletionHooks(pass)) return next;
    if (pass.sourceKey === "") {
      const end = await runPhases([{ reason: "manifest_parse_spec", run: () => renderWanted(pass, this.#deps) }], pass);
      if (end.kind === "failed") {
        pass.ctx.log.warn({ error: textOf(end.error) }, "the hooks of the deletion can't be had and are left out");
        return next;
      }
    }
    return runHooks(pass, moment, this.#deps.store);
  }

  #noteFailure(pass: Pass, { error, reason }: Failed): void {
    const { clusters, metrics } = this.#deps;
    pass.status = withOperation(pass.status, "Error", shortText(redact(textOf(error))));
    const lostAccess = isConnectionRelated(error);
    // An account that may not do something keeps its token; only a refused one is worth another.
    const isStale = pass.cluster?.restricted === true ? isUnauthorized(error) : lostAccess;
    if (isStale) clusters.evict(pass.manifest);
    metrics.requeued(lostAccess ? "manifest_unauthorized" : reason, "unexpected");
  }

  /** Writes what the pass found out, once, and tells of it. */
  async #finish(pass: Pass, end: End): Promise<void> {
    const { store, metrics, events } = this.#deps;
    this.#foreign?.report(pass);
    metrics.applied(pass.tally.applied);
    metrics.skipped(Math.max(pass.wanted.length - pass.tally.applied, 0));
    metrics.tookLong(pass.manifest.metadata.name ?? "", (this.#deps.now() - pass.ctx.now) / 1_000);
    metrics.pruned(pass.tally.pruned);
    if (end.kind !== "failed") metrics.requeued(end.kind === "wait" ? end.reason : finished, "intended");
    const { deletionTimestamp, finalizers = [] } = pass.manifest.metadata;
    const released = deletionTimestamp !== undefined && finalizers.length === 0;
    pass.status = stampOperation(pass.observed.status, withBlocker({ ...pass, status: withAdoption(pass) }), pass.now);
    if (!released) await store.patchStatus(pass.manifest, pass.status, pass.ctx.signal);
    const unauthorized = end.kind === "failed" && isUnauthorized(end.error);
    announce(events, pass, {
      released,
      ...(end.kind === "failed" ? { failure: { reason: end.reason, unauthorized } } : {}),
    });
  }

  #showMandatory(manifest: Manifest): void {
    if (!isMandatory(manifest)) return;
    const { name = "", labels: own = {} } = manifest.metadata;
    const [module = "", kyma = ""] = [own[labels.moduleName], own[labels.kymaName]];
    this.#deps.metrics.mandatoryState(name, { name: module, kyma, state: manifest.status?.state ?? "" });
  }

  /** Drops what is kept of a Manifest that is gone. */
  forget(key: ObjectKey): Outcome {
    this.#deps.verification.forget(`${key.namespace}/${key.name}`);
    this.#deps.claims.reset(`${key.namespace}/${key.name}`);
    this.#deps.metrics.forget(key.name);
    return { kind: "done" };
  }
}

/** Builds what one pass knows at its beginning. */
function beginPass(manifest: Manifest, ctx: Context, fingerprint: string): Omit<Pass, "checkRequest" | "claims"> {
  const { labels: own = {} } = manifest.metadata;
  const log = ctx.log.child({ component: "manifest", kyma: own[labels.kymaName], module: own[labels.moduleName] });
  const now = timeText(ctx.now);
  const status = initializeStatus(manifest, now);
  return {
    observed: manifest,
    manifest,
    status,
    fingerprint,
    upToDate: inventoryOf(status).fingerprint === fingerprint,
    compared: false,
    now,
    ctx: { signal: ctx.signal, now: ctx.now, log },
    cluster: undefined,
    wanted: [],
    hooks: [],
    migrations: [],
    sourceKey: "",
    sourceRef: "",
    capabilities: undefined,
    live: new Map(),
    drifted: new Set(),
    takenOver: [],
    tally: { applied: 0, pruned: 0, repaired: [] },
    blocked: undefined,
    ownModuleCR: undefined,
  };
}

type Failed = { readonly kind: "failed"; readonly reason: string; readonly error: unknown };
type End = Step | Failed;

const finished = "manifest_reconcile_finished";

/** Runs phases until one of them says that the pass is over. Catches, so that the status is always written. */
async function runPhases(phases: readonly Phase[], pass: Pass): Promise<End> {
  for (const phase of phases) {
    try {
      const step = await phase.run(pass);
      if (step.kind !== "next") return step;
    } catch (error) {
      return { kind: "failed", reason: phase.reason, error };
    }
  }
  return done;
}

function keyOf({ metadata }: Manifest): string {
  return `${metadata.namespace ?? ""}/${metadata.name ?? ""}`;
}

/** Changes when a Secret that may be injected changes. */
function revisionsOf(secrets: Store<AccessSecret>): readonly string[] {
  return secrets
    .byIndex("module", "deployer")
    .map(({ metadata }) => `${metadata.name ?? ""}/${metadata.resourceVersion ?? ""}`);
}
