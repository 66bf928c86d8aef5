import { deepEqual, equal, ok } from "node:assert/strict";
import { afterEach, describe, test } from "@jest/globals";
import type { TransportRequest } from "@kyma-operators/kube";
import {
  type LifecycleWorld,
  patiently,
  Refusals,
  type RequestFault,
  startLifecycleWorld,
} from "../../testing/index.ts";
import { addWatcherControllers } from "./controller.ts";
import { watcherSettings as settings, watcherObject } from "./watcher-stage.ts";

const api = "operator.kyma-project.io/v1beta2";

/** Notes what states are written, and refuses the first that is to be refused. */
class Noted extends Refusals {
  states: unknown[] = [];

  override request(request: TransportRequest): RequestFault | undefined {
    const fault = super.request(request);
    if (!/\/watchers\/.*\/status/.test(request.path)) return fault;
    this.states.push(/"state":"(\w+)"/.exec(String(request.body))?.[1]);
    if (fault !== undefined) this.refused = undefined;
    return fault;
  }
}

const kcp = new Noted();
let world: LifecycleWorld;
afterEach(async () => {
  kcp.refused = undefined;
  kcp.states = [];
  await world.stop();
});

async function begin(): Promise<void> {
  world = await startLifecycleWorld({ kcp });
  await world.kcp.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name: "istio-system" } }, watcherObject());
  const address = { host: "127.0.0.1", port: 8082 };
  const listener = { host: "127.0.0.1", port: 0 };
  addWatcherControllers(world.context, { settings, address, istio: false, listener, random: () => 0 });
  world.start();
}

async function told(reason: string): Promise<void> {
  await patiently(world.clock, async () => {
    const events = await world.kcp.list("events.k8s.io/v1", "Event");
    const event = events.find((one) => one["reason"] === reason);
    if (event === undefined) return false;
    equal(event["action"], reason);
    equal((event["regarding"] as { kind: string }).kind, "Watcher");
    ok(String(event["note"]).length <= 100, String(event["note"]));
    return event["type"] === "Warning";
  });
  kcp.refused = undefined;
}

async function untilReady(): Promise<void> {
  await patiently(world.clock, async () => {
    const [watcher] = await world.kcp.list(api, "Watcher");
    return (watcher?.["status"] as { state?: string } | undefined)?.state === "Ready";
  });
}

describe("the events of a Watcher, by the reasons that people know", () => {
  test("AddFinalizerErr: the finalizer could not be added", async () => {
    kcp.refused = /^PATCH .*\/watchers\/klm-watcher(\?|$)/;
    await begin();
    await told("AddFinalizerErr");
    await untilReady();
  });

  test("WatcherStatusUpdate: the status could not be written", async () => {
    kcp.refused = /^PATCH .*\/watchers\/klm-watcher\/status/;
    await begin();
    await told("WatcherStatusUpdate");
    await untilReady();
  });

  test("a Watcher whose status could not be written is not shown as an Error", async () => {
    kcp.refused = /^PATCH .*\/watchers\/klm-watcher\/status/;
    await begin();
    await told("WatcherStatusUpdate");
    await untilReady();
    deepEqual(kcp.states, ["Ready", "Ready"]);
  });

  test("WatcherFinalizerErr: the Watcher could not be let go", async () => {
    await begin();
    await untilReady();
    kcp.refused = /^PATCH .*\/watchers\/klm-watcher(\?|$)/;
    const resource = await world.kcp.resource(api, "Watcher");
    await world.kcp.client.delete({ resource, namespace: "kcp-system", name: "klm-watcher" });
    await told("WatcherFinalizerErr");
    await patiently(world.clock, async () => (await world.kcp.list(api, "Watcher")).length === 0);
  });
});
