import type { ObjectKey } from "@kyma-operators/kube";
import { type ManagerContext, specChanged } from "@kyma-operators/runtime";
import {
  type GardenerCluster,
  gardenerClusterResource,
  infrastructureManager,
  labels,
} from "../../apis/infrastructure/index.ts";
import { KubeconfigSource } from "./garden.ts";
import { GardenerClusterMetrics } from "./metrics.ts";
import { type GardenerClusterControllerOptions, settingsOf } from "./options.ts";
import { byCluster, GardenerClusterReconciler, secretResource } from "./reconciler.ts";
import type { KubeconfigSecret } from "./secret.ts";

/** Wires the controller that keeps kubeconfig Secrets fresh. */
export function addGardenerClusterController(manager: ManagerContext, options: GardenerClusterControllerOptions): void {
  const settings = settingsOf(options);
  const { namespace, rotation } = settings;
  const clusters = manager.informer<GardenerCluster>(gardenerClusterResource, { namespace });
  const secrets = manager.informer<KubeconfigSecret>(secretResource, {
    namespace,
    labelSelector: `${labels.managedBy}=${infrastructureManager}`,
    indexes: { [byCluster]: clusterNamesOf },
  });
  const reconciler = new GardenerClusterReconciler({
    client: manager.client,
    clusters,
    secrets,
    source: new KubeconfigSource(manager.guard(settings.gardener), settings.projectName),
    rotation,
    metrics: new GardenerClusterMetrics(manager.metrics, rotation),
  });
  manager.addController({
    name: "gardener-cluster",
    concurrency: settings.concurrency,
    passTimeoutMs: settings.passTimeoutMs,
    watches: [
      { informer: clusters, predicate: specChanged },
      // A Secret that somebody deleted or emptied is written again; our own writes are seen and change nothing.
      { informer: secrets, map: ({ object }) => keysOf(object) },
    ],
    reconcile: (key, ctx) => reconciler.reconcile(key, ctx),
  });
}

function clusterNamesOf({ metadata }: KubeconfigSecret): readonly string[] {
  const name = metadata.labels?.[labels.clusterName];
  return name === undefined ? [] : [name];
}

function keysOf(secret: KubeconfigSecret): readonly ObjectKey[] {
  return clusterNamesOf(secret).map((name) => ({ namespace: secret.metadata.namespace ?? "", name }));
}
