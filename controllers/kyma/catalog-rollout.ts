import { textOf } from "@kyma-operators/errors";
import type { ObjectKey } from "@kyma-operators/kube";
import { type Context, keyOf, type ManagerContext, type Outcome, type Store } from "@kyma-operators/runtime";
import { isPaused, type Kyma } from "../../apis/operator/kyma.ts";
import { Rollout } from "../../modules/rollout.ts";
import type { Dependencies } from "./dependencies.ts";
import { nameOf } from "./pass.ts";
import { syncCatalog } from "./remote/catalog-sync.ts";

/** A release brings several objects; they reach a cluster together. */
const gatherMs = 500;
/** Two hundred clusters per second. */
const paceMs = 5;
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

  constructor(manager: ManagerContext, deps: CatalogDependencies, random: () => number) {
    this.#deps = deps;
    this.#manager = manager;
    this.#rollout = new Rollout(manager.clock, random);
    manager.addController({
      name: "kyma-catalog",
      watches: [],
      sources: [this.#rollout],
      concurrency: clustersAtOnce,
      reconcile: async (key, ctx) => this.#reconcile(key, ctx),
    });
  }

  /** To be called when any ModuleTemplate or ModuleReleaseMeta has changed. */
  changed(): void {
    if (this.#gathering) return;
    this.#gathering = true;
    this.#manager.clock.after(gatherMs, () => {
      this.#gathering = false;
      const keys = this.#deps.kymas
        .list()
        .filter((kyma) => this.#showsAnother(kyma))
        .map(keyOf);
      this.#rollout.spread(keys, keys.length * paceMs);
    });
  }

  /** Clusters that nobody has looked at yet get their catalog when their Kyma does. */
  #showsAnother(kyma: Kyma): boolean {
    if (kyma.metadata.deletionTimestamp !== undefined || isPaused(kyma)) return false;
    const shown = this.#deps.views.latest(nameOf(kyma))?.catalog;
    return shown !== undefined && shown !== this.#deps.catalog.remoteOf(kyma).digest;
  }

  /** What fails is left to the pass over the Kyma, which reports it. */
  async #reconcile(key: ObjectKey, { signal, log }: Context): Promise<Outcome> {
    const { kymas, access, views, catalog, wakeKyma } = this.#deps;
    const kyma = kymas.get(key);
    if (kyma === undefined || !this.#showsAnother(kyma)) return done;
    try {
      const cluster = await access.connect(kyma);
      const view = views.get(key.name, cluster.id);
      const wanted = catalog.remoteOf(kyma);
      await syncCatalog(cluster, wanted, signal);
      if (view !== undefined) view.catalog = wanted.digest;
      log.info({ modules: wanted.metas.length }, "the module catalog has changed");
    } catch (error) {
      log.warn({ error: textOf(error) }, "the module catalog could not be brought up to date");
      views.drop(key.name);
      wakeKyma(key);
    }
    return done;
  }
}
