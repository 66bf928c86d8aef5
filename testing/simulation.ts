import { deepEqual } from "node:assert/strict";
import { type AnyObject, type Client, createClient, type TransportRequest } from "@kyma-operators/kube";
import type { Random } from "@kyma-operators/runtime";
import type { ApiServerOptions } from "../apiserver/index.ts";
import { startCluster, type TestCluster } from "./cluster.ts";
import { FakeClock } from "./fake-clock.ts";
import {
  type EventFault,
  type FaultPlan,
  FaultTransport,
  isWrite,
  type Lists,
  type RequestFault,
  silence,
} from "./faults.ts";
import { SeededRandom } from "./seeded-random.ts";

/** What the program under test gets to live with. A crash takes it all away; the next life gets a new one. */
export interface Life {
  readonly client: Client;
  readonly clock: FakeClock;
  readonly random: Random;
  /** Differs from life to life, as a pod's name does. */
  readonly identity: string;
  /** Ends the program in peace. */
  readonly signal: AbortSignal;
}

/** A story to be told calmly and under faults. */
export interface Story {
  readonly server?: ApiServerOptions;
  /** Runs the program until the signal aborts, for example a manager with its controllers. */
  readonly program: (life: Life) => Promise<void>;
  /** What people do, one step after the other; each step may be given to the server while the program is down. */
  readonly steps: readonly ((cluster: TestCluster) => Promise<unknown>)[];
  /** True when the story has come to its end. */
  readonly finished: (cluster: TestCluster) => Promise<boolean>;
  /** What must be the same however the story went; times, versions and uids are left out by {@link endState}. */
  readonly outcome: (cluster: TestCluster) => Promise<unknown>;
  /** Longest time the story may take, in milliseconds of its own clock. Default three hours. */
  readonly withinMs?: number;
  /**
   * Time after the end until everything a fault has left behind is healed; only then the program must rest. An event
   * that the server lost is found by the next list, so default is a little more than the hour between lists.
   */
  readonly healMs?: number;
  /** Time between two steps. Default one second. */
  readonly stepMs?: number;
  /** Random faults end after this time, so that the story can end. Default ten minutes. */
  readonly troubleMs?: number;
}

/** The faults of one run. Absent fields mean no such fault. */
export interface Faults {
  /** The program dies right after this write of its life has reached the server (from 1), once. */
  readonly crashAfterWrite?: number;
  /** As before, but the write never arrives. */
  readonly crashBeforeWrite?: number;
  /**
   * From this write (from 1) on nothing is heard of Leases for ten minutes, and the write itself is carried out without
   * an answer: a program whose lease is shorter loses it in the middle of the write.
   */
  readonly leaseLostAtWrite?: number;
  /** What happens to the event of this number (from 1). */
  readonly event?: { readonly number: number; readonly fault: EventFault };
  /** Random faults of all kinds, decided by this seed. */
  readonly seed?: number;
}

export interface Run {
  readonly outcome: unknown;
  /** Writes of the program that reached the server. */
  readonly writes: number;
  /** Watch events that the program was sent. */
  readonly events: number;
  /** Writes in the last ten minutes before the end, in which nothing was left to do. */
  readonly idleWrites: number;
}

/** Crashed programs come back after this time. */
const restartMs = 3000;
const defaultTroubleMs = 600_000;
const calmMs = 600_000;
const leaseOutageMs = 600_000;

/** Plays a story once. The same faults give the same run. */
export async function play(story: Story, faults: Faults = {}): Promise<Run> {
  const clock = new FakeClock();
  const cluster = await startCluster({ clock, workload: false, ...story.server });
  const stage = new Stage(story, cluster, clock, faults);
  try {
    return await stage.run();
  } finally {
    await stage.end();
    await cluster.stop();
  }
}

class Stage {
  readonly #story: Story;
  readonly #cluster: TestCluster;
  readonly #clock: FakeClock;
  readonly #faults: Faults;
  readonly #random: SeededRandom;
  readonly #began: number;
  readonly #lists: Lists = new Map();
  #writes = 0;
  #events = 0;
  #lives = 0;
  #leasesBackAt = 0;
  #life:
    | { readonly transport: FaultTransport; readonly stop: AbortController; readonly ended: Promise<void> }
    | undefined;

  constructor(story: Story, cluster: TestCluster, clock: FakeClock, faults: Faults) {
    this.#story = story;
    this.#cluster = cluster;
    this.#clock = clock;
    this.#faults = faults;
    this.#random = new SeededRandom(faults.seed ?? 1);
    this.#began = clock.now();
  }

  async run(): Promise<Run> {
    const { finished, outcome, withinMs = 10_800_000, healMs = 4_200_000 } = this.#story;
    this.#begin();
    await this.#takeSteps();
    if (this.#isTroubled()) await this.#clock.advance(this.#troubleMs - (this.#clock.now() - this.#began));
    await this.#clock.until(() => finished(this.#cluster), withinMs);
    // Only a lost event stays unknown until the next list.
    const { seed, event } = this.#faults;
    await this.#clock.advance(seed !== undefined || event?.fault.kind === "drop" ? healMs : 60_000);
    const before = this.#writesOfObjects();
    await this.#clock.advance(calmMs);
    const idleWrites = this.#writesOfObjects() - before;
    return { outcome: await outcome(this.#cluster), writes: this.#writes, events: this.#events, idleWrites };
  }

  async #takeSteps(): Promise<void> {
    const { steps, stepMs = 1000 } = this.#story;
    for (const step of steps) {
      await step(this.#cluster);
      // Now and then the next step follows before the program has even seen this one.
      if (this.#faults.seed === undefined || this.#random.chance(0.7)) await this.#clock.advance(stepMs);
    }
  }

  get #troubleMs(): number {
    return this.#story.troubleMs ?? defaultTroubleMs;
  }

  async end(): Promise<void> {
    const life = this.#life;
    if (life === undefined) return;
    life.stop.abort(new Error("the story is over"));
    let over = false;
    void life.ended.finally(() => (over = true));
    await this.#clock.until(() => over);
  }

  /** Renewals of leases are no work. */
  #writesOfObjects(): number {
    return this.#cluster.writes().filter(({ resource }) => resource !== "leases").length;
  }

  #begin(): void {
    this.#lives += 1;
    const identity = `life-${this.#lives}`;
    const stop = new AbortController();
    const transport = new FaultTransport((request) => this.#deliver(request), this.#clock, this.#plan(), this.#lists);
    const client = createClient({ transport, clock: this.#clock, userAgent: identity });
    const life: Life = { client, clock: this.#clock, random: this.#random.next, identity, signal: stop.signal };
    // A program that was cut off may end in any way.
    const ended = this.#story.program(life).catch(() => undefined);
    this.#life = { transport, stop, ended };
  }

  /** The process is gone: nothing it still tries gets through, and after a while another one starts. */
  #crash(): void {
    const life = this.#life;
    if (life === undefined) return;
    life.transport.partitioned = true;
    life.stop.abort(new Error("crashed"));
    this.#clock.after(restartMs, () => this.#begin());
  }

  async #deliver(request: TransportRequest): Promise<Awaited<ReturnType<FaultTransport["request"]>>> {
    const isForLease = request.path.includes("/leases");
    if (isForLease && this.#clock.now() < this.#leasesBackAt) return silence(request);
    if (isForLease || !isWrite(request)) return this.#cluster.server.transport(request);
    this.#writes += 1;
    if (this.#writes === this.#faults.crashBeforeWrite) return this.#die(request);
    const response = await this.#cluster.server.transport(request);
    if (this.#writes === this.#faults.crashAfterWrite || this.#crashesByChance()) return this.#die(request);
    if (this.#writes !== this.#faults.leaseLostAtWrite) return response;
    this.#leasesBackAt = this.#clock.now() + leaseOutageMs;
    return silence(request);
  }

  #die(request: TransportRequest): Promise<never> {
    this.#crash();
    return silence(request);
  }

  #crashesByChance(): boolean {
    return this.#isTroubled() && this.#random.chance(0.1);
  }

  #isTroubled(): boolean {
    return this.#faults.seed !== undefined && this.#clock.now() - this.#began < this.#troubleMs;
  }

  #plan(): FaultPlan {
    return {
      request: () => (this.#isTroubled() ? this.#requestFault() : undefined),
      event: () => {
        this.#events += 1;
        const { event } = this.#faults;
        if (event?.number === this.#events) return event.fault;
        return this.#isTroubled() ? this.#eventFault() : undefined;
      },
    };
  }

  #requestFault(): RequestFault | undefined {
    const random = this.#random;
    if (random.chance(0.005)) this.#jump();
    if (random.chance(0.001)) this.#leasesBackAt = this.#clock.now() + random.below(leaseOutageMs);
    if (!random.chance(0.15)) return undefined;
    return random.pick<RequestFault>([
      { kind: "answer", status: 409 },
      { kind: "answer", status: 410 },
      { kind: "answer", status: 429, retryAfterSeconds: random.below(5) },
      { kind: "answer", status: 500 },
      { kind: "answer", status: 503 },
      { kind: "reset" },
      { kind: "lost-answer" },
      { kind: "stale-list" },
      { kind: "delay", delayMs: random.below(20_000) },
    ]);
  }

  #eventFault(): EventFault | undefined {
    if (!this.#random.chance(0.15)) return undefined;
    return this.#random.pick<EventFault>([
      { kind: "drop" },
      { kind: "duplicate" },
      { kind: "break" },
      { kind: "delay", delayMs: this.#random.below(20_000) },
    ]);
  }

  /** The network goes away for a while, or the clock is corrected. */
  #jump(): void {
    if (this.#random.chance(0.5)) return this.#clock.jump(this.#random.below(60_000) - 20_000);
    const transport = this.#life?.transport;
    if (transport === undefined || transport.partitioned) return;
    transport.partitioned = true;
    const life = this.#lives;
    this.#clock.after(this.#random.below(60_000), () => {
      if (life === this.#lives) transport.partitioned = false;
    });
  }
}

/**
 * Plays a story calmly, then with a crash before and after each of its writes and with each of its events dropped,
 * repeated and delayed. Every run must end as the calm one did, and rest then.
 *
 * @param options - `eventStride`: take every so many events only, where a test has little time. Default each.
 */
export async function everyFault(
  story: Story,
  options: { readonly eventStride?: number } = {},
): Promise<{ readonly runs: number }> {
  const calm = await play(story);
  deepEqual(calm.idleWrites, 0, "the calm run writes although nothing is left to do");
  const plans: Faults[] = [];
  for (let write = 1; write <= calm.writes; write += 1) {
    plans.push({ crashAfterWrite: write }, { crashBeforeWrite: write });
  }
  const faults: readonly EventFault[] = [
    { kind: "drop" },
    { kind: "duplicate" },
    { kind: "delay", delayMs: 30_000 },
    { kind: "break" },
  ];
  for (let number = 1; number <= calm.events; number += options.eventStride ?? 1) {
    for (const fault of faults) plans.push({ event: { number, fault } });
  }
  for (const plan of plans) await compare(story, calm, plan);
  return { runs: plans.length + 1 };
}

/** Plays a story calmly, then with the lease lost in the middle of each of its writes; see {@link everyFault}. */
export async function everyLeaseLoss(story: Story): Promise<{ readonly runs: number }> {
  const calm = await play(story);
  for (let write = 1; write <= calm.writes; write += 1) await compare(story, calm, { leaseLostAtWrite: write });
  return { runs: calm.writes + 1 };
}

/** Plays a story under random faults, once per seed. A failure names the seed, which replays it alone. */
export async function everySeed(story: Story, seeds: { readonly from: number; readonly count: number }): Promise<void> {
  const calm = await play(story);
  for (let seed = seeds.from; seed < seeds.from + seeds.count; seed += 1) await compare(story, calm, { seed });
}

async function compare(story: Story, calm: Run, faults: Faults): Promise<void> {
  const name = JSON.stringify(faults);
  let run: Run;
  try {
    run = await play(story, faults);
  } catch (error) {
    throw new Error(`${name}: ${(error as Error).message}`, { cause: error });
  }
  deepEqual(run.outcome, calm.outcome, `${name} ends in another state`);
  deepEqual(run.idleWrites, 0, `${name} does not come to rest`);
}

/** Objects without what differs from run to run: versions, uids, times, managed fields and lease holders. */
export function endState(objects: readonly AnyObject[]): readonly AnyObject[] {
  return objects
    .map((object) => JSON.parse(JSON.stringify(object, withoutAccidents)) as AnyObject)
    .sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
}

const accidental = new Set([
  "resourceVersion",
  "uid",
  "creationTimestamp",
  "managedFields",
  "generation",
  "lastTransitionTime",
  "observedGeneration",
]);

function withoutAccidents(name: string, value: unknown): unknown {
  if (name === "deletionTimestamp") return "set";
  return accidental.has(name) ? undefined : value;
}

const nameOf = ({ kind, metadata }: AnyObject): string => `${kind}/${metadata.namespace ?? ""}/${metadata.name}`;
