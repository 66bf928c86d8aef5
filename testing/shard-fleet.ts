import { type AnyObject, builtIn, createClient } from "@kyma-operators/kube";
import { createManager, type LeaseGroup, type Manager } from "@kyma-operators/runtime";
import { startCluster, type TestCluster } from "./cluster.ts";
import { FakeClock } from "./fake-clock.ts";
import { FaultTransport } from "./faults.ts";
import { runOnClock } from "./running-manager.ts";
import { SeededRandom } from "./seeded-random.ts";

const { configMaps } = builtIn;

/** The lease group of every fleet. */
export const fleetLease: LeaseGroup = { name: "sharded", namespace: "default" };

export interface FleetReplica {
  readonly manager: Manager;
  readonly transport: FaultTransport;
  readonly stop: () => Promise<void>;
}

/** Replicas of a sharded group that record who works on which key, and which would be caught if two did so at once. */
export class ShardFleet {
  readonly clock: FakeClock;
  /** `key replica`, in order. */
  readonly passes: string[] = [];
  /** Keys that two replicas worked on at a time; must stay empty. */
  readonly overlaps: string[] = [];
  readonly #cluster: TestCluster;
  readonly #working = new Map<string, string>();
  readonly #replicas = new Set<FleetReplica>();

  private constructor(clock: FakeClock, cluster: TestCluster) {
    this.clock = clock;
    this.#cluster = cluster;
  }

  /** A cluster with one object per key. */
  static async over(keys: readonly string[]): Promise<ShardFleet> {
    const clock = new FakeClock();
    const cluster = await startCluster({ clock, workload: false });
    const object = (name: string): AnyObject => ({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name, namespace: "default", labels: { mine: "yes" } },
    });
    await cluster.apply(...keys.map(object));
    return new ShardFleet(clock, cluster);
  }

  /** Starts a replica with so many shards. */
  add(identity: string, shards: number): FleetReplica {
    const { clock } = this;
    const transport = new FaultTransport((request) => this.#cluster.server.transport(request), clock, {});
    const client = createClient({ transport, clock, userAgent: identity });
    const random = new SeededRandom(identity.length).next;
    const leases = [{ ...fleetLease, shards }];
    const manager = createManager({ client, clock, identity, random, leases, drainMs: 5000 });
    this.#addController(manager, identity);
    const end = runOnClock(manager, clock);
    const stop = async (): Promise<void> => {
      await end();
      this.#replicas.delete(replica);
    };
    const replica = { manager, transport, stop };
    this.#replicas.add(replica);
    return replica;
  }

  /** Keys by the replica that worked on them last. */
  owners(): Readonly<Record<string, readonly string[]>> {
    const last = new Map(this.passes.map((pass) => pass.split(" ") as [string, string]));
    const owners: Record<string, string[]> = {};
    for (const [key, identity] of last) (owners[identity] ??= []).push(key);
    return owners;
  }

  /** Keys that somebody works on within some seconds from now. */
  async servedWithin(ms: number): Promise<number> {
    this.passes.length = 0;
    await this.clock.advance(ms);
    return Object.values(this.owners()).flat().length;
  }

  async stop(): Promise<void> {
    for (const { stop } of this.#replicas) await stop();
    await this.#cluster.stop();
  }

  #addController(manager: Manager, identity: string): void {
    const context = manager.context(fleetLease.name);
    context.addController({
      name: "sharded",
      concurrency: 4,
      watches: [{ informer: context.informer(configMaps, { labelSelector: "mine=yes" }) }],
      reconcile: async ({ name }, { signal }) => {
        const other = this.#working.get(name);
        if (other !== undefined) this.overlaps.push(`${name}: ${other} and ${identity}`);
        this.#working.set(name, identity);
        this.passes.push(`${name} ${identity}`);
        // A pass has no more rights than its last check of the lease, which is what this stands for.
        await this.clock.sleep(300, signal).finally(() => this.#working.delete(name));
        return { kind: "wait", reason: "again", afterMs: 1000 };
      },
    });
  }
}

/**
 * Replicas come, leave, are cut off and have clocks that jump, by a seed. Gives the keys that two replicas worked on at
 * a time, and how many nobody works on once all is calm again; there must be none of either.
 */
export async function playShards(options: {
  readonly seed: number;
  readonly turns: number;
}): Promise<{ readonly overlaps: readonly string[]; readonly forgotten: number; readonly passes: number }> {
  const random = new SeededRandom(options.seed);
  const keys = Array.from({ length: 12 }, (_, index) => `kyma-${index}`);
  const fleet = await ShardFleet.over(keys);
  const replicas = ["a", "bb", "ccc"].map((identity) => fleet.add(identity, 4));
  for (let turn = 0; turn < options.turns; turn += 1) {
    await fleet.clock.advance(random.below(20_000));
    if (random.chance(0.1)) fleet.clock.jump(random.below(40_000) - 20_000);
    const index = random.below(replicas.length);
    if (random.chance(0.2)) {
      await replicas[index]?.stop();
      replicas[index] = fleet.add(`next-${turn}`, 4);
    } else cutOrMend(replicas[index], random);
  }
  for (const { transport } of replicas) transport.partitioned = false;
  await fleet.clock.advance(120_000);
  const passes = fleet.passes.length;
  const forgotten = keys.length - (await fleet.servedWithin(10_000));
  await fleet.stop();
  return { overlaps: fleet.overlaps, forgotten, passes };
}

function cutOrMend(replica: FleetReplica | undefined, random: SeededRandom): void {
  if (replica !== undefined) replica.transport.partitioned = random.chance(0.5);
}
