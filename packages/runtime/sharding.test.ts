import { deepEqual, equal, ok } from "node:assert/strict";
import { afterEach, describe, test } from "@jest/globals";
import * as fc from "fast-check";
import { fleetLease, playShards, ShardFleet } from "../../testing/index.ts";
import { assignShards, shardOf } from "./consistent-hash.ts";

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

  test("a member that comes or goes moves its own share, and at most two more to keep the balance", () => {
    for (let run = 0; run < 400; run += 1) {
      const count = 2 + (run % 7);
      const shards = 4 * count + (run % 13);
      const all = Array.from({ length: count }, (_, index) => `replica-${run}-${index}`);
      const [many, few] = [assignShards(shards, all), assignShards(shards, all.slice(1))];
      const moved = [...many].filter(([shard, owner]) => few.get(shard) !== owner).length;
      const share = Math.ceil(shards / count);
      ok(moved <= 3 * share, `${moved} of ${shards} shards move with ${count} members`);
      // With two there is nothing to balance: what moves is what must.
      if (count === 2) ok(moved <= share);
    }
  });
});

let fleet: ShardFleet | undefined;
afterEach(async () => {
  await fleet?.stop();
  fleet = undefined;
});

async function fleetOver(keys: readonly string[]): Promise<ShardFleet> {
  fleet = await ShardFleet.over(keys);
  return fleet;
}

const names = Array.from({ length: 24 }, (_, index) => `kyma-${index}`);

describe("a sharded group", () => {
  test("replicas share the keys, and take over from one that leaves", async () => {
    const fleet = await fleetOver(names);
    const { clock } = fleet;
    const one = fleet.add("one", 8);
    await clock.advance(10_000);
    deepEqual(Object.keys(fleet.owners()), ["one"]);
    const two = fleet.add("two", 8);
    await clock.advance(20_000);
    fleet.passes.length = 0;
    await clock.advance(10_000);
    const owners = fleet.owners();
    deepEqual(Object.keys(owners).sort(), ["one", "two"]);
    equal((owners["one"]?.length ?? 0) + (owners["two"]?.length ?? 0), names.length);
    deepEqual([one.manager.held(), two.manager.held()], [[fleetLease.name], [fleetLease.name]]);
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
    const one = fleet.add("one", 8);
    fleet.add("two", 8);
    await clock.advance(40_000);
    one.transport.partitioned = true;
    await clock.advance(45_000);
    equal(await fleet.servedWithin(5000), names.length);
    deepEqual(Object.keys(fleet.owners()), ["two"]);
    deepEqual(fleet.overlaps, []);
  });

  test("replicas with another number of shards wait until the others are gone", async () => {
    const fleet = await fleetOver(names);
    const { clock } = fleet;
    const old = fleet.add("old", 4);
    await clock.advance(10_000);
    fleet.add("new", 8);
    fleet.add("single", 1);
    await clock.advance(60_000);
    deepEqual(Object.keys(fleet.owners()), ["old"]);
    await old.stop();
    equal(await fleet.servedWithin(60_000), names.length);
    deepEqual(fleet.overlaps, []);
  });

  test("each key is worked on by at most one replica, whoever comes, goes or is cut off", async () => {
    for (let seed = 1; seed <= 3; seed += 1) {
      const { overlaps, forgotten, passes } = await playShards({ seed, turns: 12 });
      deepEqual({ overlaps, forgotten }, { overlaps: [], forgotten: 0 }, `seed ${seed}`);
      ok(passes > 100, `${passes} passes`);
    }
  });
});
