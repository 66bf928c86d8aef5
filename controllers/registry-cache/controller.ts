import { projectNamespace, type Shoot, shootResource } from "@kyma-operators/gardener";
import { type AnyObject, builtIn, type Client } from "@kyma-operators/kube";
import type { ManagerContext } from "@kyma-operators/runtime";
import { infrastructureManager, labels, type Runtime, runtimeResource } from "../../apis/infrastructure/index.ts";
import { byRuntimeId, type KubeconfigSecret, RegistryCacheReconciler, type RemoteClients } from "./reconciler.ts";

const secretResource = builtIn.secrets;

export interface RegistryCacheControllerOptions {
  readonly remote: RemoteClients;
  /** The API server of Gardener. */
  readonly gardener: Client;
  readonly projectName: string;
  /** Namespace of Runtimes and kubeconfig Secrets. Default `kcp-system`. */
  readonly namespace?: string;
  /** Clusters in work at once. Default 25. */
  readonly concurrency?: number;
  /** Time between two looks at a cluster, in milliseconds. Default one minute. */
  readonly intervalMs?: number;
}

/** Wires the controller that looks for registry caches on runtime clusters. */
export function addRegistryCacheController(manager: ManagerContext, options: RegistryCacheControllerOptions): void {
  const { gardener, namespace = "kcp-system", concurrency = 25, intervalMs = 60_000 } = options;
  const runtimes = manager.informer<Runtime>(runtimeResource, {
    namespace,
    indexes: { [byRuntimeId]: ({ metadata }) => [metadata.labels?.[labels.runtimeId] ?? ""] },
  });
  const labelSelector = `${labels.managedBy}=${infrastructureManager}`;
  const secrets = manager.informer<KubeconfigSecret>(secretResource, { namespace, labelSelector });
  const project = projectNamespace(options.projectName);
  const shoots = manager.informer<Shoot & AnyObject>(shootResource, { client: gardener, namespace: project });
  const reconciler = new RegistryCacheReconciler({
    client: manager.client,
    runtimes,
    secrets,
    shoots,
    project,
    remote: options.remote,
    intervalMs,
  });
  manager.addController({
    name: "registry-cache",
    concurrency,
    watches: [{ informer: secrets }],
    reconcile: (key, ctx) => reconciler.reconcile(key, ctx),
  });
}
