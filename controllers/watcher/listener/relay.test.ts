import { deepEqual } from "node:assert/strict";
import { afterEach, test } from "@jest/globals";
import type { ObjectKey } from "@kyma-operators/kube";
import { silentLogger } from "@kyma-operators/runtime";
import { annotations } from "../../../apis/operator/annotations.ts";
import { kymas } from "../../../apis/operator/group.ts";
import type { Kyma } from "../../../apis/operator/kyma.ts";
import { labels } from "../../../apis/operator/labels.ts";
import { kymaObject, type LifecycleWorld, restarted, startLifecycleWorld } from "../../../testing/index.ts";
import { byRuntime, type Relay, RemoteEvents } from "./runnable.ts";

let world: LifecycleWorld;
let second: LifecycleWorld;
afterEach(async () => {
  await second.halt();
  await world.stop();
});

/** The events of one replica, and the Kymas it was woken for. */
function replica(of: LifecycleWorld) {
  const { context, kcp, clock } = of;
  const informer = context.informer<Kyma>(kymas, {
    namespace: "kcp-system",
    indexes: { [byRuntime]: ({ metadata }) => [metadata.labels?.[labels.runtimeId] ?? ""] },
  });
  const relay: Relay = async ({ namespace, name }) => {
    const mark = { [annotations.remoteChangedAt]: String(clock.now()) };
    await kcp.client.mergePatch({ resource: kymas, namespace, name }, { metadata: { annotations: mark } });
  };
  const events = new RemoteEvents(informer, silentLogger, relay);
  const woken: ObjectKey[] = [];
  events.subscribe((key) => void woken.push(key));
  of.start();
  return { events, woken };
}

test("an event that reaches one replica wakes the Kyma in all of them", async () => {
  world = await startLifecycleWorld();
  await world.kcp.apply(
    kymaObject("one", { channel: "regular" }, { labels: { [labels.runtimeId]: "rt-1" } }),
    kymaObject("two", { channel: "regular" }, { labels: { [labels.runtimeId]: "rt-2" } }),
  );
  second = restarted(world);
  const [a, b] = [replica(world), replica(second)];
  await world.clock.advance(1_000);
  a.events.received("rt-1");
  await world.clock.until(() => b.woken.length > 0);
  const key = { namespace: "kcp-system", name: "one" };
  deepEqual([a.woken, b.woken], [[key], [key]]);
  await world.clock.advance(1_000);
  b.events.received("rt-1");
  await world.clock.until(() => a.woken.length > 1);
  deepEqual(b.woken, [key, key]);
});
