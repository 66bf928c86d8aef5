import { deepEqual, equal, match, rejects } from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "@jest/globals";
import type { AnyObject } from "@kyma-operators/kube";
import { silentLogger } from "@kyma-operators/runtime";
import type { Watcher } from "../../../apis/operator/watcher.ts";
import { type LifecycleWorld, patiently, Refusals, startLifecycleWorld } from "../../../testing/index.ts";
import { addWatcherControllers } from "../controller.ts";
import { watcherObject, watcherSettings } from "../watcher-stage.ts";
import { gateways, virtualServices } from "./istio.ts";
import { WatcherReconciler } from "./watcher-reconciler.ts";

const api = "operator.kyma-project.io/v1beta2";

/** Istio's definition of a kind, without its schema. */
function definition(plural: string, kind: string): AnyObject {
  const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.networking.istio.io` },
    spec: {
      group: "networking.istio.io",
      scope: "Namespaced",
      names: { plural, singular: plural.slice(0, -1), kind, listKind: `${kind}List` },
      versions: [{ name: "v1", served: true, storage: true, schema }],
    },
  };
}

const gateway = (hosts: readonly string[]): AnyObject => ({
  apiVersion: "networking.istio.io/v1",
  kind: "Gateway",
  metadata: {
    name: "klm-watcher",
    namespace: "kcp-system",
    labels: { "operator.kyma-project.io/watcher-gateway": "default" },
  },
  spec: { servers: [{ hosts, port: { number: 443, name: "https", protocol: "HTTPS" } }] },
});

let world: LifecycleWorld;
let kcp: Refusals;

beforeEach(async () => {
  kcp = new Refusals();
  world = await startLifecycleWorld({ kcp });
  await world.kcp.apply(definition("gateways", "Gateway"), definition("virtualservices", "VirtualService"));
  await world.kcp.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name: "istio-system" } });
});
afterEach(async () => world.stop());

async function begin(): Promise<void> {
  addWatcherControllers(world.context, {
    settings: watcherSettings,
    address: { host: "events.example.org", port: 443 },
    istio: true,
    listener: { host: "127.0.0.1", port: 0 },
    random: () => 0,
  });
  world.start();
  await patiently(world.clock, async () => (await world.kcp.list("v1", "Secret")).length > 0);
}

interface Route {
  readonly metadata: { readonly name?: string };
  readonly spec: {
    readonly hosts: readonly string[];
    readonly http: readonly { readonly route: readonly { readonly destination: unknown }[] }[];
  };
}

const routes = async () => (await world.kcp.list("networking.istio.io/v1", "VirtualService")) as unknown as Route[];
const watchers = async () => (await world.kcp.list(api, "Watcher")) as unknown as Watcher[];

/** Lets time pass until there are so many routes. */
const untilRoutes = async (count: number): Promise<void> =>
  patiently(world.clock, async () => (await routes()).length === count);

describe("the routes of Watchers", () => {
  test("follow Watcher and Gateway, and come back when deleted (I108, I109, I110)", async () => {
    await world.kcp.apply(gateway(["events.example.org"]), watcherObject());
    await begin();
    await untilRoutes(1);
    deepEqual((await routes())[0]?.spec.hosts, ["events.example.org"]);

    await world.kcp.apply(watcherObject({ serviceInfo: { name: "other", namespace: "kcp-system", port: 9443 } }));
    const destination = { host: "other.kcp-system.svc.cluster.local", port: { number: 9443 } };
    await patiently(
      world.clock,
      async () => JSON.stringify((await routes())[0]?.spec.http[0]?.route) === JSON.stringify([{ destination }]),
    );

    await world.kcp.apply(gateway(["moved.example.org"]));
    await patiently(world.clock, async () => (await routes())[0]?.spec.hosts[0] === "moved.example.org");

    const key = { resource: virtualServices, namespace: "kcp-system", name: "klm-watcher" };
    await world.kcp.client.delete(key);
    await untilRoutes(1);
  });

  test("go with their Watcher, each alone (I111, I112)", async () => {
    const second = { ...watcherObject(), metadata: { name: "second", namespace: "kcp-system" } };
    await world.kcp.apply(gateway(["events.example.org"]), watcherObject(), second);
    await begin();
    await untilRoutes(2);
    const resource = await world.kcp.resource(api, "Watcher");
    await world.kcp.client.delete({ resource, namespace: "kcp-system", name: "second" });
    await patiently(world.clock, async () => (await watchers()).length === 1);
    deepEqual(
      (await routes()).map(({ metadata }) => metadata.name),
      ["klm-watcher"],
    );
    await world.kcp.client.delete({ resource, namespace: "kcp-system", name: "klm-watcher" });
    await patiently(world.clock, async () => (await watchers()).length === 0);
    equal((await routes()).length, 0);
  });

  test("WatcherGatewayNotFound: a Watcher without a gateway is an error and heals when one comes", async () => {
    await world.kcp.apply(watcherObject());
    await begin();
    await patiently(world.clock, async () => (await watchers())[0]?.status?.state === "Error");
    await patiently(world.clock, async () => (await world.kcp.list("events.k8s.io/v1", "Event")).length > 0);
    const [event] = (await world.kcp.list("events.k8s.io/v1", "Event")) as unknown as Record<string, string>[];
    deepEqual([event?.["reason"], event?.["action"]], ["WatcherGatewayNotFound", "WatcherGatewayNotFound"]);
    match(event?.["note"] ?? "", /klm-watcher/);
    await world.kcp.client.create(gateways, gateway(["events.example.org"]));
    await patiently(world.clock, async () => (await watchers())[0]?.status?.state === "Ready");
  });

  test("a Watcher without a spec says so, also where its status can't be written", async () => {
    const { apiVersion, kind, metadata } = watcherObject();
    const finalizers = ["operator.kyma-project.io/watcher"];
    await world.kcp.apply({ apiVersion, kind, metadata: { ...metadata, finalizers } });
    const [watcher] = await watchers();
    kcp.refused = /^PATCH .*\/watchers\/klm-watcher\/status/;
    world.start();
    const { client, events } = world.context;
    const reconciler = new WatcherReconciler({
      client,
      events,
      settings: watcherSettings,
      istio: true,
      watchers: { get: () => watcher, list: () => [], byIndex: () => [] },
    });
    const ctx = { now: 0, signal: new AbortController().signal, log: silentLogger };
    await world.clock.settle();
    await rejects(reconciler.reconcile({ namespace: "kcp-system", name: "klm-watcher" }, ctx), {
      code: "WATCHER_INVALID",
      message: "the Watcher has no spec",
    });
  });

  test("settled, another look writes nothing", async () => {
    await world.kcp.apply(gateway(["events.example.org"]), watcherObject());
    await begin();
    await patiently(world.clock, async () => (await watchers())[0]?.status?.state === "Ready");
    const before = world.kcp.writes().length;
    await world.clock.advance(10 * 60_000);
    equal(world.kcp.writes().length, before);
  });
});
