import { deepEqual, equal, match, ok } from "node:assert/strict";
import { afterEach, describe, test } from "@jest/globals";
import { createClient } from "@kyma-operators/kube";
import {
  FakeClock,
  FaultTransport,
  isWrite,
  type RequestFault,
  startCluster,
  type TestCluster,
} from "../../testing/index.ts";
import { aborted } from "./aborted.ts";
import { LeaseElector, type LeaseTimes } from "./lease-elector.ts";
import { holderOf, type Lease, leases } from "./lease-record.ts";
import { silentLogger } from "./logger.ts";

const name = "test.kyma-project.io";
const namespace = "default";
const path = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases/${name}`;

const enders: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of enders.splice(0).toReversed()) await end();
});

/** A server, and candidates whose requests and leads a test can see and disturb. */
async function setUp() {
  const clock = new FakeClock();
  const cluster = await startCluster({ clock, workload: false });
  enders.push(() => cluster.stop());
  const led: string[] = [];
  const warnings: string[] = [];
  const log = { ...silentLogger, warn: ({ error }: object & { error?: unknown }) => void warnings.push(String(error)) };
  const candidate = (identity: string, options: LeaseTimes & { readonly namespace?: string } = {}) => {
    const disturb: { fault?: (write: boolean) => RequestFault | undefined } = {};
    const transport = new FaultTransport((request) => cluster.server.transport(request), clock, {
      request: (request) => disturb.fault?.(isWrite(request)),
    });
    const client = createClient({ transport, clock, userAgent: identity });
    const shared = { client, clock, random: () => 0, log, namespace, name };
    const elector = new LeaseElector({ ...shared, identity, ...options });
    const ending = new AbortController();
    const running = elector.run(ending.signal, async (lost) => {
      led.push(identity);
      await aborted(AbortSignal.any([lost, ending.signal]));
    });
    const stop = async (): Promise<void> => {
      ending.abort(new Error("stop"));
      let over = false;
      void running.finally(() => (over = true));
      await clock.until(() => over);
    };
    enders.push(stop);
    return { elector, transport, disturb, stop };
  };
  return { clock, cluster, led, warnings, candidate };
}

const leaseIn = (cluster: TestCluster): Promise<Lease> =>
  cluster.client.get<Lease>({ resource: leases, namespace, name });

describe("taking a lease", () => {
  test("a new one is made with times of six digits, and renewed every two seconds", async () => {
    const { clock, cluster, candidate } = await setUp();
    const one = candidate("one");
    await clock.until(() => one.elector.held);
    const { spec } = await leaseIn(cluster);
    deepEqual([spec?.holderIdentity, spec?.leaseDurationSeconds, spec?.leaseTransitions], ["one", 15, 0]);
    equal(spec?.acquireTime, "2026-01-05T08:00:00.000000Z");
    await clock.advance(10_000);
    const renewed = await leaseIn(cluster);
    equal(renewed.spec?.renewTime, "2026-01-05T08:00:10.000000Z");
    equal(renewed.spec?.acquireTime, spec.acquireTime);
    equal(cluster.requests.filter(({ verb }) => verb === "update").length, 5);
  });

  test("of several candidates exactly one leads", async () => {
    const { clock, led, candidate } = await setUp();
    const all = ["a", "b", "c", "d"].map((identity) => candidate(identity));
    await clock.advance(60_000);
    equal(led.length, 1);
    equal(all.filter(({ elector }) => elector.held).length, 1);
  });

  test("one that nobody renews is taken when it has not changed for its whole duration", async () => {
    const { clock, cluster, led, candidate } = await setUp();
    const spec = { holderIdentity: "dead", leaseDurationSeconds: 40, leaseTransitions: 7 };
    await cluster.client.create(leases, {
      apiVersion: "coordination.k8s.io/v1",
      kind: "Lease",
      metadata: { namespace, name },
      spec,
    });
    candidate("one");
    await clock.advance(39_999);
    deepEqual(led, []);
    await clock.advance(300);
    deepEqual(led, ["one"]);
    equal((await leaseIn(cluster)).spec?.leaseTransitions, 8);
  });

  test("our own from before a restart is ours at once", async () => {
    const { clock, cluster, led, candidate } = await setUp();
    const spec = { holderIdentity: "one", leaseDurationSeconds: 15 };
    await cluster.client.create(leases, {
      apiVersion: "coordination.k8s.io/v1",
      kind: "Lease",
      metadata: { namespace, name },
      spec,
    });
    candidate("one");
    await clock.settle();
    deepEqual(led, ["one"]);
  });

  test("a server that can't be reached at the start is tried again", async () => {
    const { clock, led, candidate } = await setUp();
    const one = candidate("one");
    one.disturb.fault = () => ({ kind: "reset" });
    await clock.advance(30_000);
    deepEqual(led, []);
    delete one.disturb.fault;
    await clock.advance(5000);
    deepEqual(led, ["one"]);
  });
});

describe("a lease that can't be had", () => {
  test("is told once, however long it lasts: what is refused at once, an outage when it is no hiccup", async () => {
    const { clock, led, warnings, candidate } = await setUp();
    candidate("one", { namespace: "gone" });
    await clock.advance(60_000);
    deepEqual(warnings, [
      'POST /apis/coordination.k8s.io/v1/namespaces/gone/leases: 404 NotFound: namespaces "gone" not found',
    ]);
    const cutOff = candidate("two");
    cutOff.transport.partitioned = true;
    await clock.advance(20_000);
    equal(warnings.length, 1);
    await clock.advance(60_000);
    deepEqual(warnings.slice(1), [`GET ${path}: no answer from faulty within 4000 ms`]);
    deepEqual(led, []);
  });

  test("is told again when it is lost, with what kept it from being renewed", async () => {
    const { clock, warnings, candidate } = await setUp();
    const one = candidate("one");
    await clock.until(() => one.elector.held);
    one.disturb.fault = (write) => (write ? { kind: "answer", status: 500 } : undefined);
    await clock.advance(12_000);
    equal(one.elector.held, false);
    match(warnings[0] ?? "", /^PUT .*: 500 /);
  });
});

describe("keeping a lease", () => {
  test("single failures do not end it, failures up to the renew deadline do", async () => {
    const { clock, candidate } = await setUp();
    const one = candidate("one");
    await clock.until(() => one.elector.held);
    let count = 0;
    one.disturb.fault = (write) => (write && (count += 1) % 3 !== 0 ? { kind: "answer", status: 500 } : undefined);
    await clock.advance(60_000);
    equal(one.elector.held, true);
    one.disturb.fault = () => ({ kind: "reset" });
    // The last good renewal was up to four seconds ago, after which ten are left.
    await clock.advance(5000);
    equal(one.elector.held, true);
    await clock.advance(5000);
    equal(one.elector.held, false);
  });

  test("somebody else's touch does not end it, somebody else's name does", async () => {
    const { clock, cluster, candidate } = await setUp();
    const one = candidate("one");
    await clock.until(() => one.elector.held);
    await cluster.client.mergePatch(
      { resource: leases, namespace, name },
      { metadata: { labels: { touched: "yes" } } },
    );
    await clock.advance(4000);
    equal(one.elector.held, true);
    await cluster.client.mergePatch({ resource: leases, namespace, name }, { spec: { holderIdentity: "thief" } });
    await clock.advance(2000);
    equal(one.elector.held, false);
  });

  test("a lease that is deleted is not taken by others while its holder may believe in it", async () => {
    const { clock, cluster, led, candidate } = await setUp();
    const one = candidate("one");
    await clock.until(() => one.elector.held);
    candidate("two");
    await clock.advance(3000);
    one.transport.partitioned = true;
    await cluster.client.delete({ resource: leases, namespace, name });
    await clock.until(() => led.includes("two"));
    equal(one.elector.held, false);
  });

  test("a lease that is deleted by hand is made again by its holder, who goes on leading", async () => {
    const { clock, cluster, led, candidate } = await setUp();
    const one = candidate("one");
    await clock.until(() => one.elector.held);
    candidate("two");
    await clock.advance(3000);
    await cluster.client.delete({ resource: leases, namespace, name });
    await clock.advance(2000);
    equal(holderOf(await leaseIn(cluster)), "one");
    await clock.advance(60_000);
    equal(one.elector.held, true);
    deepEqual(led, ["one"]);
  });

  test("a lease that is deleted is given up when somebody else has made it first", async () => {
    const { clock, cluster, candidate } = await setUp();
    const one = candidate("one");
    await clock.until(() => one.elector.held);
    const { metadata: _, ...rest } = await leaseIn(cluster);
    await cluster.client.delete({ resource: leases, namespace, name });
    const taken = { ...rest, metadata: { namespace, name }, spec: { ...rest.spec, holderIdentity: "newcomer" } };
    await cluster.client.create(leases, taken);
    await clock.advance(2000);
    equal(one.elector.held, false);
  });

  test("whatever a hand writes into a lease, at most one leads, and soon again", async () => {
    const edits = [
      { holderIdentity: null },
      { holderIdentity: "" },
      { leaseDurationSeconds: 2_147_483_647 },
      { renewTime: "1970-01-01T00:00:00.000000Z", acquireTime: null },
      { renewTime: "2999-01-01T00:00:00.000000Z", leaseTransitions: 2_147_483_647 },
      { holderIdentity: null, leaseDurationSeconds: null, renewTime: null, acquireTime: null, leaseTransitions: null },
    ];
    for (const spec of edits) {
      const { clock, cluster, candidate } = await setUp();
      const both = [candidate("one"), candidate("two")];
      const leaders = (): number => both.filter(({ elector }) => elector.held).length;
      await clock.until(() => leaders() === 1);
      await cluster.client.mergePatch({ resource: leases, namespace, name }, { spec });
      for (let second = 0; second < 20; second += 1) {
        await clock.advance(1000);
        ok(leaders() <= 1, `${JSON.stringify(spec)} after ${second} s`);
      }
      equal(leaders(), 1, JSON.stringify(spec));
      for (const end of enders.splice(0).toReversed()) await end();
    }
  });

  test("a clock that jumps makes a holder doubt, never believe longer", async () => {
    const { clock, candidate } = await setUp();
    const one = candidate("one");
    await clock.until(() => one.elector.held);
    clock.jump(11_000);
    equal(one.elector.held, false);
    await clock.advance(5000);
    equal(one.elector.held, true);
    one.transport.partitioned = true;
    clock.jump(-3_600_000);
    await clock.advance(10_000);
    equal(one.elector.held, false);
  });

  test("a candidate's clock that jumps does not make it take over early", async () => {
    const { clock, led, candidate } = await setUp();
    const one = candidate("one");
    await clock.until(() => one.elector.held);
    candidate("two");
    await clock.advance(3000);
    one.transport.partitioned = true;
    clock.jump(3_600_000);
    await clock.advance(9000);
    deepEqual(led, ["one"]);
    await clock.advance(7000);
    deepEqual(led, ["one", "two"]);
  });
});

describe("giving a lease back", () => {
  test("names nobody, for a second, and the next one takes it at once", async () => {
    const { clock, cluster, led, candidate } = await setUp();
    const one = candidate("one");
    await clock.until(() => one.elector.held);
    await one.stop();
    const { spec } = await leaseIn(cluster);
    deepEqual([spec?.holderIdentity, spec?.leaseDurationSeconds], ["", 1]);
    match(String(spec?.renewTime), /\.\d{6}Z$/);
    candidate("two");
    await clock.settle();
    deepEqual(led, ["one", "two"]);
    equal(holderOf(await leaseIn(cluster)), "two");
  });

  test("a release that does not arrive only makes the others wait", async () => {
    const { clock, led, candidate } = await setUp();
    const one = candidate("one");
    await clock.until(() => one.elector.held);
    candidate("two");
    await clock.advance(1000);
    one.disturb.fault = (write) => (write ? { kind: "reset" } : undefined);
    await one.stop();
    const left = clock.now();
    await clock.until(() => led.includes("two"));
    ok(clock.now() - left <= 16_000, `${clock.now() - left} ms`);
  });

  test("nothing is written after the lease was lost", async () => {
    const { clock, cluster, candidate } = await setUp();
    const one = candidate("one");
    await clock.until(() => one.elector.held);
    await cluster.client.mergePatch({ resource: leases, namespace, name }, { spec: { holderIdentity: "thief" } });
    await clock.advance(2500);
    await one.stop();
    equal(holderOf(await leaseIn(cluster)), "thief");
  });
});
