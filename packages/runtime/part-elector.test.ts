import { deepEqual, equal, ok } from "node:assert/strict";
import { afterEach, describe, test } from "@jest/globals";
import { createClient } from "@kyma-operators/kube";
import {
  FakeClock,
  FaultTransport,
  runOnClock,
  SeededRandom,
  startCluster,
  type TestCluster,
} from "../../testing/index.ts";
import { createManager, type LeaseGroup } from "./manager.ts";

const group = {
  name: "group",
  namespace: "default",
  durationMs: 15_000,
  renewDeadlineMs: 10_000,
  retryPeriodMs: 2000,
};

const enders: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of enders.splice(0).toReversed()) await end();
});

async function world() {
  const clock = new FakeClock();
  const cluster: TestCluster = await startCluster({ clock, workload: false });
  enders.push(() => cluster.stop());
  const acting = new Set<string>();
  const start = (identity: string, options: Partial<LeaseGroup>) => {
    const transport = new FaultTransport((request) => cluster.server.transport(request), clock, {});
    const client = createClient({ transport, clock, userAgent: identity });
    const { next: random } = new SeededRandom(identity.length);
    const manager = createManager({ client, clock, identity, random, leases: [{ ...group, ...options }] });
    manager.context(group.name).addRunnable("act", async (signal) => {
      acting.add(identity);
      await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
      acting.delete(identity);
    });
    const stop = runOnClock(manager, clock);
    enders.push(stop);
    return { manager, transport, stop };
  };
  return { clock, acting: () => [...acting].toSorted(), start };
}

describe("a group in parts", () => {
  test("each part acts once, whatever the others do", async () => {
    const { clock, acting, start } = await world();
    const one = start("kyma-1", { part: "kyma" });
    await clock.advance(5000);
    start("kyma-2", { part: "kyma" });
    const manifest = start("manifest-1", { part: "manifest" });
    await clock.advance(20_000);
    deepEqual(acting(), ["kyma-1", "manifest-1"]);
    deepEqual(manifest.manager.held(), [group.name]);
    const left = clock.now();
    await one.stop();
    await clock.until(() => acting().includes("kyma-2"));
    ok(clock.now() - left <= 1000, `${clock.now() - left} ms`);
    deepEqual(acting(), ["kyma-2", "manifest-1"]);
  });

  test("no part acts beside a process that runs the whole group", async () => {
    const { clock, acting, start } = await world();
    const whole = start("whole", {});
    await clock.advance(5000);
    start("kyma-1", { part: "kyma" });
    start("manifest-1", { part: "manifest" });
    await clock.advance(60_000);
    deepEqual(acting(), ["whole"]);
    await whole.stop();
    await clock.advance(10_000);
    deepEqual(acting(), ["kyma-1", "manifest-1"]);
    const late = start("late", {});
    await clock.advance(60_000);
    deepEqual(acting(), ["kyma-1", "manifest-1"]);
    equal(late.manager.held().length, 0);
  });

  test("a part that is cut off stops before its successor begins", async () => {
    const { clock, acting, start } = await world();
    const one = start("kyma-1", { part: "kyma" });
    await clock.advance(5000);
    start("kyma-2", { part: "kyma" });
    await clock.advance(5000);
    one.transport.partitioned = true;
    const seen = new Set<string>();
    for (let second = 0; second < 40; second += 1) {
      await clock.advance(1000);
      seen.add(acting().join());
    }
    deepEqual([...seen], ["kyma-1", "", "kyma-2"]);
  });
});
