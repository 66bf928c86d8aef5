import { deepEqual, ok } from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, describe, test } from "@jest/globals";
import { type Client, systemClock } from "@kyma-operators/kube";
import { createManager, createMetrics, silentLogger } from "@kyma-operators/runtime";
import type { Kyma } from "../apis/operator/kyma.ts";
import { addKymaController } from "../controllers/kyma/index.ts";
import { anyDescriptor, kymaSettings } from "../controllers/kyma/kyma-stage.ts";
import { addWatcherControllers, createAgent } from "../controllers/watcher/index.ts";
import { watcherObject, watcherSettings } from "../controllers/watcher/watcher-stage.ts";
import { defaultIntervals } from "../modules/requeue.ts";
import { accessSecret, kymaObject, moduleObjects, ourCrds, startCluster, type TestCluster } from "../testing/index.ts";

const api = "operator.kyma-project.io/v1beta2";
const hourMs = 3_600_000;
const agentService = { port: 0 };
const stopped = new AbortController();
let kcp: TestCluster;
let skr: TestCluster;
let running: Promise<void>;
const closers: (() => Promise<unknown>)[] = [];

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

/** Waits in real time. */
async function until<T>(what: string, find: () => Promise<T | undefined>): Promise<T> {
  const end = performance.now() + 60_000;
  while (performance.now() < end) {
    const found = await find();
    if (found !== undefined) return found;
    await setTimeout(10);
  }
  throw new Error(`${what}: not within a minute`);
}

beforeAll(async () => {
  kcp = await startCluster({ clock: systemClock });
  skr = await startCluster({
    clock: systemClock,
    resolveService: ({ name }) => (name === "skr-webhook" ? `https://127.0.0.1:${agentService.port}` : undefined),
  });
  const namespaces = ["kcp-system", "istio-system"].map((name) => ({
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name },
  }));
  const kyma = kymaObject(
    "runtime-1",
    { channel: "regular" },
    { labels: { "kyma-project.io/runtime-id": "rt-1" }, annotations: { "skr-domain": "s.p.example.org" } },
  );
  await kcp.apply(...namespaces, ...(await ourCrds()), watcherObject());
  await kcp.apply(accessSecret("runtime-1"), ...moduleObjects("alpha", { regular: "1.0.0" }), kyma);
  await startOperator();
  await startAgent();
}, 120_000);

afterAll(async () => {
  stopped.abort(new Error("the test is over"));
  await running;
  for (const close of closers) await close();
  await Promise.all([kcp.stop(), skr.stop()]);
});

/** The Kyma controller polls once an hour, so that whatever comes sooner comes from the watcher. */
async function startOperator(): Promise<void> {
  const manager = createManager({
    client: kcp.clientFor("operator"),
    clock: systemClock,
    identity: "test",
    leases: [{ name: "test", namespace: "kcp-system", enabled: false }],
  });
  const context = manager.context("test");
  const port = await freePort();
  const watcher = addWatcherControllers(context, {
    settings: watcherSettings,
    address: { host: "127.0.0.1", port },
    istio: false,
    listener: { host: "127.0.0.1", port },
    random: () => 0,
  });
  const remote: Client = skr.clientFor("operator");
  const { busyMs, errorMs } = defaultIntervals;
  addKymaController(context, {
    settings: {
      ...kymaSettings,
      intervals: { successMs: hourMs, warningMs: hourMs, busyMs, errorMs },
      backoff: { firstMs: 500, maxMs: 5_000 },
    },
    clusters: { open: () => remote, evict: () => undefined },
    descriptors: anyDescriptor,
    webhook: watcher.webhook,
    remoteEvents: watcher.events,
    agentEvents: watcher.agents,
    random: () => 0,
  });
  running = manager.run(stopped.signal);
}

/** Runs the agent with what is mounted into its Pod. */
async function startAgent(): Promise<void> {
  const secret = await until("the agent's Secret", async () => {
    const found = await skr.list("v1", "Secret");
    return found.find(({ metadata }) => metadata.name === "skr-webhook-tls") as
      | { data: Record<string, string> }
      | undefined;
  });
  const deployment = await until("the agent's Deployment", async () => {
    const found = await skr.list("apps/v1", "Deployment");
    return found[0] as
      | { spec: { template: { spec: { containers: { env: { name: string; value: string }[] }[] } } } }
      | undefined;
  });
  const [container] = deployment.spec.template.spec.containers;
  const kcpAddress = container?.env.find(({ name }) => name === "KCP_ADDR")?.value ?? "";
  const text = (key: string): string => Buffer.from(secret.data[key] ?? "", "base64").toString();
  const agent = createAgent({
    kcpAddress,
    tls: { crt: text("tls.crt"), key: text("tls.key"), ca: text("ca.crt") },
    clock: systemClock,
    log: silentLogger,
    metrics: createMetrics(),
  });
  agent.server.listen(0, "127.0.0.1");
  await once(agent.server, "listening");
  agentService.port = (agent.server.address() as AddressInfo).port;
  closers.push(() => agent.close());
}

const remoteKyma = async (): Promise<Kyma | undefined> =>
  (await skr.list(api, "Kyma").catch(() => []))[0] as Kyma | undefined;

async function choose(modules: readonly object[]): Promise<void> {
  const resource = await skr.resource(api, "Kyma");
  await skr.client.mergePatch({ resource, namespace: "kyma-system", name: "default" }, { spec: { modules } });
}

/** How long it takes until there are so many Manifests. */
async function timeUntilManifests(count: number): Promise<number> {
  const begun = performance.now();
  await until(`${count} Manifests`, async () =>
    (await kcp.list(api, "Manifest")).length === count ? count : undefined,
  );
  return performance.now() - begun;
}

describe("the way of a change: remote API server, agent, listener, Kyma controller", () => {
  test("a user's choice reaches the control plane within a second (E166, E190, E192)", async () => {
    await until("a Ready Kyma on both clusters", async () =>
      (await remoteKyma())?.status?.state === "Ready" ? true : undefined,
    );
    const times: number[] = [];
    for (let round = 0; round < 5; round += 1) {
      await choose([{ name: "alpha" }]);
      times.push(await timeUntilManifests(1));
      await choose([]);
      times.push(await timeUntilManifests(0));
    }
    const median = times.toSorted((a, b) => a - b)[times.length / 2] ?? 0;
    ok(median < 1000, `median of ${times.map(Math.round).join(", ")} ms`);
    deepEqual((await remoteKyma())?.spec.modules, []);
  }, 120_000);
});

test("everything of ours on a remote cluster says so (E160)", async () => {
  const kinds = [
    ["v1", "Namespace", "kyma-system"],
    ["apiextensions.k8s.io/v1", "CustomResourceDefinition"],
    [api, "Kyma"],
    ["apps/v1", "Deployment"],
    ["v1", "Service", "skr-webhook"],
    ["v1", "Secret", "skr-webhook-tls"],
    ["networking.k8s.io/v1", "NetworkPolicy"],
    ["admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration"],
  ] as const;
  for (const [apiVersion, kind, only] of kinds) {
    const found = (await skr.list(apiVersion, kind)).filter(
      ({ metadata }) => metadata.name === (only ?? metadata.name),
    );
    ok(found.length > 0, kind);
    for (const { metadata } of found) {
      deepEqual(metadata.labels?.["operator.kyma-project.io/managed-by"], "kyma", `${kind} ${metadata.name}`);
    }
  }
  deepEqual((await remoteKyma())?.metadata.labels?.["operator.kyma-project.io/watched-by"], "kyma");
  const namespaces = await skr.list("v1", "Namespace");
  const { labels } = namespaces.find(({ metadata }) => metadata.name === "kyma-system")?.metadata ?? {};
  deepEqual(
    [labels?.["istio-injection"], labels?.["namespaces.warden.kyma-project.io/validate"]],
    ["enabled", "enabled"],
  );
});
