import { setTimeout as delay } from "node:timers/promises";
import type { AnyObject, Client } from "@kyma-operators/kube";
import { createManager } from "@kyma-operators/runtime";
import { addKymaController, type KymaControllerOptions } from "../controllers/kyma/index.ts";
import type { Descriptor } from "../modules/descriptor.ts";
import { defaultIntervals } from "../modules/requeue.ts";
import {
  accessSecret,
  FakeClock,
  kymaObject,
  moduleObjects,
  ourCrds,
  startCluster,
  type TestCluster,
} from "../testing/index.ts";
import { type Measurement, median, type RunOptions, type Workload } from "./measurement.ts";

const api = "operator.kyma-project.io/v1beta2";
const namespace = "kcp-system";
const modules = ["one", "two", "three", "four", "five"];
const halfHourMs = 1_800_000;
/** Many passes, so that there is something to measure. */
const intervals = { ...defaultIntervals, successMs: 10_000 };

/** Processor time of this process: other work on the machine does not count. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/** P1, P4: Kymas with five modules and a cluster each, the Kyma controller alone. */
export const kymas: Workload = {
  name: "kymas",
  run: async ({ smoke }: RunOptions): Promise<readonly Measurement[]> => {
    const small = await measure(smoke ? 2 : 25);
    const large = await measure(smoke ? 4 : 100);
    const perKyma = (figures: Figures): number => figures.readyMs / figures.count;
    const slope = Math.log(large.readyMs / small.readyMs) / Math.log(large.count / small.count);
    return [
      {
        id: "P1",
        what: `${large.count} Kymas × 5 modules to Ready, Kyma controller`,
        value: perKyma(large),
        unit: "CPU ms per Kyma",
        target: "slope ≤ 1.05",
        met: smoke || slope <= 1.05,
        note: `slope ${slope.toFixed(2)}`,
      },
      {
        id: "P1",
        what: `writes in half an hour without change`,
        value: large.idleWrites,
        unit: "writes",
        target: "0",
        met: large.idleWrites === 0,
      },
      {
        id: "P1",
        what: "requests to a remote cluster in that time",
        value: large.idleRemote / large.count,
        unit: "requests per Kyma",
        target: "≤ 1 per hour",
        met: large.idleRemote / large.count <= 8,
      },
      {
        id: "P1",
        what: "passes without anything to do",
        value: large.passesPerSecond,
        unit: "passes per CPU second",
        target: "≥ 5,000 passes/s",
        ...(smoke ? {} : { met: large.passesPerSecond >= 5_000 }),
      },
      {
        id: "P4",
        what: `a new version of a module to its Manifest, ${large.count} Kymas resident`,
        value: large.changeMs,
        unit: "ms",
        target: "≤ 2 s",
        met: large.changeMs <= 2_000,
      },
    ];
  },
};

interface Figures {
  readonly count: number;
  readonly readyMs: number;
  readonly idleWrites: number;
  readonly idleRemote: number;
  readonly passesPerSecond: number;
  readonly changeMs: number;
}

async function measure(count: number): Promise<Figures> {
  const fleet = await startFleet(count);
  const started = cpuMs();
  fleet.start();
  await fleet.untilReady();
  const readyMs = cpuMs() - started;
  await fleet.clock.advance(3 * halfHourMs);
  const before = fleet.traffic();
  const idleStart = cpuMs();
  await fleet.clock.advance(halfHourMs);
  const idleSeconds = (cpuMs() - idleStart) / 1_000;
  const after = fleet.traffic();
  const passes = (count * halfHourMs) / intervals.successMs;
  const changes: number[] = [];
  for (let version = 1; version <= 5; version += 1) changes.push(await fleet.change(version));
  await fleet.stop();
  return {
    count,
    readyMs,
    idleWrites: after.writes - before.writes,
    idleRemote: after.remote - before.remote,
    passesPerSecond: passes / idleSeconds,
    changeMs: median(changes),
  };
}

const descriptor = (name: string, version: string): Descriptor => ({
  name,
  version,
  repositoryContexts: [{ type: "OCIRegistry" }],
  resources: [
    { name: "raw-manifest", type: "yaml", access: { type: "localBlob", localReference: `sha256:${version}` } },
  ],
});

const channelOf = (version: number): string => `channel${"abcdefg".charAt(version)}`;

/** The watcher has told that everything is in order, so that nothing has to be polled. */
const agentsInOrder: NonNullable<KymaControllerOptions["webhook"]> = {
  sync: async () => ({ ready: true, digest: "1" }),
  hasCertificate: async () => false,
  deleteCertificate: async () => undefined,
  remove: async () => false,
};

const nameOf = (index: number): string => `runtime-${index}`;

/** Many Kymas, each with a cluster of its own, and a clock that stands still. */
async function startFleet(count: number) {
  const clock = new FakeClock();
  const kcp = await startCluster({ clock });
  const remotes = new Map<string, TestCluster>();
  await kcp.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } }, ...(await ourCrds()));
  const versions = Object.fromEntries(Array.from({ length: 7 }, (_, index) => [channelOf(index), `1.${index}.0`]));
  for (const module of modules) await kcp.apply(...moduleObjects(module, { regular: "1.0.0", ...versions }));
  for (let index = 0; index < count; index += 1) {
    const name = nameOf(index);
    remotes.set(name, await startCluster({ clock, workload: false }));
    const domain = { "skr-domain": `${name}.project.example.org` };
    const wanted = { channel: "regular", modules: modules.map((module) => ({ name: module })) };
    await kcp.apply(accessSecret(name, name), kymaObject(name, wanted, { annotations: domain }));
  }
  const lease = { name: "bench", namespace, enabled: false };
  const manager = createManager({ client: kcp.clientFor("operator"), clock, identity: "bench", leases: [lease] });
  const clients = new Map<string, Client>();
  const controller = addKymaController(manager.context(lease.name), {
    settings: {
      namespace,
      syncNamespace: "kyma-system",
      registry: "registry.example.org",
      restrictedModules: [],
      windows: { minWindowMs: 0 },
      intervals,
      rolloutMaxDelayMs: 0,
      remoteResyncMs: 3_600_000,
      concurrency: 32,
      backoff: { firstMs: 5_000, maxMs: 30_000 },
    },
    clusters: {
      open: (key, _revision, kubeconfig) => {
        const client = clients.get(key) ?? remotes.get(kubeconfig())?.clientFor("operator");
        if (client === undefined) throw new Error(`no cluster for ${key}`);
        clients.set(key, client);
        return client;
      },
      evict: () => undefined,
    },
    descriptors: { get: async ({ component, version }) => descriptor(component, version) },
    webhook: agentsInOrder,
    random: () => 0.5,
  });
  const stopped = new AbortController();
  let running = Promise.resolve();
  const list = async (kind: string): Promise<readonly AnyObject[]> => kcp.list(api, kind);
  return {
    clock,
    start: () => {
      running = manager.run(stopped.signal);
    },
    untilReady: async () => untilReady(kcp, clock, count),
    traffic: () => ({
      writes: kcp.writes().length + [...remotes.values()].reduce((sum, remote) => sum + remote.writes().length, 0),
      remote: [...remotes.values()].reduce((sum, remote) => sum + remote.requests.length, 0),
    }),
    /** A user moves one module to another channel; how long until its Manifest follows. */
    change: async (version: number): Promise<number> => {
      const remote = remotes.get(nameOf(0));
      if (remote === undefined) throw new Error("there is no such Kyma");
      const resource = await remote.resource(api, "Kyma");
      const chosen = modules.map((module) => ({
        name: module,
        ...(module === "one" ? { channel: channelOf(version) } : {}),
      }));
      const begun = performance.now();
      const ref = { resource, namespace: "kyma-system", name: "default" };
      await remote.client.mergePatch(ref, { spec: { modules: chosen } });
      controller.remoteChanged({ namespace, name: nameOf(0) });
      const isNew = async (): Promise<boolean> =>
        (await list("Manifest")).some(({ spec }) => (spec as { version?: string }).version === `1.${version}.0`);
      while (!(await isNew())) await clock.advance(1);
      return performance.now() - begun;
    },
    stop: async () => {
      stopped.abort(new Error("the benchmark is over"));
      let ended = false;
      void running.finally(() => (ended = true));
      await clock.until(() => ended);
      await Promise.all([kcp, ...remotes.values()].map(async (cluster) => cluster.stop()));
    },
  };
}

/** Plays the Manifest controller until every Kyma is Ready. */
async function untilReady(kcp: TestCluster, clock: FakeClock, count: number): Promise<void> {
  const resource = await kcp.resource(api, "Manifest");
  const stateOf = ({ status }: AnyObject): string | undefined => (status as { state?: string } | undefined)?.state;
  for (;;) {
    for (const manifest of await kcp.list(api, "Manifest")) {
      if (stateOf(manifest) === "Ready") continue;
      const { name = "" } = manifest.metadata;
      const status = { state: "Ready", lastOperation: { operation: "resources are ready" } };
      await kcp.client.mergePatch({ resource, namespace, name }, { status }, { subresource: "status" });
    }
    const ready = (await kcp.list(api, "Kyma")).filter((kyma) => stateOf(kyma) === "Ready").length;
    if (ready === count) return;
    await clock.advance(1_000);
    await delay(0);
  }
}
