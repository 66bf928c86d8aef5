import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { type AnyObject, builtIn, createClient, systemClock, transportFrom } from "@kyma-operators/kube";
import { createClusterPool, createManager, type Manager } from "@kyma-operators/runtime";
import { makeKeyPair, startCluster, type TestCluster } from "../testing/index.ts";
import { type Measurement, median, type RunOptions, type Workload } from "./measurement.ts";

/** P6, P7 and P8: switching leaders, memory, and passes with nothing to do, on a sample controller. */
export const workload: Workload = {
  name: "runtime",
  run: async ({ smoke }: RunOptions): Promise<readonly Measurement[]> => [
    ...(await idlePasses(smoke ? 100 : 10_000)),
    await cachedObjects(smoke ? 100 : 20_000),
    await idleClusters(smoke ? 10 : 2_000),
    await leaderLeaves(smoke ? 1 : 10),
    ...(smoke ? [] : [await leaderDies()]),
  ],
};

const manifests = builtIn.configMaps;
const lease = { name: "bench", namespace: "default" };

/** About as large as a Manifest of the Kyma controller: labels, a spec, an inventory of four objects, conditions. */
function manifestLike(index: number): AnyObject {
  const inventory = ["apps/v1/Deployment", "v1/Service", "v1/ServiceAccount", "networking.k8s.io/v1/Ingress"].map(
    (kind) => ({ kind, namespace: "kyma-system", name: `module-${index}`, digest: "0123456789abcdef".repeat(4) }),
  );
  const conditions = ["Ready", "Applied", "Installation"].map((type) => ({
    type,
    status: "True",
    reason: "Done",
    message: "installation is ready and resources can be used",
    lastTransitionTime: "2026-01-05T08:00:00Z",
  }));
  const fields = { "f:data": { "f:spec": {}, "f:status": {} }, "f:metadata": { "f:labels": { "f:app": {} } } };
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: {
      name: `kyma-${index}-module`,
      namespace: "default",
      uid: `00000000-0000-4000-8000-${String(index).padStart(12, "0")}`,
      resourceVersion: String(1000 + index),
      creationTimestamp: "2026-01-05T08:00:00Z",
      labels: { app: "bench", "operator.kyma-project.io/kyma-name": `kyma-${index}` },
      managedFields: [{ manager: "lifecycle-manager", operation: "Apply", fieldsType: "FieldsV1", fieldsV1: fields }],
    },
    spec: { install: { source: { repo: "registry.example.com/modules", ref: `sha256:${"ab".repeat(32)}` } } },
    status: { state: "Ready", inventory, conditions },
  };
}

/** A server that answers one list of such objects and a watch on which nothing happens. */
function quietServer(count: number) {
  const encode = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));
  return transportFrom(async ({ path, signal }) => {
    if (path.includes("watch=true")) return { status: 200, headers: {}, body: silence(signal) };
    // Made page by page, so that the server's own copy does not count as memory of the store.
    const from = Number(/continue=(\d+)/.exec(path)?.[1] ?? 0);
    const items = Array.from({ length: Math.min(500, count - from) }, (_, index) => manifestLike(from + index));
    const next = from + 500 < count ? String(from + 500) : "";
    const page = encode({ metadata: { resourceVersion: "5", continue: next }, items });
    return { status: 200, headers: { "content-type": "application/json" }, body: once(page) };
  });
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

function silence(signal?: AbortSignal): AsyncIterable<Uint8Array> {
  const next = (): Promise<never> =>
    new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason), { once: true }));
  return { [Symbol.asyncIterator]: () => ({ next }) };
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await delay(1);
}

function managerOver(client: Parameters<typeof createManager>[0]["client"], identity = "bench"): Manager {
  return createManager({ client, clock: systemClock, identity, leases: [{ ...lease, enabled: false }] });
}

async function idlePasses(count: number): Promise<readonly Measurement[]> {
  const manager = managerOver(createClient({ transport: quietServer(count), clock: systemClock }));
  const { counts, wakeAll } = addIdleController(manager);
  const ending = new AbortController();
  const running = manager.run(ending.signal);
  await until(() => counts.passes >= count);
  const rates: number[] = [];
  for (let round = 0; round < 7; round += 1) {
    const goal = counts.passes + count;
    const started = performance.now();
    wakeAll();
    await until(() => counts.passes >= goal);
    rates.push(count / ((performance.now() - started) / 1000));
  }
  ending.abort(new Error("over"));
  await running;
  if (counts.wrong > 0) throw new Error(`${counts.wrong} passes saw no object`);
  const value = median(rates);
  const what = "passes with nothing to do";
  return [{ id: "P8", what, value, unit: "passes/s", target: "≥ 5,000/s", met: value >= 5000 }];
}

/** A controller that looks at its object and finds nothing to do. */
function addIdleController(manager: Manager) {
  const context = manager.context(lease.name);
  const informer = context.informer(manifests);
  const counts = { passes: 0, wrong: 0 };
  let wake: ((key: { namespace: string; name: string }) => void) | undefined;
  const subscribe = (waker: NonNullable<typeof wake>) => {
    wake = waker;
    return () => undefined;
  };
  context.addController({
    name: "idle",
    watches: [{ informer }],
    concurrency: 4,
    sources: [{ subscribe }],
    reconcile: async (key) => {
      const object = informer.store.get(key);
      if ((object?.["status"] as { state?: string } | undefined)?.state !== "Ready") counts.wrong += 1;
      counts.passes += 1;
      return { kind: "done" };
    },
  });
  const wakeAll = (): void => {
    for (const { metadata } of informer.store.list()) wake?.({ namespace: "default", name: metadata.name ?? "" });
  };
  return { counts, wakeAll };
}

const heapUsed = async (): Promise<number> => {
  for (let turn = 0; turn < 3; turn += 1) {
    globalThis.gc?.();
    await delay(20);
  }
  return process.memoryUsage().heapUsed;
};

async function cachedObjects(count: number): Promise<Measurement> {
  const manager = managerOver(createClient({ transport: quietServer(count), clock: systemClock }));
  const informer = manager.context(lease.name).informer(manifests, {
    indexes: { kyma: ({ metadata }) => [metadata.labels?.["operator.kyma-project.io/kyma-name"] ?? ""] },
  });
  const before = await heapUsed();
  const ending = new AbortController();
  const running = manager.run(ending.signal);
  while (!informer.synced) await delay(5);
  const value = ((await heapUsed()) - before) / informer.store.list().length / 1000;
  ending.abort(new Error("over"));
  await running;
  const sent = JSON.stringify(manifestLike(0)).length / 1000;
  const note = `of ${sent.toFixed(1)} kB JSON each, one index`;
  return { id: "P7", what: "memory per cached object", value, unit: "kB", target: "≤ 4 kB", met: value <= 4, note };
}

/** Clusters that were spoken to once over TLS and have been left alone until their connections closed. */
async function idleClusters(count: number): Promise<Measurement> {
  const pair = await makeKeyPair({ name: "localhost" });
  const server = createServer({ cert: pair.certificate, key: pair.key }, (_, response) => {
    response.setHeader("content-type", "application/json").end('{"metadata":{"name":"x"}}');
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const kubeconfig = kubeconfigFor(port, pair.certificate);
  const pool = createClusterPool({ clock: systemClock });
  await speakTo(0, 20, pool, kubeconfig);
  const before = await settledMemory(server);
  await speakTo(20, 20 + count, pool, kubeconfig);
  const value = ((await settledMemory(server)) - before) / count / 1000;
  await pool.close();
  server.close();
  return { id: "P7", what: "memory per idle remote cluster", value, unit: "kB", target: "≤ 20 kB", met: value <= 20 };
}

async function speakTo(from: number, to: number, pool: ReturnType<typeof createClusterPool>, kubeconfig: string) {
  for (let index = from; index < to; index += 1) {
    const ref = { resource: manifests, namespace: "a", name: "b" };
    await pool.get(`cluster-${index}`, { kubeconfig, version: "1" }).client.get(ref);
  }
}

/** Memory of heap and buffers once the last connection is closed. */
async function settledMemory(server: ReturnType<typeof createServer>): Promise<number> {
  server.closeIdleConnections();
  await delay(1500);
  const heap = await heapUsed();
  return heap + process.memoryUsage().external;
}

function kubeconfigFor(port: number, ca: string): string {
  const data = Buffer.from(ca).toString("base64");
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    "current-context": "c",
    contexts: [{ name: "c", context: { cluster: "c", user: "c" } }],
    clusters: [{ name: "c", cluster: { server: `https://127.0.0.1:${port}`, "certificate-authority-data": data } }],
    users: [{ name: "c", user: { token: "t" } }],
  });
}

interface Candidate {
  readonly stop: () => Promise<void>;
  /** Ends without giving the lease back. */
  readonly die: () => void;
}

function candidate(cluster: TestCluster, identity: string, acted: (identity: string) => void): Candidate {
  let dead = false;
  const transport = transportFrom((request) =>
    dead ? new Promise(() => undefined) : cluster.server.transport(request),
  );
  const client = createClient({ transport, clock: systemClock, userAgent: identity });
  const manager = createManager({ client, clock: systemClock, identity, leases: [lease] });
  manager.context(lease.name).addRunnable("act", async () => acted(identity));
  const ending = new AbortController();
  const running = manager.run(ending.signal);
  return {
    stop: () => (ending.abort(new Error("over")), running),
    die: () => (dead = true),
  };
}

async function leaderLeaves(times: number): Promise<Measurement> {
  const cluster = await startCluster({ clock: systemClock, workload: false });
  const acting = { identity: "" };
  const start = (identity: string) => candidate(cluster, identity, (who) => (acting.identity = who));
  let leader = start("r-0");
  await until(() => acting.identity === "r-0");
  const waits: number[] = [];
  for (let index = 1; index <= times; index += 1) {
    const next = start(`r-${index}`);
    await delay(300);
    const left = performance.now();
    await Promise.all([leader.stop(), until(() => acting.identity === `r-${index}`)]);
    waits.push(performance.now() - left);
    leader = next;
  }
  await leader.stop();
  await cluster.stop();
  const value = median(waits) / 1000;
  return { id: "P6", what: "leader leaves: next acts after", value, unit: "s", target: "≤ 1 s", met: value <= 1 };
}

async function leaderDies(): Promise<Measurement> {
  const cluster = await startCluster({ clock: systemClock, workload: false });
  const acting = { identity: "" };
  const start = (identity: string) => candidate(cluster, identity, (who) => (acting.identity = who));
  const leader = start("one");
  await until(() => acting.identity === "one");
  const next = start("two");
  await delay(3000);
  leader.die();
  const died = performance.now();
  await until(() => acting.identity === "two");
  const value = (performance.now() - died) / 1000;
  await next.stop();
  await cluster.stop();
  const target = "≤ lease (15 s) + 1 s";
  return { id: "P6", what: "leader is killed: next acts after", value, unit: "s", target, met: value <= 16 };
}
