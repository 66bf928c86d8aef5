import { type Client, createClient, type TransportRequest } from "@kyma-operators/kube";
import { createManager, type Manager } from "@kyma-operators/runtime";
import { startCluster, type TestCluster } from "./cluster.ts";
import { FakeClock } from "./fake-clock.ts";
import { FaultTransport } from "./faults.ts";
import { runOnClock } from "./running-manager.ts";
import { parent, parents } from "./sample-controller.ts";
import { SeededRandom } from "./seeded-random.ts";

const lease = { name: "switchover", namespace: "default" };
const ref = { resource: parents, namespace: "default", name: "shared" };

export interface Switchovers {
  /** How often another replica took over. */
  readonly count: number;
  /** Writes that the server took from a replica that did not hold the lease then; must be empty. */
  readonly overlaps: readonly string[];
  readonly writes: number;
  /** Longest time without a leader after one has left, and after one was cut off, in milliseconds. */
  readonly longestAfterLeave: number;
  readonly longestAfterCut: number;
}

interface Replica {
  readonly identity: string;
  readonly manager: Manager;
  readonly transport: FaultTransport;
  readonly stop: () => Promise<void>;
}

/**
 * Two replicas write all the time, as long as they may, while leaders leave, are cut off from the server, have slow
 * requests and clocks that jump. The server's side checks each write against the holder that its Lease names.
 */
export async function playSwitchovers(options: {
  readonly count: number;
  readonly seed: number;
}): Promise<Switchovers> {
  const clock = new FakeClock();
  const cluster = await startCluster({ clock, workload: false });
  await cluster.apply(parent("shared", { children: 0, value: "" }));
  const stage = new SwitchoverStage(clock, cluster, new SeededRandom(options.seed));
  try {
    return await stage.run(options.count);
  } finally {
    await stage.stop();
    await cluster.stop();
  }
}

class SwitchoverStage {
  readonly #clock: FakeClock;
  readonly #cluster: TestCluster;
  readonly #random: SeededRandom;
  readonly #overlaps: string[] = [];
  readonly #replicas: Replica[] = [];
  #holder = "";
  #writer = "";
  #writes = 0;
  #count = 0;
  #names = 0;

  constructor(clock: FakeClock, cluster: TestCluster, random: SeededRandom) {
    this.#clock = clock;
    this.#cluster = cluster;
    this.#random = random;
  }

  async run(count: number): Promise<Switchovers> {
    let [longestAfterLeave, longestAfterCut] = [0, 0];
    this.#replicas.push(this.#start(), this.#start());
    await this.#clock.until(() => this.#writer !== "");
    while (this.#count < count) {
      await this.#clock.advance(this.#random.below(8000));
      if (this.#random.chance(0.1)) this.#clock.jump(this.#random.below(40_000) - 20_000);
      const leaves = this.#random.chance(0.5);
      const took = await this.#replaceLeader(leaves);
      if (leaves) longestAfterLeave = Math.max(longestAfterLeave, took);
      else longestAfterCut = Math.max(longestAfterCut, took);
    }
    return { count: this.#count, overlaps: this.#overlaps, writes: this.#writes, longestAfterLeave, longestAfterCut };
  }

  async stop(): Promise<void> {
    for (const { stop } of this.#replicas) await stop();
  }

  /** Lets the leader leave or cuts it off, and gives how long nobody wrote. */
  async #replaceLeader(leaves: boolean): Promise<number> {
    const before = this.#writer;
    const leader = this.#replicas.find(({ identity }) => identity === before);
    if (leader === undefined) throw new Error(`nobody is named ${before}`);
    if (leaves) await leader.stop();
    else leader.transport.partitioned = true;
    const from = this.#clock.now();
    await this.#clock.until(() => this.#writer !== before, 120_000);
    const took = this.#clock.now() - from;
    this.#count += 1;
    leader.transport.partitioned = false;
    if (leaves) this.#replicas.splice(this.#replicas.indexOf(leader), 1, this.#start());
    return took;
  }

  #start(): Replica {
    const clock = this.#clock;
    this.#names += 1;
    const identity = `replica-${this.#names}`;
    const transport = new FaultTransport((request) => this.#deliver(request, identity), clock, {
      request: () => (this.#random.chance(0.02) ? { kind: "delay", delayMs: this.#random.below(3000) } : undefined),
    });
    const client = createClient({ transport, clock, userAgent: identity });
    const manager = createManager({
      client,
      clock,
      identity,
      leases: [lease],
      random: this.#random.next,
      drainMs: 1000,
    });
    const context = manager.context(lease.name);
    context.addRunnable("writer", (signal) => this.#writeOn(context.client, identity, signal));
    return { identity, manager, transport, stop: runOnClock(manager, clock) };
  }

  async #writeOn(client: Client, identity: string, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      // Slow requests and a lost lease are what this is about, so failures are expected.
      await client.mergePatch(ref, { data: { writer: identity } }, { timeoutMs: 2000 }).catch(() => undefined);
      await this.#clock.sleep(500, signal).catch(() => undefined);
    }
  }

  async #deliver(request: TransportRequest, identity: string): ReturnType<FaultTransport["request"]> {
    const response = await this.#cluster.server.transport(request);
    if (response.status >= 300) return response;
    if (request.path.includes("/leases")) this.#seeLease(request);
    else if (request.method === "PATCH") this.#seeWrite(identity);
    return response;
  }

  #seeLease({ method, body }: TransportRequest): void {
    if (method !== "PUT" && method !== "POST") return;
    const { spec } = JSON.parse(String(body)) as { spec: { holderIdentity: string } };
    this.#holder = spec.holderIdentity;
  }

  #seeWrite(identity: string): void {
    this.#writes += 1;
    this.#writer = identity;
    if (this.#holder !== identity)
      this.#overlaps.push(`${identity} wrote while ${this.#holder || "nobody"} held the lease`);
  }
}
