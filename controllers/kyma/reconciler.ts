import { textOf } from "@kyma-operators/errors";
import type { ObjectKey } from "@kyma-operators/kube";
import { type Context, connectivityProblem, type Outcome } from "@kyma-operators/runtime";
import { isPaused, type Kyma, type ModuleStatus } from "../../apis/operator/kyma.ts";
import { areModulesReady } from "../../modules/kyma-state.ts";
import { isForbiddenChannel } from "../../modules/module-list.ts";
import { specFromRemote } from "../../modules/remote-kyma.ts";
import { requeueAfter } from "../../modules/requeue.ts";
import { needsNewClient } from "./access-secrets.ts";
import type { KymaDeletion } from "./deletion.ts";
import type { Dependencies } from "./dependencies.ts";
import { kymaErrors } from "./errors.ts";
import { ModulePhase } from "./module-phase.ts";
import type { RemoteCluster } from "./options.ts";
import { newPass, next, type Pass, type Phase, remoteOf, type Step } from "./pass.ts";
import { copyPullSecret, ensureNamespace } from "./remote-basics.ts";
import { syncCatalog } from "./remote-catalog-sync.ts";
import { syncCrds } from "./remote-crds.ts";
import * as remoteKymas from "./remote-kymas.ts";
import type { RemoteView, SeenKyma } from "./remote-views.ts";
import { summarize } from "./summary.ts";

const done: Outcome = { kind: "done" };
/** CRDs of a new cluster are established within moments. */
const establishedAfterMs = 250;

/** Brings the modules of one runtime to what its Kyma says. */
export class KymaReconciler {
  readonly #deps: Dependencies;
  readonly #deletion: KymaDeletion;
  readonly #modules: ModulePhase;

  constructor(deps: Dependencies, deletion: KymaDeletion) {
    this.#deps = deps;
    this.#deletion = deletion;
    this.#modules = new ModulePhase(deps);
  }

  readonly #phases: readonly Phase[] = [
    { reason: "sync_context_retrieval", run: async (pass) => this.#connect(pass) },
    { reason: "crds_sync", run: async (pass) => this.#syncCrds(pass) },
    { reason: "image_pull_secret_sync", run: async (pass) => this.#copyPullSecret(pass) },
    { reason: "spec_replacement_from_remote", run: async (pass) => this.#adoptSpec(pass) },
    { reason: "manifest_reconciliation", run: async (pass) => this.#syncModules(pass), independent: true },
    { reason: "module_catalog_sync", run: async (pass) => this.#syncCatalog(pass), independent: true },
    { reason: "skr_webhook_installation", run: async (pass) => this.#syncWebhook(pass), independent: true },
  ];

  /** One pass. Sends nothing when nothing has changed on either cluster since the last one. */
  async reconcile(key: ObjectKey, ctx: Context): Promise<Outcome> {
    const { kymas, settings, metrics } = this.#deps;
    const observed = kymas.get(key);
    if (observed === undefined) return this.#deletion.forget(key, ctx);
    if (observed.metadata.deletionTimestamp !== undefined) return this.#deletion.reconcile(observed, ctx);
    if (isPaused(observed)) return { kind: "wait", reason: "paused", afterMs: settings.intervals.successMs };
    if (observed.status?.state === "Unmanaged") return done;
    if (await kymas.claim(observed, ctx.signal)) {
      metrics.requeue("labels_and_finalizers_update", "intended");
      return done; // our own write wakes us
    }
    return this.#bringUpToDate(newPass(observed, ctx));
  }

  async #bringUpToDate(pass: Pass): Promise<Outcome> {
    const step = await this.#runPhases(pass);
    if (step.kind !== "next") return step;
    const { kymas, settings, features } = this.#deps;
    const status = summarize(pass.kyma, pass, features, pass.ctx.now);
    if (await kymas.writeStatus(pass.observed, status, pass.ctx.signal)) {
      pass.ctx.log.info({ state: status.state, operation: status.lastOperation?.operation }, "status changed");
    }
    this.#showMetrics(pass.observed, status);
    await this.#mirror(pass, status);
    if (pass.failure !== undefined) throw pass.failure;
    if (status.state === "Error") throw kymaErrors.IN_ERROR_STATE({});
    const state = status.state ?? "";
    return { kind: "wait", reason: `state ${state}`, afterMs: requeueAfter(state, settings.intervals) };
  }

  async #runPhases(pass: Pass): Promise<Step> {
    for (const { reason, run, independent = false } of this.#phases) {
      try {
        const step = await run(pass);
        if (step.kind !== "next") return step;
      } catch (error) {
        this.#fail(pass, error, reason);
        if (!independent) return next;
      }
    }
    return next;
  }

  #fail(pass: Pass, error: unknown, reason: Phase["reason"]): void {
    pass.failure ??= error;
    const problem = connectivityProblem(error);
    this.#deps.metrics.requeue(problem === "unauthorized" ? "kyma_unauthorized" : reason, "unexpected");
    // A Manifest that could not be written says nothing about the remote cluster.
    if (reason !== "manifest_reconciliation") this.#deps.views.drop(nameOf(pass.observed));
    if (needsNewClient(error)) this.#deps.access.evict(pass.observed);
    pass.ctx.log.warn({ reason, error: textOf(error) }, "a phase failed");
  }

  async #connect(pass: Pass): Promise<Step> {
    const { access } = this.#deps;
    const { observed, ctx } = pass;
    try {
      const cluster = await access.connect(observed, ctx.signal);
      pass.cluster = cluster;
      pass.view = this.#freshView(pass, cluster.id) ?? (await this.#look(pass, cluster));
      return next;
    } catch (error) {
      // What we cannot see we cannot vouch for. Refused credentials say nothing about the modules.
      if (connectivityProblem(error) !== "unauthorized") pass.modules = allInError(pass.modules, error);
      throw error;
    }
  }

  /** Begins to look at everything: the namespace of our objects first, all other phases follow. */
  async #look({ observed, ctx }: Pass, cluster: RemoteCluster): Promise<RemoteView> {
    const { views, settings } = this.#deps;
    await ensureNamespace(cluster, settings.syncNamespace, ctx.signal);
    return views.renew(nameOf(observed), cluster.id, ctx.now);
  }

  /** The view of the cluster, unless it is time to look at everything again. */
  #freshView(pass: Pass, clusterId: string): RemoteView | undefined {
    const { views, settings } = this.#deps;
    const view = views.get(nameOf(pass.observed), clusterId);
    if (view === undefined) return undefined;
    // Without a watcher nobody tells us what users change there, so every safety-net pass looks.
    const reported = view.findings["SKRWebhook"] === "True";
    const maxAgeMs = reported ? settings.remoteResyncMs : settings.intervals.successMs;
    return pass.ctx.now - view.checkedAtMs < maxAgeMs ? view : undefined;
  }

  async #syncCrds(pass: Pass): Promise<Step> {
    const { cluster, view } = remoteOf(pass);
    if (view.findings["CRDsSync"] !== "True") {
      pass.findings["CRDsSync"] = "False";
      const established = await syncCrds(cluster, this.#deps.crds, pass.ctx.signal);
      if (!established)
        return { kind: "wait", reason: "remote CRDs are not established yet", afterMs: establishedAfterMs };
      view.findings["CRDsSync"] = "True";
    }
    pass.findings["CRDsSync"] = "True";
    return next;
  }

  async #copyPullSecret(pass: Pass): Promise<Step> {
    const { settings, pullSecret } = this.#deps;
    if (settings.pullSecret === undefined) return next;
    const { cluster, view } = remoteOf(pass);
    pass.findings["SKRImagePullSecretSync"] = "False";
    const source = pullSecret();
    if (source === undefined) {
      throw kymaErrors.PULL_SECRET_MISSING({ name: settings.pullSecret, namespace: settings.namespace });
    }
    if (view.pullSecret !== source.metadata.resourceVersion) {
      await copyPullSecret(cluster, source, settings.syncNamespace, pass.ctx.signal);
      view.pullSecret = source.metadata.resourceVersion ?? "";
    }
    pass.findings["SKRImagePullSecretSync"] = "True";
    return next;
  }

  /** Modules and channel are the user's, who says them on the remote cluster. */
  async #adoptSpec(pass: Pass): Promise<Step> {
    const { cluster, view } = remoteOf(pass);
    try {
      view.kyma ??= await this.#findRemoteKyma(pass, cluster);
      const { metadata, spec } = view.kyma;
      pass.kyma = { ...pass.observed, spec: specFromRemote(pass.observed, { ...pass.observed, metadata, spec }) };
      if (isForbiddenChannel(pass.kyma.spec.channel)) throw kymaErrors.FORBIDDEN_CHANNEL({});
    } catch (error) {
      throw kymaErrors.SPEC_REPLACEMENT({}, error);
    }
    return next;
  }

  async #findRemoteKyma({ observed, ctx }: Pass, cluster: RemoteCluster): Promise<SeenKyma> {
    const { settings, announcer } = this.#deps;
    const found = await remoteKymas.findOrCreate(cluster, observed, settings.syncNamespace, { signal: ctx.signal });
    if (found.created) announcer.normal(observed, "RemoteInstallation", "Kyma was installed to SKR");
    return found.seen;
  }

  async #syncModules(pass: Pass): Promise<Step> {
    pass.findings["Modules"] = "False";
    try {
      await this.#modules.run(pass);
    } finally {
      pass.findings["Modules"] = areModulesReady(pass.modules) ? "True" : "False";
    }
    return next;
  }

  async #syncCatalog(pass: Pass): Promise<Step> {
    const { cluster, view } = remoteOf(pass);
    const catalog = this.#deps.catalog.remoteOf(pass.observed);
    if (view.catalog !== catalog.digest) {
      pass.findings["ModuleCatalog"] = "False";
      await syncCatalog(cluster, catalog, pass.ctx.signal);
      view.catalog = catalog.digest;
    }
    pass.findings["ModuleCatalog"] = "True";
    return next;
  }

  async #syncWebhook(pass: Pass): Promise<Step> {
    const { webhook } = this.#deps;
    if (webhook === undefined) return next;
    const { cluster, view } = remoteOf(pass);
    pass.findings["SKRWebhook"] = "False";
    const ready = (await webhook.sync(pass.observed, cluster, pass.ctx.signal)) === "ready";
    const finding = ready ? "True" : "False";
    pass.findings["SKRWebhook"] = finding;
    view.findings["SKRWebhook"] = finding;
    return next;
  }

  /** The user sees on the remote cluster what we say here, also when the pass has failed. */
  async #mirror(pass: Pass, status: Kyma["status"]): Promise<void> {
    const { cluster, view, observed, ctx } = pass;
    if (cluster === undefined || view?.kyma === undefined || status === undefined) return;
    if (view.kyma.metadata.deletionTimestamp !== undefined) return;
    const call = { signal: ctx.signal };
    try {
      view.kyma = await remoteKymas.mark(cluster, observed, view.kyma, call);
      view.kyma = await remoteKymas.writeStatus(cluster, view.kyma, status, call);
    } catch (error) {
      this.#deps.announcer.warning(observed, "StatusSynchronization", error);
      this.#fail(pass, kymaErrors.STATUS_SYNC({}, error), "status_sync_to_remote");
    }
  }

  #showMetrics(kyma: Kyma, status: NonNullable<Kyma["status"]>): void {
    try {
      this.#deps.metrics.show(kyma, status);
    } catch (error) {
      this.#deps.announcer.warning(kyma, "MetricsError", error);
    }
  }
}

function nameOf({ metadata }: Kyma): string {
  return metadata.name ?? "";
}

/** Every module with the reason why nothing can be said about it. */
function allInError(modules: readonly ModuleStatus[], error: unknown): readonly ModuleStatus[] {
  const message = connectivityProblem(error) === undefined ? "skr client context not found" : textOf(error);
  return modules.map((module) => ({ ...module, state: "Error", message }));
}
