import { deepEqual, equal, ok } from "node:assert/strict";
import { afterEach, describe, test } from "@jest/globals";
import { type AnyObject, createClient, type Resource } from "@kyma-operators/kube";
import * as fc from "fast-check";
import { FakeClock, FaultTransport, SeededRandom, startCluster, type TestCluster } from "../../testing/index.ts";
import { assignShards, shardOf } from "./consistent-hash.ts";
import { createManager, type Manager } from "./manager.ts";

describe("shardOf", () => {
  test("spreads names evenly", () => {
    const counts = Array.from({ length: 8 }, () => 0);
    for (let index = 0; index < 8000; index += 1)
      counts[shardOf(`kyma-${index}`, 8)] = (counts[shardOf(`kyma-${index}`, 8)] ?? 0) + 1;
    ok(Math.max(...counts) < 1150 && Math.min(...counts) > 850, counts.join(" "));
  });

  test("one more shard moves only the names that become its own", () => {
    for (let index = 0; index < 2000; index += 1) {
      const [before, after] = [shardOf(`kyma-${index}`, 7), shardOf(`kyma-${index}`, 8)];
      ok(after === before || after === 7);
    }
  });
});

describe("assignShards", () => {
  const members = fc.uniqueArray(fc.stringMatching(/^[a-z]{1,8}$/), { minLength: 1, maxLength: 12 });

  test("every shard has one owner, and no member more than its share", () => {
    fc.assert(
      fc.property(members, fc.integer({ min: 1, max: 64 }), (alive, shards) => {
        const assigned = assignShards(shards, alive);
        equal(assigned.size, shards);
        for (const member of alive) {
          const share = [...assigned.values()].filter((owner) => owner === member).length;
          ok(share <= Math.ceil(shards / alive.length));
        }
        deepEqual(assignShards(shards, alive.toReversed()), assigned);
      }),
    );
  });

  test("a member that leaves moves a bounded number of shards", () => {
    let worst = 0;
    for (let run = 0; run < 200; run += 1) {
      const alive = Array.from({ length: 4 }, (_, index) => `replica-${run}-${index}`);
      const [before, after] = [assignShards(32, alive), assignShards(32, alive.slice(1))];
      const moved = [...after].filter(([shard, owner]) => before.get(shard) !== owner).length;
      worst = Math.max(worst, moved);
    }
    // Eight shards lose their owner; the rest moves only where room runs out.
    ok(worst <= 16, `${worst} moves`);
  });
});

const configMaps: Resource = { group: "", version: "v1", kind: "ConfigMap", plural: "configmaps", namespaced: true };
const group = {
  name: "sharded",
  namespace: "default",
  durationMs: 15_000,
  renewDeadlineMs: 10_000,
  retryPeriodMs: 2000,
};

const enders: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of enders.splice(0).toReversed()) await end();
});

/** Replicas that record who works on which key, and which would be caught if two did so at once. */
class Fleet {
  readonly clock: FakeClock;
  readonly cluster: TestCluster;
  readonly working = new Map<string, string>();
  readonly passes: string[] = [];
  readonly overlaps: string[] = [];

  constructor(clock: FakeClock, cluster: TestCluster) {
    this.clock = clock;
    this.cluster = cluster;
  }

  replica(identity: string, shards: number) {
    const { clock } = this;
    const transport = new FaultTransport((request) => this.cluster.server.transport(request), clock, {});
    const client = createClient({ transport, clock, userAgent: identity });
    const random = new SeededRandom(identity.length).next;
    const manager = createManager({ client, clock, identity, random, leases: [{ ...group, shards }], drainMs: 5000 });
    this.#addController(manager, identity);
    const ending = new AbortController();
    const running = manager.run(ending.signal);
    const stop = async (): Promise<void> => {
      ending.abort(new Error("stop"));
      let over = false;
      void running.finally(() => (over = true));
      await clock.until(() => over);
    };
    enders.push(stop);
    return { manager, transport, stop };
  }

  owners(): Record<string, string[]> {
    const last = new Map(this.passes.map((pass) => pass.split(" ") as [string, string]));
    const owners: Record<string, string[]> = {};
    for (const [key, identity] of last) (owners[identity] ??= []).push(key);
    return owners;
  }

  #addController(manager: Manager, identity: string): void {
    const context = manager.context(group.name);
    context.addController({
      name: "sharded",
      concurrency: 4,
      watches: [{ informer: context.informer(configMaps, { labelSelector: "mine=yes" }) }],
      reconcile: async ({ name }, { signal }) => {
        const other = this.working.get(name);
        if (other !== undefined) this.overlaps.push(`${name}: ${other} and ${identity}`);
        this.working.set(name, identity);
        this.passes.push(`${name} ${identity}`);
        // A pass has no more rights than its last check of the lease, which is what this stands for.
        await this.clock.sleep(300, signal).finally(() => this.working.delete(name));
        return { kind: "wait", reason: "again", afterMs: 1000 };
      },
    });
  }
}

async function fleetOver(keys: readonly string[]): Promise<Fleet> {
  const clock = new FakeClock();
  const cluster = await startCluster({ clock, workload: false });
  enders.push(() => cluster.stop());
  const object = (name: string): AnyObject => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, namespace: "default", labels: { mine: "yes" } },
  });
  await cluster.apply(...keys.map((name) => object(name)));
  return new Fleet(clock, cluster);
}

const names = Array.from({ length: 24 }, (_, index) => `kyma-${index}`);

describe("a sharded group", () => {
  test("replicas share the keys, and take over from one that leaves", async () => {
    const fleet = await fleetOver(names);
    const { clock } = fleet;
    const one = fleet.replica("one", 8);
    await clock.advance(10_000);
    deepEqual(Object.keys(fleet.owners()), ["one"]);
    const two = fleet.replica("two", 8);
    await clock.advance(20_000);
    fleet.passes.length = 0;
    await clock.advance(10_000);
    const owners = fleet.owners();
    deepEqual(Object.keys(owners).sort(), ["one", "two"]);
    equal((owners["one"]?.length ?? 0) + (owners["two"]?.length ?? 0), names.length);
    deepEqual([one.manager.held(), two.manager.held()], [[group.name], [group.name]]);
    ok((await two.manager.metrics.scrape()).text.includes('leader_election_shards{name="sharded"} 4'));

    await one.stop();
    const left = clock.now();
    fleet.passes.length = 0;
    await clock.until(() => Object.values(fleet.owners()).flat().length === names.length);
    ok(clock.now() - left < 10_000, `${clock.now() - left} ms`);
    deepEqual(Object.keys(fleet.owners()), ["two"]);
    deepEqual(fleet.overlaps, []);
  });

  test("a replica that dies is replaced when its leases have run out", async () => {
    const fleet = await fleetOver(names);
    const { clock } = fleet;
    const one = fleet.replica("one", 8);
    fleet.replica("two", 8);
    await clock.advance(40_000);
    one.transport.partitioned = true;
    await clock.advance(45_000);
    fleet.passes.length = 0;
    await clock.advance(5000);
    deepEqual(Object.keys(fleet.owners()), ["two"]);
    equal(fleet.owners()["two"]?.length, names.length);
    deepEqual(fleet.overlaps, []);
  });

  test("replicas with another number of shards wait until the others are gone", async () => {
    const fleet = await fleetOver(names);
    const { clock } = fleet;
    const old = fleet.replica("old", 4);
    await clock.advance(10_000);
    fleet.replica("new", 8);
    fleet.replica("single", 1);
    await clock.advance(60_000);
    deepEqual(Object.keys(fleet.owners()), ["old"]);
    await old.stop();
    fleet.passes.length = 0;
    await clock.advance(60_000);
    equal(Object.values(fleet.owners()).flat().length, names.length);
    deepEqual(fleet.overlaps, []);
  });

  test("each key is worked on by at most one replica, whoever comes, goes or is cut off", async () => {
    for (let seed = 1; seed <= 3; seed += 1) {
      const random = new SeededRandom(seed);
      const fleet = await fleetOver(names.slice(0, 12));
      const { clock } = fleet;
      const replicas = [fleet.replica("a", 4), fleet.replica("bb", 4), fleet.replica("ccc", 4)];
      for (let turn = 0; turn < 12; turn += 1) {
        await clock.advance(random.below(20_000));
        const replica = replicas[random.below(replicas.length)];
        if (replica !== undefined) replica.transport.partitioned = random.chance(0.5);
      }
      for (const { transport } of replicas) transport.partitioned = false;
      await clock.advance(120_000);
      fleet.passes.length = 0;
      await clock.advance(10_000);
      equal(Object.values(fleet.owners()).flat().length, 12, `seed ${seed}`);
      deepEqual(fleet.overlaps, [], `seed ${seed}`);
    }
  });
});
