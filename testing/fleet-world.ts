import {
  type AnyObject,
  builtIn,
  type Clock,
  createClient,
  type KubeObject,
  transportFrom,
} from "@kyma-operators/kube";
import { createManager, type Informer, type ManagerContext } from "@kyma-operators/runtime";
import type { GardenerCluster, Runtime } from "../apis/infrastructure/index.ts";
import { gardenerClusterResource, runtimeResource } from "../apis/infrastructure/names.ts";
import { kymas, manifests } from "../apis/operator/group.ts";
import type { Kyma } from "../apis/operator/kyma.ts";
import type { Manifest } from "../apis/operator/manifest.ts";
import { names } from "../apis/operator/names.ts";
import { startCluster, type TestCluster } from "./cluster.ts";
import { ourCrds } from "./lifecycle-world.ts";

const namespace = names.controlPlaneNamespace;
const lease = "fleet";
const events = builtIn.coreEvents;

/** A control plane whose objects nobody reconciles, and informers on them. */
export interface FleetWorld {
  readonly cluster: TestCluster;
  readonly context: ManagerContext;
  readonly informers: {
    readonly kymas: Informer<Kyma>;
    readonly manifests: Informer<Manifest>;
    readonly runtimes: Informer<Runtime>;
    readonly gardenerClusters: Informer<GardenerCluster>;
  };
  /** Stores objects together with their status. */
  put(...objects: readonly AnyObject[]): Promise<void>;
  remove(object: KubeObject): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Starts the control plane and the informers.
 *
 * @param clock - of the control plane, which dates what is created by it.
 * @param watchClock - of the informers; the same unless given.
 */
export async function startFleetWorld(clock: Clock, watchClock: Clock = clock): Promise<FleetWorld> {
  const cluster = await startCluster({ clock });
  const crds = await ourCrds(/^(operator|infrastructuremanager)\./);
  await cluster.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } }, ...crds);
  const client = createClient({
    transport: transportFrom(cluster.server.transport),
    clock: watchClock,
    userAgent: "operator",
  });
  const leases = [{ name: lease, namespace, enabled: false }];
  const manager = createManager({ client, clock: watchClock, identity: "test", leases, freeze: true });
  const context = manager.context(lease);
  const informers = {
    kymas: context.informer<Kyma>(kymas, { namespace }),
    manifests: context.informer<Manifest>(manifests, { namespace }),
    runtimes: context.informer<Runtime>(runtimeResource, { namespace }),
    gardenerClusters: context.informer<GardenerCluster>(gardenerClusterResource, { namespace }),
  };
  const stop = new AbortController();
  const running = manager.run(stop.signal);
  return {
    cluster,
    context,
    informers,
    async put(...objects) {
      for (const object of objects) await putOne(cluster, object);
    },
    async remove({ apiVersion, kind, metadata }) {
      const resource = await cluster.resource(apiVersion, kind);
      await cluster.client.delete({ resource, namespace, name: metadata.name ?? "" });
    },
    async stop() {
      stop.abort(new Error("the test ends"));
      await running;
      await cluster.stop();
    },
  };
}

async function putOne(cluster: TestCluster, { status, ...object }: AnyObject): Promise<void> {
  if (object.kind === "Event") return void (await cluster.client.create(events, object));
  await cluster.apply(object);
  if (status === undefined) return;
  const resource = await cluster.resource(object.apiVersion, object.kind);
  const ref = { resource, namespace, name: object.metadata.name ?? "" };
  await cluster.client.mergePatch(ref, { status }, { subresource: "status" });
}
