import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { type AnyObject, type Client, createClient, transportFrom } from "@kyma-operators/kube";
import { createManager, type Manager } from "@kyma-operators/runtime";
import { parseYaml } from "@kyma-operators/yaml";
import { controlPlaneNamespace } from "../apis/infrastructure/index.ts";
import type { RequestRecord } from "../apiserver/index.ts";
import { type Gardener, startGardener, type Timings } from "../local/gardener/index.ts";
import { certifiedClient } from "./certified-client.ts";
import { startCluster, type TestCluster } from "./cluster.ts";
import { FakeClock } from "./fake-clock.ts";
import { Life } from "./lifecycle-world.ts";

const crdFolder = join(import.meta.dirname, "../crds");
const lease = "test";
const operator = "operator";

/** A control plane with our CRDs, a simulated Gardener, and a manager for the controllers under test. */
export interface InfrastructureWorld {
  readonly clock: FakeClock;
  readonly kcp: TestCluster;
  readonly gardener: Gardener;
  /** The garden as a test looks at it; its requests are not recorded. */
  readonly garden: Client;
  /** The garden as the operator uses it. */
  readonly operatorGarden: Client;
  /** Requests of the operator to the garden, in order. */
  readonly gardenRequests: readonly RequestRecord[];
  /** Requests of the operator to runtime clusters, in order. */
  readonly clusterRequests: readonly RequestRecord[];
  readonly manager: Manager;
  /** What controllers are wired with. */
  readonly context: ReturnType<Manager["context"]>;
  /** Opens clients of runtime clusters by the kubeconfigs that Gardener gave. */
  readonly remote: {
    open(key: string, revision: string, kubeconfig: () => string): Promise<Client>;
    evict(key: string): void;
  };
  /** The process dies with the answer to its n-th write from now. */
  crashAfter(writes: number): { readonly spent: () => boolean };
  /** A Shoot's cluster as a test looks at it. */
  shootClient(name: string): Promise<Client>;
  /** Moves time until the condition holds, but never while something runs that takes real time. */
  until(condition: () => boolean | Promise<boolean>, withinMs?: number): Promise<void>;
  start(): void;
  /** Stops the manager, as a process that ends; the clusters stay. */
  halt(): Promise<void>;
  stop(): Promise<void>;
}

interface Places {
  readonly clock: FakeClock;
  readonly kcp: TestCluster;
  readonly gardener: Gardener;
  readonly gardenRequests: RequestRecord[];
  readonly clusterRequests: RequestRecord[];
  readonly warp?: InfrastructureWorldOptions["warp"];
}

export interface InfrastructureWorldOptions {
  readonly timings?: Partial<Timings>;
  /** What lies between the operator and the API servers, for example a network that is late. */
  readonly warp?: (client: Client, clock: FakeClock) => Client;
}

/** Starts the clusters of a world. Time stands still until the test moves the clock. */
export async function startInfrastructureWorld(options: InfrastructureWorldOptions = {}): Promise<InfrastructureWorld> {
  const clock = new FakeClock();
  const gardenRequests: RequestRecord[] = [];
  const clusterRequests: RequestRecord[] = [];
  const record = (list: RequestRecord[]) => (request: RequestRecord) => {
    if (request.userAgent === operator) list.push(request);
  };
  const kcp = await startCluster({ clock });
  const gardener = await startGardener({
    clock,
    ...(options.timings === undefined ? {} : { timings: options.timings }),
    server: { listen: false, onRequest: record(gardenRequests) },
    shootServer: () => ({ listen: false, workload: false, onRequest: record(clusterRequests) }),
  });
  const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: controlPlaneNamespace } };
  await kcp.apply(namespace, ...(await ourCrds()));
  const { warp } = options;
  return worldOf({ clock, kcp, gardener, gardenRequests, clusterRequests, ...(warp === undefined ? {} : { warp }) });
}

/** A second process on the same clusters: nothing is remembered but what they hold. */
export function restartedInfrastructure(world: InfrastructureWorld): InfrastructureWorld {
  return worldOf(world as InfrastructureWorld & Places);
}

function worldOf(places: Places): InfrastructureWorld {
  const { clock, kcp, gardener, warp = (client) => client } = places;
  const life = new Life();
  const manager = createManager({
    client: warp(life.boundTo(kcp.clientFor(operator)), clock),
    clock,
    identity: "test",
    leases: [{ name: lease, namespace: controlPlaneNamespace, enabled: false }],
    freeze: true,
  });
  const stopped = new AbortController();
  let running: Promise<void> = Promise.resolve();
  const clientOf = (server: Gardener["server"], userAgent: string): Client =>
    createClient({ transport: transportFrom(server.transport), clock, userAgent });
  const shootServer = async (name: string) => {
    const server = await gardener.shootCluster(gardener.namespace, name);
    if (server === undefined) throw new Error(`Shoot ${name} has no cluster`);
    return server;
  };
  const until = (condition: () => boolean | Promise<boolean>, withinMs?: number): Promise<void> =>
    clock.until(async () => {
      do {
        await gardener.settled();
        await clock.settle();
      } while (gardener.isWorking());
      return condition();
    }, withinMs);
  const halt = async (): Promise<void> => {
    stopped.abort(new Error("the test stops its manager"));
    let ended = false;
    void running.finally(() => {
      ended = true;
    });
    await until(() => ended);
  };
  return {
    ...places,
    garden: clientOf(gardener.server, "test"),
    operatorGarden: warp(life.boundTo(clientOf(gardener.server, operator)), clock),
    manager,
    context: manager.context(lease),
    remote: {
      open: async (_key, _revision, kubeconfig) => {
        const text = kubeconfig();
        const [, name = ""] = /current-context: \S+?--(\S+)-external/.exec(text) ?? [];
        return life.boundTo(certifiedClient(await shootServer(name), text, { clock, userAgent: operator }));
      },
      evict: () => undefined,
    },
    crashAfter: (writes) => {
      life.left = writes;
      return { spent: () => life.left <= 0 };
    },
    shootClient: async (name) => clientOf(await shootServer(name), "test"),
    until,
    start: () => {
      running = manager.run(stopped.signal);
    },
    halt,
    stop: async () => {
      await halt();
      await Promise.all([kcp.stop(), gardener.stop()]);
    },
  };
}

async function ourCrds(): Promise<AnyObject[]> {
  const files = (await readdir(crdFolder)).filter((name) => /^(infrastructuremanager|core)\./.test(name));
  return Promise.all(files.map(async (name) => parseYaml(await readFile(join(crdFolder, name), "utf8")) as AnyObject));
}
