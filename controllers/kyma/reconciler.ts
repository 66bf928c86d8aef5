import { hasCode, textOf } from "@kyma-operators/errors";
import type { ObjectKey } from "@kyma-operators/kube";
import { type Context, connectivityProblem, jsonEqual, type Outcome } from "@kyma-operators/runtime";
import { isPaused, type Kyma, type KymaStatus } from "../../apis/operator/kyma.ts";
import type { State } from "../../apis/operator/state.ts";
import { areModulesReady } from "../../modules/kyma-state.ts";
import { requeueAfter } from "../../modules/requeue.ts";
import type { KymaDeletion } from "./deletion.ts";
import type { Dependencies } from "./dependencies.ts";
import { kymaErrors } from "./errors.ts";
import { ModulePhase } from "./module-phase.ts";
import { isLeftAlone, nameOf, newPass, next, type Pass, type Phase, remoteOf, type Step } from "./pass.ts";
import { needsNewClient } from "./remote/access-secrets.ts";
import { crdRevision } from "./remote/crds.ts";
import * as remoteKymas from "./remote/kymas.ts";
import { RemotePhases } from "./remote/phases.ts";
import { isLeaving, seeAgent } from "./remote/views.ts";
import { SettledPasses } from "./settled-passes.ts";
import { summarize } from "./summary.ts";

const done: Outcome = { kind: "done" };
const firstAgentLookMs = 250;

/** Brings the modules of one runtime to what its Kyma says. */
export class KymaReconciler {
  readonly #deps: Dependencies;
  readonly #deletion: KymaDeletion;
  readonly #modules: ModulePhase;
  readonly #phases: readonly Phase[];
  readonly #settled = new SettledPasses();

  constructor(deps: Dependencies, deletion: KymaDeletion) {
    this.#deps = deps;
    this.#deletion = deletion;
    this.#modules = new ModulePhase(deps);
    const remote = new RemotePhases(deps);
    this.#phases = [
      { reason: "sync_context_retrieval", run: async (pass) => remote.connect(pass) },
      { reason: "sync_context_retrieval", run: async (pass) => this.#skipSettled(pass) },
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
    if (observed === undefined) {
      this.#settled.drop(key.name);
      return this.#deletion.forget(key, ctx);
    }
    if (observed.metadata.deletionTimestamp !== undefined) return this.#deletion.reconcile(observed, ctx);
    const paused: Outcome = { kind: "wait", reason: "paused", afterMs: settings.intervals.successMs };
    if (isLeftAlone(observed)) return isPaused(observed) ? paused : done;
    if (await kymas.claim(observed, ctx.signal)) {
      metrics.requeue("labels_and_finalizers_update", "intended");
      return done; // our own write wakes us
    }
    return this.#bringUpToDate(newPass(observed, ctx));
  }

  async #bringUpToDate(pass: Pass): Promise<Outcome> {
    const stored = this.#storedOf(pass.observed);
    const step = await this.#runPhases(pass);
    if (step.kind !== "next") return step;
    const status = summarize(pass.kyma, pass, this.#deps.features, pass.ctx.now);
    const written = await this.#show(pass, status);
    const overtaken = await this.#mirror(pass, status);
    if (pass.failure !== undefined) throw pass.failure;
    if (overtaken) return { kind: "wait", reason: "the remote Kyma has changed", afterMs: 0 };
    if (status.state === "Error") throw kymaErrors.IN_ERROR_STATE({});
    if (!written) this.#settle(pass, status, stored);
    return this.#nextLook(status.state ?? "", pass);
  }

  /** Shows the status in the Kyma, the log and the metrics; answers whether it had to be written. */
  async #show(pass: Pass, status: KymaStatus): Promise<boolean> {
    const { kymas, metrics, announcer } = this.#deps;
    const write = kymas.writeStatus(pass.observed, status, pass.ctx.signal);
    const reason = status.state === "Error" ? "UpdateStatusError" : "PatchStatus";
    const written = await announcer.tellFailure(pass.observed, reason, write);
    if (written)
      pass.ctx.log.info({ state: status.state, operation: status.lastOperation?.operation }, "status changed");
    const unidentified = metrics.show(pass.observed, status);
    if (unidentified !== undefined) announcer.warning(pass.observed, "MetricsError", unidentified);
    return written;
  }

  /**
   * Remembers a pass that had nothing to do. An upgrade that waits is made when its window opens: time does that.
   *
   * @param stored - as it was when the pass began: what has changed since, the pass may not have seen.
   */
  #settle(pass: Pass, { state, modules = [] }: KymaStatus, stored: readonly unknown[]): void {
    if (state !== "Ready" || modules.some(({ maintenance }) => maintenance === true)) return;
    this.#settled.keep(nameOf(pass.observed), [...seenIn(pass), ...stored]);
  }

  /** Ends a pass that would find what the last one found: nothing has changed, and time alone changes nothing. */
  async #skipSettled(pass: Pass): Promise<Step> {
    const inputs = [...seenIn(pass), ...this.#storedOf(pass.observed)];
    if (!this.#settled.has(nameOf(pass.observed), inputs)) return next;
    const { webhook } = this.#deps;
    const { cluster, view } = remoteOf(pass);
    // Certificates have to be renewed in time. What fails here fails again in its own phase, which reports it.
    const agent = await webhook?.sync(pass.observed, cluster, view.agent, pass.ctx).catch(() => undefined);
    if (agent === view.agent) return this.#nextLook("Ready", pass);
    // The phase of the agent goes on from what was found here.
    if (agent !== undefined) seeAgent(view, agent, pass.ctx.now);
    this.#settled.drop(nameOf(pass.observed));
    return next;
  }

  /** Everything of the control plane that decides about a pass. */
  #storedOf(observed: Kyma): readonly unknown[] {
    const { catalog, manifests, pullSecret, valuesSecret, crds } = this.#deps;
    const shared = [catalog.view(), pullSecret(), valuesSecret(observed), crdRevision(crds)];
    return [observed, ...shared, ...manifests.of(observed)];
  }

  /** Nobody tells that an agent has started, so it is looked for soon, and less and less often. */
  #nextLook(state: State, { view, ctx }: Pass): Outcome {
    const { intervals } = this.#deps.settings;
    const { agentLooks = 0, readAgainAtMs = Infinity } = view ?? {};
    const agentMs = agentLooks === 0 ? readAgainAtMs - ctx.now : firstAgentLookMs * 2 ** (agentLooks - 1);
    const leavingMs = isLeaving(view) ? intervals.warningMs : Infinity;
    const afterMs = Math.min(requeueAfter(state, intervals), agentMs, leavingMs);
    return { kind: "wait", reason: `state ${state}`, afterMs };
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

  /**
   * The user sees on the remote cluster what we say here, also when the pass has failed. Answers whether the user has
   * said something else meanwhile, so that it is followed at once.
   */
  async #mirror(pass: Pass, status: Kyma["status"]): Promise<boolean> {
    const { cluster, view, observed, ctx } = pass;
    if (cluster === undefined || view?.kyma === undefined || status === undefined) return false;
    if (view.kyma.metadata.deletionTimestamp !== undefined) return false;
    const { spec } = view.kyma;
    try {
      view.kyma = await remoteKymas.show(cluster, observed, view.kyma, { status, call: { signal: ctx.signal } });
    } catch (error) {
      const isMark = hasCode(error, "KYMA_METADATA_SYNC");
      this.#deps.announcer.warning(observed, isMark ? "MetadataSynchronization" : "StatusSynchronization", error);
      this.#fail(pass, kymaErrors.STATUS_SYNC({}, error), "status_sync_to_remote");
    }
    return !jsonEqual(spec, view.kyma.spec);
  }
}

/** What is known of the remote cluster, which a pass itself brings up to date. */
function seenIn({ view }: Pass): readonly unknown[] {
  return [view, view?.kyma, view?.agent, view?.catalog];
}
