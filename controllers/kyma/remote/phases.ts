import { textOf } from "@kyma-operators/errors";
import { connectivityProblem } from "@kyma-operators/runtime";
import type { ModuleStatus } from "../../../apis/operator/kyma.ts";
import { isForbiddenChannel } from "../../../modules/module-list.ts";
import { specFromRemote } from "../../../modules/remote-kyma.ts";
import type { Dependencies } from "../dependencies.ts";
import { kymaErrors } from "../errors.ts";
import type { RemoteCluster } from "../options.ts";
import { nameOf, next, type Pass, remoteOf, type Step } from "../pass.ts";
import { copyPullSecret, ensureNamespace } from "./basics.ts";
import { showCatalog } from "./catalog-sync.ts";
import { crdRevision, syncCrds } from "./crds.ts";
import * as remoteKymas from "./kymas.ts";
import { isLeaving, type RemoteView, type SeenKyma, seeAgent } from "./views.ts";

/** CRDs of a new cluster are established within moments. */
const establishedAfterMs = 250;

/** The phases that look at the remote cluster. They send nothing while the view of it is fresh. */
export class RemotePhases {
  readonly #deps: Dependencies;

  constructor(deps: Dependencies) {
    this.#deps = deps;
  }

  /** Finds the cluster. What is known of it is too old after a while, and then everything is looked at again. */
  async connect(pass: Pass): Promise<Step> {
    try {
      const cluster = await this.#deps.access.connect(pass.observed);
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
    const reported = view.agent?.ready === true;
    const trustedMs = reported ? settings.remoteResyncMs : settings.intervals.successMs;
    const maxAgeMs = isLeaving(view) ? settings.intervals.warningMs : trustedMs;
    if (pass.ctx.now - view.checkedAtMs >= maxAgeMs) return undefined;
    if (view.readAgainAtMs !== undefined && pass.ctx.now >= view.readAgainAtMs) {
      delete view.readAgainAtMs;
      delete view.kyma;
    }
    return view;
  }

  async syncCrds(pass: Pass): Promise<Step> {
    const { cluster, view } = remoteOf(pass);
    const revision = crdRevision(this.#deps.crds);
    if (view.crds !== revision) {
      pass.findings["CRDsSync"] = "False";
      const established = await syncCrds(cluster, this.#deps.crds, pass.ctx.signal);
      if (!established)
        return { kind: "wait", reason: "remote CRDs are not established yet", afterMs: establishedAfterMs };
      view.crds = revision;
    }
    pass.findings["CRDsSync"] = "True";
    return next;
  }

  async copyPullSecret(pass: Pass): Promise<Step> {
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
  async adoptSpec(pass: Pass): Promise<Step> {
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
    const { settings, announcer, onRemoteMade } = this.#deps;
    const found = await remoteKymas.findOrCreate(cluster, observed, settings.syncNamespace, { signal: ctx.signal });
    if (found.created) {
      announcer.normal(observed, "RemoteInstallation", "Kyma was installed to SKR");
      onRemoteMade(nameOf(observed));
    }
    return found.seen;
  }

  async syncCatalog(pass: Pass): Promise<Step> {
    const { cluster, view } = remoteOf(pass);
    pass.findings["ModuleCatalog"] = "False";
    await showCatalog(cluster, view, () => this.#deps.catalog.remoteOf(pass.observed), pass.ctx.signal);
    pass.findings["ModuleCatalog"] = "True";
    return next;
  }

  async syncWebhook(pass: Pass): Promise<Step> {
    const { webhook } = this.#deps;
    if (webhook === undefined) return next;
    const { cluster, view } = remoteOf(pass);
    pass.findings["SKRWebhook"] = "False";
    const agent = await webhook.sync(pass.observed, cluster, view.agent, pass.ctx);
    seeAgent(view, agent, pass.ctx.now);
    pass.findings["SKRWebhook"] = agent.ready ? "True" : "False";
    return next;
  }
}

/** Every module with the reason why nothing can be said about it. */
function allInError(modules: readonly ModuleStatus[], error: unknown): readonly ModuleStatus[] {
  const message = connectivityProblem(error) === undefined ? "skr client context not found" : textOf(error);
  return modules.map((module) => ({ ...module, state: "Error", message }));
}
