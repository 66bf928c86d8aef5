import { textOf } from "@kyma-operators/errors";
import type { ObjectKey } from "@kyma-operators/kube";
import { type Context, connectivityProblem, type Outcome } from "@kyma-operators/runtime";
import { isPaused, type Kyma } from "../../apis/operator/kyma.ts";
import { areModulesReady } from "../../modules/kyma-state.ts";
import { requeueAfter } from "../../modules/requeue.ts";
import { needsNewClient } from "./access-secrets.ts";
import type { KymaDeletion } from "./deletion.ts";
import type { Dependencies } from "./dependencies.ts";
import { kymaErrors } from "./errors.ts";
import { ModulePhase } from "./module-phase.ts";
import { nameOf, newPass, next, type Pass, type Phase, type Step } from "./pass.ts";
import * as remoteKymas from "./remote-kymas.ts";
import { RemotePhases } from "./remote-phases.ts";
import { summarize } from "./summary.ts";

const done: Outcome = { kind: "done" };

/** Brings the modules of one runtime to what its Kyma says. */
export class KymaReconciler {
  readonly #deps: Dependencies;
  readonly #deletion: KymaDeletion;
  readonly #modules: ModulePhase;
  readonly #phases: readonly Phase[];

  constructor(deps: Dependencies, deletion: KymaDeletion) {
    this.#deps = deps;
    this.#deletion = deletion;
    this.#modules = new ModulePhase(deps);
    const remote = new RemotePhases(deps);
    this.#phases = [
      { reason: "sync_context_retrieval", run: async (pass) => remote.connect(pass) },
      { reason: "crds_sync", run: async (pass) => remote.syncCrds(pass) },
      { reason: "image_pull_secret_sync", run: async (pass) => remote.copyPullSecret(pass) },
      { reason: "spec_replacement_from_remote", run: async (pass) => remote.adoptSpec(pass) },
      { reason: "manifest_reconciliation", run: async (pass) => this.#syncModules(pass), independent: true },
      { reason: "module_catalog_sync", run: async (pass) => remote.syncCatalog(pass), independent: true },
      { reason: "skr_webhook_installation", run: async (pass) => remote.syncWebhook(pass), independent: true },
    ];
  }

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
    const { kymas, settings, features, metrics, announcer } = this.#deps;
    const status = summarize(pass.kyma, pass, features, pass.ctx.now);
    if (await kymas.writeStatus(pass.observed, status, pass.ctx.signal)) {
      pass.ctx.log.info({ state: status.state, operation: status.lastOperation?.operation }, "status changed");
    }
    const unidentified = metrics.show(pass.observed, status);
    if (unidentified !== undefined) announcer.warning(pass.observed, "MetricsError", unidentified);
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

  async #syncModules(pass: Pass): Promise<Step> {
    pass.findings["Modules"] = "False";
    try {
      await this.#modules.run(pass);
    } finally {
      pass.findings["Modules"] = areModulesReady(pass.modules) ? "True" : "False";
    }
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
}
