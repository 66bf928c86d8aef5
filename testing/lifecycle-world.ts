import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { type AnyObject, type Client, createClient } from "@kyma-operators/kube";
import { createManager, type Manager } from "@kyma-operators/runtime";
import { parseYaml } from "@kyma-operators/yaml";
import { apiVersion } from "../apis/operator/group.ts";
import type { KymaSpec } from "../apis/operator/kyma.ts";
import { labels } from "../apis/operator/labels.ts";
import { names } from "../apis/operator/names.ts";
import type { ApiServerOptions } from "../apiserver/index.ts";
import { startCluster, type TestCluster } from "./cluster.ts";
import { FakeClock } from "./fake-clock.ts";
import { type FaultPlan, FaultTransport } from "./faults.ts";

const crdFolder = join(import.meta.dirname, "../crds");
const namespace = names.controlPlaneNamespace;
const lease = "test";

/** A control plane with our CRDs, remote clusters beside it, and a manager for the controllers under test. */
export interface LifecycleWorld {
  readonly clock: FakeClock;
  readonly kcp: TestCluster;
  readonly skr: TestCluster;
  readonly manager: Manager;
  /** What controllers are wired with. */
  readonly context: ReturnType<Manager["context"]>;
  /** Clients by the name that the access Secret carries as its kubeconfig. */
  readonly clusters: RemoteClientsStub;
  /** Makes the process under test die after so many more writes, those to remote clusters included. */
  crashAfter(writes: number): { spent(): boolean };
  /** Starts the manager, which runs until `stop`. */
  start(): void;
  /** Stops the manager, as a process that ends; the clusters stay. */
  halt(): Promise<void>;
  stop(): Promise<void>;
}

/** Clients of remote clusters as the pool of a process keeps them. */
export interface RemoteClientsStub {
  open(key: string, revision: string, kubeconfig: () => string): Client;
  evict(key: string): void;
}

/**
 * Starts the clusters of a world. Time stands still until the test moves the clock.
 *
 * @param remote - options of the remote cluster, for example its authorization mode.
 */
export async function startLifecycleWorld(
  faults: WorldFaults = {},
  remote: ApiServerOptions = {},
): Promise<LifecycleWorld> {
  const clock = new FakeClock();
  const kcp = await startCluster({ clock });
  const skr = await startCluster({ ...remote, clock });
  await kcp.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } }, ...(await ourCrds()));
  return worldOf(clock, kcp, skr, faults);
}

/** What goes wrong on the way to each cluster. */
export interface WorldFaults {
  readonly kcp?: FaultPlan;
  readonly skr?: FaultPlan;
}

function connect({ server }: TestCluster, clock: FakeClock, plan: FaultPlan | undefined): Client {
  const transport = new FaultTransport((request) => server.transport(request), clock, plan ?? {});
  return createClient({ transport, clock, userAgent: "operator" });
}

/** A second process on the same clusters: nothing is remembered but what they hold. */
export function restarted({ clock, kcp, skr }: LifecycleWorld): LifecycleWorld {
  return worldOf(clock, kcp, skr);
}

function worldOf(clock: FakeClock, kcp: TestCluster, skr: TestCluster, faults: WorldFaults = {}): LifecycleWorld {
  const life = new Life();
  const manager = createManager({
    client: life.boundTo(connect(kcp, clock, faults.kcp)),
    clock,
    identity: "test",
    leases: [{ name: lease, namespace, enabled: false }],
    freeze: true,
  });
  const stopped = new AbortController();
  let running: Promise<void> = Promise.resolve();
  const halt = async (): Promise<void> => {
    stopped.abort(new Error("the test stops its manager"));
    let ended = false;
    void running.finally(() => {
      ended = true;
    });
    await patiently(clock, () => ended);
  };
  return {
    clock,
    kcp,
    skr,
    manager,
    context: manager.context(lease),
    clusters: stubOf(new Map([["skr", () => life.boundTo(connect(skr, clock, faults.skr))]])),
    crashAfter: (writes) => {
      life.left = writes;
      return { spent: () => life.left <= 0 };
    },
    start: () => {
      running = manager.run(stopped.signal);
    },
    halt,
    stop: async () => {
      await halt();
      await Promise.all([kcp.stop(), skr.stop()]);
    },
  };
}

/**
 * Lets time pass until the condition holds, also where the work is done by threads of the process, such as making keys:
 * a clock that only follows its own timers would not wait for those.
 */
export async function patiently(clock: FakeClock, condition: () => boolean | Promise<boolean>): Promise<void> {
  const giveUpAt = performance.now() + 60_000;
  while (performance.now() < giveUpAt) {
    await clock.settle();
    if (await condition()) return;
    await setTimeout(1);
    await clock.advance(1_000);
  }
  throw new Error("the condition does not hold within a minute");
}

const writes: ReadonlySet<unknown> = new Set(["create", "update", "apply", "mergePatch", "jsonPatch", "delete"]);

/** The life of a process, counted in writes. The answer to the last write never arrives. */
export class Life {
  left = Number.POSITIVE_INFINITY;

  boundTo(client: Client): Client {
    return new Proxy(client, {
      get: (target, name) => {
        const method: unknown = Reflect.get(target, name);
        if (typeof method !== "function") return method;
        if (name === "watch") return (...args: unknown[]): unknown => Reflect.apply(method, target, args);
        return async (...args: unknown[]) => {
          if (this.left <= 0) throw new Error("the process is dead");
          const answer: unknown = await Reflect.apply(method, target, args);
          if (writes.has(name)) this.left -= 1;
          if (this.left <= 0) throw new Error("the process dies");
          return answer;
        };
      },
    });
  }
}

function stubOf(clusters: ReadonlyMap<string, () => Client>): RemoteClientsStub {
  const open = new Map<string, { readonly revision: string; readonly client: Client }>();
  return {
    open(key, revision, kubeconfig) {
      const known = open.get(key);
      if (known?.revision === revision) return known.client;
      const name = kubeconfig();
      const client = clusters.get(name)?.();
      if (client === undefined) throw new Error(`this world has no cluster ${name}`);
      open.set(key, { revision, client });
      return client;
    },
    evict: (key) => void open.delete(key),
  };
}

/** Our CRDs, of one group unless told otherwise. */
export async function ourCrds(group = /^operator\./): Promise<AnyObject[]> {
  const files = (await readdir(crdFolder)).filter((name) => group.test(name));
  return Promise.all(files.map(async (name) => parseYaml(await readFile(join(crdFolder, name), "utf8")) as AnyObject));
}

/** The Secret that leads to a cluster of the world. */
export function accessSecret(kyma: string, cluster = "skr"): AnyObject {
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: `kubeconfig-${kyma}`, namespace, labels: { [labels.kymaName]: kyma } },
    data: { [names.accessSecretKey]: Buffer.from(cluster).toString("base64") },
  };
}

export function kymaObject(name: string, spec: KymaSpec, metadata: Partial<AnyObject["metadata"]> = {}): AnyObject {
  return { apiVersion, kind: "Kyma", metadata: { name, namespace, ...metadata }, spec };
}

/** A ModuleReleaseMeta and the ModuleTemplates of all versions it names. */
export function moduleObjects(module: string, channels: Readonly<Record<string, string>>): AnyObject[] {
  const versions = new Set(Object.values(channels));
  return [
    ...[...versions].map((version) => templateObject(module, version)),
    {
      apiVersion,
      kind: "ModuleReleaseMeta",
      metadata: { name: module, namespace },
      spec: {
        moduleName: module,
        ocmComponentName: `example.org/module/${module}`,
        channels: Object.entries(channels).map(([channel, version]) => ({ channel, version })),
      },
    },
  ];
}

export function templateObject(module: string, version: string, spec: object = {}): AnyObject {
  return {
    apiVersion,
    kind: "ModuleTemplate",
    metadata: { name: `${module}-${version}`, namespace },
    spec: { moduleName: module, version, descriptor: {}, ...spec },
  };
}
