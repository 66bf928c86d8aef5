import type { Client, KubeObject, Resource } from "@kyma-operators/kube";
import { fieldManagers } from "../../../apis/operator/finalizers.ts";
import { moduleReleaseMetas, moduleTemplates } from "../../../apis/operator/group.ts";
import type { ModuleReleaseMeta } from "../../../apis/operator/module-release-meta.ts";
import type { ModuleTemplate } from "../../../apis/operator/module-template.ts";
import { forEachBounded } from "../../../modules/bounded.ts";
import { catalogLeftovers, type RemoteCatalog } from "../../../modules/remote-catalog.ts";
import { contains } from "../../../modules/write-decision.ts";
import type { DigestedCatalog } from "../catalog-index.ts";
import { kymaErrors } from "../errors.ts";
import type { RemoteCluster } from "../options.ts";
import type { RemoteView } from "./views.ts";

const writesAtOnce = 5;

/** The last thing that was begun with each cluster's catalog; it never fails. */
const underWay = new WeakMap<Client, Promise<void>>();

/**
 * Makes a remote cluster show the catalog that is wanted, also where another one is wanted meanwhile, and keeps in the
 * view which one it shows. Sends nothing when that is the wanted one. Passes and rollouts of one cluster take turns:
 * two at once would leave a mixture that no digest tells.
 */
export async function showCatalog(
  cluster: RemoteCluster,
  view: RemoteView,
  wanted: () => DigestedCatalog,
  signal: AbortSignal,
): Promise<void> {
  const before = underWay.get(cluster.client);
  const work = (async () => {
    await before;
    for (let catalog = wanted(); view.catalog !== catalog.digest; catalog = wanted()) {
      delete view.catalog;
      await syncCatalog(cluster, catalog, signal);
      view.catalog = catalog.digest;
    }
  })();
  underWay.set(
    cluster.client,
    work.catch(() => undefined),
  );
  await work;
}

/**
 * Makes a remote cluster show a catalog: one list per kind, then only the writes that change something. Templates come
 * before the channels that name them. Throws `KYMA_CATALOG_SYNC` after everything was tried.
 */
async function syncCatalog(cluster: RemoteCluster, catalog: RemoteCatalog, signal: AbortSignal): Promise<void> {
  const failures = [
    ...(await syncKind(cluster.client, moduleTemplates, catalog.templates, signal)),
    ...(await syncKind(cluster.client, moduleReleaseMetas, catalog.metas, signal)),
  ];
  const [first] = failures;
  if (first !== undefined) throw kymaErrors.CATALOG_SYNC({}, first);
}

async function syncKind(
  client: Client,
  resource: Resource,
  wanted: readonly (ModuleTemplate | ModuleReleaseMeta)[],
  signal: AbortSignal,
): Promise<readonly unknown[]> {
  const { items } = await client.list<ModuleTemplate | ModuleReleaseMeta>(resource, { signal });
  // Items of a list need not say their kind.
  const present = items.map((item) => ({ ...item, kind: resource.kind }));
  const changed = wanted.filter((object) => !present.some((other) => isSame(other, object) && contains(other, object)));
  const options = { fieldManager: fieldManagers.catalogSync, force: true, signal };
  const writes: readonly (() => Promise<unknown>)[] = [
    ...changed.map((object) => async () => client.apply<ModuleTemplate | ModuleReleaseMeta>(resource, object, options)),
    ...catalogLeftovers(present, wanted).map(({ metadata }) => async () => {
      const { name = "", namespace = "" } = metadata;
      return client.delete({ resource, namespace, name }, { signal });
    }),
  ];
  const failures = await forEachBounded(writes, writesAtOnce, async (write) => void (await write()));
  return failures.map(({ error }) => error);
}

function isSame(a: KubeObject, b: KubeObject): boolean {
  return a.metadata.name === b.metadata.name && a.metadata.namespace === b.metadata.namespace;
}
