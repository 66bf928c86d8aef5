import type { KubeObject } from "@kyma-operators/kube";
import {
  type Change,
  type Informer,
  jsonEqual,
  keyOf,
  type ManagerContext,
  specChanged,
  type WatchDefinition,
} from "@kyma-operators/runtime";
import { kymas, manifests, moduleReleaseMetas, moduleTemplates } from "../../apis/operator/group.ts";
import type { Kyma } from "../../apis/operator/kyma.ts";
import { labels } from "../../apis/operator/labels.ts";
import type { Manifest } from "../../apis/operator/manifest.ts";
import type { ModuleReleaseMeta } from "../../apis/operator/module-release-meta.ts";
import type { ModuleTemplate } from "../../apis/operator/module-template.ts";
import { Rollout } from "../../modules/rollout.ts";
import { withSpec } from "../../modules/with-spec.ts";
import { MandatoryDeletion } from "./deletion.ts";
import { MandatoryInstallation } from "./installation.ts";
import { mandatoryMetrics } from "./metrics.ts";
import type { MandatoryOptions } from "./options.ts";

const byKyma = "mandatory-of-kyma";
const byModule = "mandatory-module-name";

const valueOf =
  (label: string) =>
  ({ metadata }: KubeObject): readonly string[] => {
    const value = metadata.labels?.[label];
    return value === undefined ? [] : [value];
  };
const kymaNameOf = valueOf(labels.kymaName);
const moduleNameOf = valueOf(labels.moduleName);
const isMandatoryText = ({ spec }: ModuleReleaseMeta): readonly string[] => [String(spec.mandatory !== undefined)];

/** Adds the two controllers of mandatory modules: one installs them in every Kyma, one takes them away again. */
export function addMandatoryModuleControllers(manager: ManagerContext, options: MandatoryOptions): void {
  const { settings } = options;
  const { namespace } = settings;
  const { client, events } = manager;
  const kymaInformer = manager.informer<Kyma>(kymas, { namespace, transform: withSpec });
  const metaInformer = manager.informer<ModuleReleaseMeta>(moduleReleaseMetas, {
    namespace,
    indexes: { mandatory: isMandatoryText },
    transform: withSpec,
  });
  const templateInformer = manager.informer<ModuleTemplate>(moduleTemplates, { namespace, transform: withSpec });
  const manifestInformer = manager.informer<Manifest>(manifests, {
    namespace,
    indexes: { [byKyma]: kymaNameOf, [byModule]: moduleNameOf },
    transform: withSpec,
  });
  const installation = new MandatoryInstallation({
    ...options,
    client,
    events,
    kymas: kymaInformer.store,
    metas: metaInformer.store,
    templates: templateInformer.store,
    manifests: { of: ({ metadata }) => manifestInformer.store.byIndex(byKyma, metadata.name ?? "") },
    metrics: mandatoryMetrics(manager.metrics),
  });
  const rollout = new Rollout(manager.clock, options.random);
  const wakeAll = (spreadMs: number): void => rollout.spread(kymaInformer.store.list().map(keyOf), spreadMs);

  metaInformer.onChange((change) => {
    if (concernsEveryKyma(change)) wakeAll(change.type === "updated" ? settings.rolloutMaxDelayMs : 0);
  });
  templateInformer.onChange((change) => {
    const { moduleName } = change.object.spec;
    const missed = change.type === "added" && !change.initial;
    if (missed && metaInformer.store.byIndex("mandatory", "true").some(({ spec }) => spec.moduleName === moduleName))
      wakeAll(0);
  });
  manager.addController({
    name: "mandatory-module-installation",
    watches: [{ informer: kymaInformer, predicate: specChanged }, goneManifests(manifestInformer)],
    sources: [rollout],
    concurrency: settings.concurrency,
    backoff: settings.backoff,
    reconcile: async (key, ctx) => installation.reconcile(key, ctx),
  });
  addDeletion(manager, options, { metas: metaInformer, manifests: manifestInformer });
}

interface Informers {
  readonly metas: Informer<ModuleReleaseMeta>;
  readonly manifests: Informer<Manifest>;
}

function addDeletion(manager: ManagerContext, { settings }: MandatoryOptions, informers: Informers): void {
  const deletion = new MandatoryDeletion({
    client: manager.client,
    events: manager.events,
    metas: informers.metas.store,
    manifests: { ofModule: (name) => informers.manifests.store.byIndex(byModule, name) },
    requeueMs: settings.requeueMs,
  });
  const byRelease: WatchDefinition<Manifest> = {
    informer: informers.manifests,
    predicate: ({ type, object }) => type === "deleted" && isMandatoryManifest(object),
    map: ({ object }) => moduleNameOf(object).map((name) => ({ namespace: settings.namespace, name })),
  };
  manager.addController({
    name: "mandatory-module-deletion",
    watches: [{ informer: informers.metas, predicate: specChanged }, byRelease],
    backoff: settings.backoff,
    reconcile: async (key, ctx) => deletion.reconcile(key, ctx),
  });
}

/** A mandatory Manifest that somebody deleted comes back. */
function goneManifests(informer: Informer<Manifest>): WatchDefinition<Manifest> {
  return {
    informer,
    predicate: ({ type, object }) => type === "deleted" && isMandatoryManifest(object),
    map: ({ object }) => kymaNameOf(object).map((name) => ({ namespace: object.metadata.namespace ?? "", name })),
  };
}

function isMandatoryManifest({ metadata }: Manifest): boolean {
  return metadata.labels?.[labels.mandatoryModule] === "true";
}

/** Releases that are, or were, mandatory, whenever what they say changes. The first list wakes every Kyma anyway. */
function concernsEveryKyma(change: Change<ModuleReleaseMeta>): boolean {
  const mandatory = change.object.spec.mandatory !== undefined;
  if (change.type === "added") return mandatory && !change.initial;
  if (change.type === "deleted") return mandatory;
  const relevant = mandatory || change.old.spec.mandatory !== undefined;
  return relevant && !jsonEqual(change.old.spec, change.object.spec);
}
