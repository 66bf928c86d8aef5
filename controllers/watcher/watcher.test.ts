import { deepEqual, equal, ok } from "node:assert/strict";
import { afterEach, describe, test } from "@jest/globals";
import type { AnyObject } from "@kyma-operators/kube";
import type { Kyma } from "../../apis/operator/kyma.ts";
import type { Watcher } from "../../apis/operator/watcher.ts";
import { kymaObject, type LifecycleWorld, startLifecycleWorld } from "../../testing/index.ts";
import { addWatcherControllers, type WatcherParts } from "./controller.ts";
import type { WatcherSettings } from "./options.ts";
import { parseBundle } from "./pem.ts";
import { type Secret, tlsOf } from "./tls-secret.ts";

const api = "operator.kyma-project.io/v1beta2";
const day = 86_400_000;
const settings: WatcherSettings = {
  namespace: "kcp-system",
  gateway: { name: "klm-watcher", namespace: "kcp-system" },
  portOverwrite: "",
  certificates: {
    management: "built-in",
    istioNamespace: "istio-system",
    syncNamespace: "kyma-system",
    durationMs: 60 * day,
    renewBeforeMs: 30 * day,
    keySize: 4096,
    additionalDnsNames: [],
    issuer: { name: "klm-watcher-selfsigned", namespace: "istio-system" },
  },
  agent: {
    image: "kyma-operators:1",
    args: ["--mode=skr-watcher"],
    cpuLimit: "0.1",
    memoryLimit: "200Mi",
    godebug: "",
  },
  rotation: { graceMs: 4 * day, expiryWindowMs: 14 * day },
  root: { durationMs: 90 * day, renewBeforeMs: 61 * day },
  renewBufferMs: day,
  requeueMs: { watcher: 60_000, gatewaySecret: 300_000 },
  backoff: { firstMs: 5_000, maxMs: 30_000 },
  concurrency: 1,
};

const watcherObject = (spec: object = {}): AnyObject => ({
  apiVersion: api,
  kind: "Watcher",
  metadata: { name: "klm-watcher", namespace: "kcp-system" },
  spec: {
    manager: "lifecycle-manager",
    serviceInfo: { name: "events", namespace: "kcp-system", port: 8082 },
    labelsToWatch: { "operator.kyma-project.io/watched-by": "kyma" },
    resourceToWatch: { group: "operator.kyma-project.io", version: "*", resource: "kymas" },
    field: "spec",
    gateway: { selector: { matchLabels: { "operator.kyma-project.io/watcher-gateway": "default" } } },
    ...spec,
  },
});

const kyma = kymaObject(
  "runtime-1",
  { channel: "regular" },
  { labels: { "kyma-project.io/runtime-id": "rt-1" }, annotations: { "skr-domain": "shoot.project.example.org" } },
);
const namespaces = ["istio-system"].map((name) => ({ apiVersion: "v1", kind: "Namespace", metadata: { name } }));

let world: LifecycleWorld;
let parts: WatcherParts;
afterEach(async () => world.stop());

async function begin(...objects: readonly AnyObject[]): Promise<void> {
  world = await startLifecycleWorld();
  await world.kcp.apply(...namespaces, kyma, ...objects);
  await world.skr.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name: "kyma-system" } });
  const listener = { host: "127.0.0.1", port: 0 };
  const address = { host: "127.0.0.1", port: 8082 };
  parts = addWatcherControllers(world.context, { settings, address, istio: false, listener, random: () => 0 });
  world.start();
  await world.clock.until(async () => (await secretNamed("klm-istio-gateway")) !== undefined);
}

async function secretNamed(name: string): Promise<Secret | undefined> {
  const found = await world.kcp.list("v1", "Secret");
  return found.find(({ metadata }) => metadata.name === name);
}

const bundleOf = (secret: Secret | undefined): number => parseBundle(tlsOf(secret)?.ca ?? "")?.length ?? 0;

async function sync(known?: Awaited<ReturnType<typeof parts.webhook.sync>>) {
  const pass = { now: world.clock.now(), signal: new AbortController().signal };
  const stored = (await world.kcp.list(api, "Kyma"))[0] as unknown as Kyma;
  return parts.webhook.sync(stored, { client: world.skr.clientFor("operator") }, known, pass);
}

/** Passes until the agent is as it should be, as the Kyma controller makes them. */
async function untilReady() {
  let view = await sync();
  await world.clock.until(async () => {
    view = await sync(view);
    return view.ready;
  });
  return view;
}

describe("the agent on a remote cluster", () => {
  test("is installed with a certificate of ours, and then left alone (E003, E163, I100, I104, I105, U127)", async () => {
    await begin(watcherObject());
    const view = await untilReady();
    const [configuration] = await world.skr.list("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration");
    const { webhooks = [] } = (configuration ?? {}) as { webhooks?: { clientConfig: { service: { path: string } } }[] };
    deepEqual(
      webhooks.map(({ clientConfig }) => clientConfig.service.path),
      ["/validate/lifecycle-manager"],
    );
    equal((await world.skr.list("networking.k8s.io/v1", "NetworkPolicy")).length, 4);
    const before = [world.skr.requests.length, world.kcp.writes().length];
    deepEqual(await sync(view), view);
    deepEqual([world.skr.requests.length, world.kcp.writes().length], before);
  });

  test("goes with everything around it (I103)", async () => {
    await begin(watcherObject());
    await untilReady();
    const { signal } = new AbortController();
    const remote = { client: world.skr.clientFor("operator") };
    equal(await parts.webhook.remove(remote, signal), true);
    equal(await parts.webhook.remove(remote, signal), false);
    deepEqual(await world.skr.list("apps/v1", "Deployment"), []);
    ok(await parts.webhook.hasCertificate("runtime-1", signal));
    await parts.webhook.deleteCertificate("runtime-1", signal);
    equal(await secretNamed("runtime-1-webhook-tls"), undefined);
  });

  test("a new Watcher wakes every Kyma", async () => {
    await begin();
    const woken: string[] = [];
    parts.agents.subscribe(({ name }) => woken.push(name));
    await world.kcp.apply(watcherObject());
    await world.clock.advance(10_000);
    deepEqual([...new Set(woken)], ["runtime-1"]);
  });
});

describe("rotating the CA", () => {
  test("the new CA is trusted before anything is issued by it, and the old one until its time is over", async () => {
    await begin(watcherObject());
    const first = await untilReady();
    const before = tlsOf(await secretNamed("runtime-1-webhook-tls"));
    world.clock.jump(30 * day);
    await world.clock.until(async () => bundleOf(await secretNamed("klm-istio-gateway")) === 2);
    equal(bundleOf(await secretNamed("klm-istio-gateway")), 2);
    const second = await sync(first);
    ok(second.digest !== first.digest, "the agent gets the new bundle and a certificate of the new CA");
    const after = tlsOf(await secretNamed("runtime-1-webhook-tls"));
    ok(before?.crt !== after?.crt);
  });
});

describe("a Watcher", () => {
  const watcherOf = async (): Promise<Watcher | undefined> =>
    (await world.kcp.list(api, "Watcher"))[0] as unknown as Watcher | undefined;

  test("is Ready with its finalizer, and goes when it is deleted (I107, I111)", async () => {
    await begin(watcherObject());
    await world.clock.until(async () => (await watcherOf())?.status?.state === "Ready");
    const watcher = await watcherOf();
    deepEqual(watcher?.metadata.finalizers, ["operator.kyma-project.io/watcher"]);
    deepEqual(
      [watcher?.status?.conditions?.[0]?.message, watcher?.status?.observedGeneration],
      ["VirtualService is configured", 1],
    );
    const resource = await world.kcp.resource(api, "Watcher");
    await world.kcp.client.delete({ resource, namespace: "kcp-system", name: "klm-watcher" });
    await world.clock.until(async () => (await watcherOf()) === undefined);
  });
});
