import type { KubeObject, ObjectKey } from "@kyma-operators/kube";
import {
  type Change,
  jsonEqual,
  type ManagerContext,
  specChanged,
  type WatchDefinition,
} from "@kyma-operators/runtime";
import type { Kyma } from "../../apis/operator/kyma.ts";
import type { Manifest } from "../../apis/operator/manifest.ts";
import type { ModuleTemplate } from "../../apis/operator/module-template.ts";
import { moduleValuesLabel, moduleValuesName } from "../../apis/operator/module-values.ts";
import { Rollout } from "../../modules/rollout.ts";
import { renewRuntimeAccess } from "./access-renewal.ts";
import { Announcer } from "./announcements.ts";
import { CatalogIndex } from "./catalog-index.ts";
import { CatalogRollout } from "./catalog-rollout.ts";
import { KymaDeletion } from "./deletion.ts";
import type { Dependencies } from "./dependencies.ts";
import { type Informers, informersOf, kymaNamesOf, manifestsOf } from "./informers.ts";
import { KymaStore } from "./kyma-store.ts";
import { KymaMetrics } from "./metrics.ts";
import type { KymaControllerOptions } from "./options.ts";
import { KymaReconciler } from "./reconciler.ts";
import { AccessSecrets } from "./remote/access-secrets.ts";
import { RemoteViews } from "./remote/views.ts";
import { RestrictedModules } from "./restricted-modules.ts";
import { usersOfRelease, usersOfTemplate } from "./users.ts";

/** Lets sources of remote events tell which Kyma they concern. */
export interface KymaController {
  /** Makes the next pass of a Kyma look at its remote cluster, and runs it now. */
  remoteChanged(key: ObjectKey): void;
}

/** Adds the Kyma controller to a manager. */
export function addKymaController(manager: ManagerContext, options: KymaControllerOptions): KymaController {
  const { settings } = options;
  const informers = informersOf(manager, settings);
  const deps = dependenciesOf(manager, options, informers);
  const reconciler = new KymaReconciler(deps, new KymaDeletion(deps));
  const rollout = new Rollout(manager.clock, options.random);
  const { kymas, manifests, templates, metas, secrets } = informers;

  const wakeKyma = (key: ObjectKey): void => rollout.spread([key], 0);
  const catalogs = new CatalogRollout(manager, { ...deps, kymas: kymas.store, wakeKyma });
  const catalogChanged = (change: Change<KubeObject>): void => {
    deps.catalog.invalidate();
    if (isNews(change)) catalogs.changed();
  };
  templates.onChange(catalogChanged);
  metas.onChange((change) => {
    catalogChanged(change);
    const { keys, spread } = usersOfRelease(kymas.store, change);
    rollout.spread(keys, spread ? settings.rolloutMaxDelayMs : 0);
  });
  const templateWatch: WatchDefinition<ModuleTemplate> = {
    informer: templates,
    predicate: isNews,
    map: ({ object }) => usersOfTemplate(kymas.store, object),
  };
  manager.addController({
    name: "kyma",
    watches: [
      { informer: kymas, predicate: specChanged },
      { informer: manifests, predicate: concernsKyma, map: toKyma },
      templateWatch,
      { informer: secrets, map: toKyma },
      { informer: secrets, predicate: isNews, map: toKymaOfValues },
    ],
    sources: [rollout, ...(options.agentEvents === undefined ? [] : [options.agentEvents])],
    concurrency: settings.concurrency,
    backoff: settings.backoff,
    reconcile: async (key, ctx) => reconciler.reconcile(key, ctx),
  });
  manager.addRunnable("runtime-access-renewal", async (signal) => renewRuntimeAccess(manager, secrets.store, signal));
  manager.addRunnable("kyma-metrics-cleanup", async (signal) => sweepMetrics(manager, deps, informers, signal));
  const remoteChanged = (key: ObjectKey): void => {
    deps.views.drop(key.name);
    wakeKyma(key);
  };
  options.remoteEvents?.subscribe(remoteChanged);
  return { remoteChanged };
}

function dependenciesOf(manager: ManagerContext, options: KymaControllerOptions, informers: Informers): Dependencies {
  const { settings, clusters, descriptors, webhook } = options;
  const { client } = manager;
  const restricted = new RestrictedModules(manager.log);
  const lists = {
    metas: () => informers.metas.store.list(),
    templates: () => informers.templates.store.list(),
    leftOut: (problems: ReadonlyMap<string, string>) => restricted.reportLeftOut(problems),
  };
  manager.addRunnable("restricted-modules", async () =>
    restricted.reportUnknown(settings.restrictedModules, lists.metas()),
  );
  return {
    client,
    settings,
    features: { watcher: webhook !== undefined, pullSecret: settings.pullSecret !== undefined },
    kymas: new KymaStore(client, informers.kymas.store),
    manifests: { of: (kyma) => manifestsOf(informers.manifests.store, kyma) },
    catalog: new CatalogIndex(settings.namespace, lists, settings),
    descriptors,
    access: new AccessSecrets(client, informers.secrets.store, clusters),
    views: new RemoteViews(),
    crds: (name) => informers.crds.get(name)?.store.get({ namespace: "", name }),
    pullSecret: () => informers.secrets.store.get({ namespace: settings.namespace, name: settings.pullSecret ?? "" }),
    valuesSecret: ({ metadata: { namespace = "", name = "" } }) =>
      informers.secrets.store.get({ namespace, name: moduleValuesName(name) }),
    webhook,
    onRemoteMade: options.onRemoteMade ?? (() => undefined),
    announcer: new Announcer(manager.events),
    metrics: new KymaMetrics(manager.metrics),
  };
}

/** What of a Manifest a Kyma shows or decides by. Everything else its own controller writes is no news here. */
function concernsKyma(change: Change<Manifest>): boolean {
  return specChanged(change) || (change.type === "updated" && shownOf(change.old) !== shownOf(change.object));
}

/** While a Manifest is being deleted, its Kyma also says what it waits for. */
function shownOf({ metadata, status }: Manifest): string {
  const blocker = metadata.deletionTimestamp === undefined ? "" : status?.lastOperation?.operation;
  return `${status?.state ?? ""}/${blocker ?? ""}`;
}

/** The first list wakes every Kyma anyway. */
function isNews(change: Change<KubeObject>): boolean {
  if (change.type === "added") return !change.initial;
  return change.type === "deleted" || !jsonEqual(contentOf(change.old), contentOf(change.object));
}

function contentOf(template: KubeObject): unknown {
  const { metadata, ...content } = template;
  return [content, metadata.labels, metadata.annotations];
}

function toKyma({ object }: Change<KubeObject>): readonly ObjectKey[] {
  const namespace = object.metadata.namespace ?? "";
  return kymaNamesOf(object).map((name) => ({ namespace, name }));
}

function toKymaOfValues({ object: { metadata } }: Change<KubeObject>): readonly ObjectKey[] {
  const name = metadata.labels?.[moduleValuesLabel];
  return name === undefined ? [] : [{ namespace: metadata.namespace ?? "", name }];
}

/** Drops the series of Kymas that are gone, once in a while. */
async function sweepMetrics(
  { clock }: ManagerContext,
  { metrics, settings }: Dependencies,
  { kymas }: { readonly kymas: { readonly store: { list(): readonly Kyma[] } } },
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    await clock.sleep(settings.metricsCleanupMs, signal).catch(() => undefined);
    if (!signal.aborted) metrics.sweep(new Set(kymas.store.list().map(({ metadata }) => metadata.name ?? "")));
  }
}
