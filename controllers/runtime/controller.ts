import { projectNamespace, shootResource } from "@kyma-operators/gardener";
import type { KubeObject, ObjectKey } from "@kyma-operators/kube";
import { type Change, type Informer, keyOf, type ManagerContext, specChanged } from "@kyma-operators/runtime";
import {
  type GardenerCluster,
  gardenerClusterResource,
  infrastructureManager,
  labels,
  type Runtime,
  runtimeResource,
} from "../../apis/infrastructure/index.ts";
import { byShoot, ControlPlane, type KubeconfigSecret, secretResource } from "./control-plane.ts";
import { Garden, type GardenShoot } from "./garden.ts";
import { gardenerClusterName, kubeconfigSecretName } from "./gardener-cluster.ts";
import { RuntimeMetrics } from "./metrics.ts";
import { type RuntimeControllerOptions, settingsOf } from "./options.ts";
import { RuntimeReconciler } from "./reconciler.ts";

/** How Runtimes are found by the names of what belongs to them. */
const indexes = {
  [byShoot]: ({ spec }: Runtime) => [spec.shoot.name],
  cluster: (runtime: Runtime) => [gardenerClusterName(runtime)],
  secret: (runtime: Runtime) => [kubeconfigSecretName(runtime)],
};

/** Wires the controller that turns Runtimes into Shoots. */
export function addRuntimeController(manager: ManagerContext, options: RuntimeControllerOptions): void {
  const settings = settingsOf(options);
  const { gardener } = options;
  const { namespace } = settings;
  // The project can't change under a running process: its Shoots would be somebody else's.
  const project = projectNamespace(settings.landscape().config.converter.gardener.projectName);
  const runtimes = manager.informer<Runtime>(runtimeResource, { namespace, indexes });
  const clusters = manager.informer<GardenerCluster>(gardenerClusterResource, { namespace });
  const labelSelector = `${labels.managedBy}=${infrastructureManager}`;
  const secrets = manager.informer<KubeconfigSecret>(secretResource, { namespace, labelSelector });
  const shoots = manager.informer<GardenShoot>(shootResource, { client: gardener, namespace: project });
  const metrics = new RuntimeMetrics(manager.metrics);
  const reconciler = new RuntimeReconciler({
    garden: new Garden({ client: manager.guard(gardener), shoots, namespace: project, metrics }),
    controlPlane: new ControlPlane({ client: manager.client, runtimes, clusters, secrets }),
    remote: settings.remote,
    settings,
    events: manager.events,
    metrics,
  });
  const wake = (index: keyof typeof indexes) => (change: Change<KubeObject>) => keysOf(runtimes, index, change);
  manager.addController({
    name: "runtime",
    concurrency: settings.concurrency,
    watches: [
      { informer: runtimes, predicate: specChanged },
      { informer: shoots, map: wake(byShoot) },
      { informer: clusters, map: wake("cluster") },
      { informer: secrets, map: wake("secret") },
    ],
    sources: [
      { subscribe: (wakeUp) => settings.onLandscapeChange(() => failedKeys(runtimes).forEach((key) => wakeUp(key))) },
    ],
    reconcile: (key, ctx) => reconciler.reconcile(key, ctx),
  });
}

/** A changed landscape may be what these have waited for. */
function failedKeys(runtimes: Informer<Runtime>): readonly ObjectKey[] {
  return runtimes.store
    .list()
    .filter(({ status }) => status?.state === "Failed")
    .map(keyOf);
}

function keysOf(runtimes: Informer<Runtime>, index: string, { object }: Change<KubeObject>): readonly ObjectKey[] {
  return runtimes.store.byIndex(index, object.metadata.name ?? "").map(keyOf);
}
