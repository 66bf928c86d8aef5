import { textOf } from "@kyma-operators/errors";
import type { ObjectKey } from "@kyma-operators/kube";
import { type Context, keyOf, type ManagerContext, type Outcome, type Store } from "@kyma-operators/runtime";
import type { Kyma } from "../../apis/operator/kyma.ts";
import { Rollout } from "../../modules/rollout.ts";
import type { Dependencies } from "./dependencies.ts";
import { isLeftAlone, nameOf } from "./pass.ts";
import { showCatalog } from "./remote/catalog-sync.ts";

/** A release brings several objects; they reach a cluster together. */
const gatherMs = 500;
/** A release goes around as fast as so many clusters at once answer. */
const clustersAtOnce = 10;
const done: Outcome = { kind: "done" };

interface CatalogDependencies extends Pick<Dependencies, "access" | "catalog" | "views"> {
  readonly kymas: Store<Kyma>;
  /** Makes the Kyma look at its cluster now. */
  readonly wakeKyma: (key: ObjectKey) => void;
}

/**
 * Brings a changed catalog to the remote clusters that show another one. It does so beside the passes over their
 * Kymas, which would bring upgrades before their time.
 */
export class CatalogRollout {
  readonly #deps: CatalogDependencies;
  readonly #manager: ManagerContext;
  readonly #rollout: Rollout;
  #gathering = false;

  constructor(manager: ManagerContext, deps: CatalogDependencies) {
    this.#deps = deps;
    this.#manager = manager;
    this.#rollout = new Rollout(manager.clock, () => 0);
    manager.addController({
      name: "kyma-catalog",
      watches: [],
      sources: [this.#rollout],
      concurrency: clustersAtOnce,
      reconcile: async (key, ctx) => this.#reconcile(key, ctx),
    });
  }

  /** To be called when any ModuleTemplate or ModuleReleaseMeta says something else. */
  changed(): void {
    if (this.#gathering) return;
    this.#gathering = true;
    this.#manager.clock.after(gatherMs, () => {
      this.#gathering = false;
      const keys = this.#deps.kymas
        .list()
        .filter((kyma) => this.#shown(kyma) !== undefined)
        .map(keyOf);
      if (keys.length > 0) this.#manager.log.info({ clusters: keys.length }, "the module catalog has changed");
      this.#rollout.spread(keys, 0);
    });
  }

  /** Which catalog the cluster shows. One that nobody has looked at yet gets its catalog when its Kyma is looked at. */
  #shown(kyma: Kyma): string | undefined {
    if (kyma.metadata.deletionTimestamp !== undefined || isLeftAlone(kyma)) return undefined;
    return this.#deps.views.latest(nameOf(kyma))?.catalog;
  }

  async #reconcile(key: ObjectKey, ctx: Context): Promise<Outcome> {
    const { kymas, catalog } = this.#deps;
    const kyma = kymas.get(key);
    const shown = kyma && this.#shown(kyma);
    if (kyma === undefined || shown === undefined || shown === catalog.remoteOf(kyma).digest) return done;
    try {
      await this.#show(kyma, ctx);
    } catch (error) {
      ctx.signal.throwIfAborted();
      ctx.log.warn({ error: textOf(error) }, "the module catalog could not be brought up to date");
      // What is wrong there is found again, and reported, by the pass over the Kyma.
      this.#deps.wakeKyma(key);
    }
    return done;
  }

  async #show(kyma: Kyma, { signal, log }: Context): Promise<void> {
    const { kymas, access, views, catalog } = this.#deps;
    const cluster = await access.connect(kyma);
    const view = views.get(nameOf(kyma), cluster.id);
    if (view === undefined) return;
    await showCatalog(cluster, view, () => catalog.remoteOf(kymas.get(keyOf(kyma)) ?? kyma), signal);
    log.debug({}, "the cluster shows the changed module catalog");
  }
}
