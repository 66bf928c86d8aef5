import type { Kyma } from "../apis/operator/kyma.ts";
import { type Trouble, troubles } from "./cluster-troubles.ts";
import { isReadyIn, KymaFleet, modules, nameOf } from "./kyma-fleet.ts";
import { cpuSeconds, type Measurement, quantile, type RunOptions, usedBytes, type Workload } from "./measurement.ts";
import { ReadyWatch } from "./ready-watch.ts";

const hourMs = 3_600_000;
const gib = 2 ** 30;
/** Share of the fleet whose users change something in the same moment. */
const waveShare = 0.2;

interface Sizes {
  readonly runtimes: number;
  /** Of them, how many join while the others are there. */
  readonly joining: number;
  /** Changes that are made one after another. */
  readonly singles: number;
  /** Of so many clusters, one is in each kind of trouble. */
  readonly every: number;
}

const full: Sizes = { runtimes: 10_000, joining: 1_000, singles: 100, every: 100 };
const small: Sizes = { runtimes: 40, joining: 10, singles: 2, every: 5 };

/** A fleet in one process, from its start over calm and trouble to the death of its leader. */
export const load: Workload = {
  name: "load",
  run: async ({ smoke }: RunOptions) => run(smoke ? small : full),
};

async function run(sizes: Sizes): Promise<readonly Measurement[]> {
  const test = await LoadTest.start(sizes);
  const measurements: Measurement[] = [];
  try {
    for (const phase of test.phases) {
      const taken = await phase();
      measurements.push(...taken);
      console.error(`  ${taken[0]?.what ?? ""}: done after ${Math.round(cpuSeconds())} CPU s`);
    }
  } finally {
    await test.stop();
  }
  return measurements;
}

/** What p50 and p99 of the same work were when all was well. */
interface Latencies {
  readonly single: readonly number[];
  readonly wave: readonly number[];
}

class LoadTest {
  readonly #fleet: KymaFleet;
  readonly #watch: ReadyWatch;
  readonly #sizes: Sizes;
  #calm: Latencies = { single: [], wave: [] };

  private constructor(fleet: KymaFleet, sizes: Sizes) {
    this.#fleet = fleet;
    this.#watch = new ReadyWatch(fleet);
    this.#sizes = sizes;
  }

  /** In this order: each one starts where the former has left the fleet. */
  readonly phases: readonly (() => Promise<readonly Measurement[]>)[] = [
    () => this.#coldStart(),
    () => this.#joins(),
    () => this.#calmHour(),
    () => this.#changesInCalm(),
    () => this.#changesInTrouble(),
    () => this.#recovery(),
    () => this.#deathOfTheLeader(),
    async () => [memoryPeak()],
  ];

  static async start(sizes: Sizes): Promise<LoadTest> {
    const fleet = await KymaFleet.open(sizes.runtimes);
    await fleet.addInstalled(sizes.runtimes - sizes.joining);
    // Timers of the process that installed them end, and with them what they hold.
    await fleet.clock.advance(hourMs);
    return new LoadTest(fleet, sizes);
  }

  async stop(): Promise<void> {
    this.#watch.stop();
    this.#fleet.setTroubles(new Map());
    await this.#fleet.stop();
  }

  async #coldStart(): Promise<readonly Measurement[]> {
    const present = this.#sizes.runtimes - this.#sizes.joining;
    const memory = await usedBytes();
    const [writes, begun] = [this.#fleet.traffic().writes, cpuSeconds()];
    this.#fleet.startElected();
    const passed = (): boolean =>
      this.#fleet.passes("kyma") >= present && this.#fleet.passes("manifest") >= present * modules.length;
    while (!passed()) await this.#fleet.clock.advance(10);
    await this.#fleet.untilQuiet();
    const seconds = cpuSeconds() - begun;
    const gained = ((await usedBytes()) - memory) / gib;
    const written = this.#fleet.traffic().writes - writes;
    const what = `start on ${present} installed runtimes`;
    return [
      figure(`${what}, until each was looked at`, seconds, { unit: "CPU s", most: 30 }),
      figure(`${what}: writes`, written, { unit: "writes", most: 0 }),
      figure(`${what}: memory of the operator`, gained, { unit: "GiB", most: 1 }),
    ];
  }

  /** New runtimes, some of which are in trouble from the first moment on. */
  async #joins(): Promise<readonly Measurement[]> {
    const { runtimes, joining } = this.#sizes;
    this.#fleet.setTroubles(this.#troubled(runtimes));
    const joined = indexes(runtimes - joining, runtimes).filter((index) => this.#isWell(index));
    const begun = cpuSeconds();
    for (const index of joined) this.#watch.expect(nameOf(index), ({ status }) => status?.state === "Ready");
    await this.#fleet.addNew(runtimes - joining);
    const times = await this.#watch.all();
    const seconds = cpuSeconds() - begun;
    const what = `${joining} more join at once, ${troubles.length} of ${this.#sizes.every} in trouble`;
    const recovered = await this.#recover();
    return [
      figure(`${what}: time to Ready of the others, p50`, quantile(times, 0.5) / 1_000, { unit: "s" }),
      figure(`${what}: time to Ready of the others, p99`, quantile(times, 0.99) / 1_000, { unit: "s" }),
      figure(`${what}: processor time`, seconds, { unit: "CPU s" }),
      figure(`${what}: the rest is Ready after its trouble ends`, recovered, { unit: "s, simulated" }),
    ];
  }

  async #calmHour(): Promise<readonly Measurement[]> {
    const { clock } = this.#fleet;
    // In its first hour a process asks every cluster once what it serves.
    await clock.advance(hourMs);
    await this.#fleet.untilQuiet();
    const [before, begun] = [this.#fleet.traffic(), cpuSeconds()];
    await clock.advance(hourMs);
    await this.#fleet.untilQuiet();
    const after = this.#fleet.traffic();
    const perManifest = (after.remote - before.remote) / (this.#sizes.runtimes * modules.length);
    return [
      figure("an hour without change", after.writes - before.writes, { unit: "writes", most: 0 }),
      figure("an hour without change", perManifest, { unit: "remote requests per Manifest", most: 1 }),
      figure("an hour without change", cpuSeconds() - begun, { unit: "CPU s" }),
    ];
  }

  async #changesInCalm(): Promise<readonly Measurement[]> {
    this.#calm = { single: await this.#singles(1), wave: await this.#wave(2) };
    return [
      ...latencies("a user's change to Ready", this.#calm.single),
      ...latencies(this.#waveName(), this.#calm.wave),
    ];
  }

  /** The same changes while some clusters are in trouble, whose users change something too. */
  async #changesInTrouble(): Promise<readonly Measurement[]> {
    this.#fleet.setTroubles(this.#troubled(this.#sizes.runtimes));
    // Modules are never taken back to an older version, so the order counts.
    const [single, wave] = [await this.#singles(3), await this.#wave(4)];
    const suffix = `, ${troubles.length} of ${this.#sizes.every} in trouble, as the others see it`;
    return [
      ...latencies(`a user's change to Ready${suffix}`, single, this.#calm.single),
      ...latencies(`${this.#waveName()}${suffix}`, wave, this.#calm.wave),
    ];
  }

  async #recovery(): Promise<readonly Measurement[]> {
    const seconds = await this.#recover();
    return [figure("trouble ends: all Ready", seconds, { unit: "s, simulated", most: 900 })];
  }

  async #deathOfTheLeader(): Promise<readonly Measurement[]> {
    const fleet = this.#fleet;
    fleet.startElected();
    await fleet.untilQuiet();
    const half = Math.floor(this.#waveIndexes().length / 2);
    this.#watch.at(half, () => fleet.killLeader());
    const times = await this.#wave(5, () => true);
    const writes = fleet.traffic().writes;
    await fleet.clock.advance(hourMs);
    await fleet.untilQuiet();
    const what = `${this.#waveName()}; the leader is killed when half of them are`;
    return [
      figure(`${what}, slowest; the lease is 15 s`, Math.max(...times) / 1_000, { unit: "s" }),
      figure(`${what}: in the hour after`, fleet.traffic().writes - writes, { unit: "writes", most: 0 }),
    ];
  }

  async #singles(version: number): Promise<readonly number[]> {
    const { runtimes, singles } = this.#sizes;
    const healthy = indexes(0, runtimes).filter((index) => this.#isWell(index));
    const times: number[] = [];
    for (let round = 0; round < singles; round += 1) {
      const index = healthy[Math.floor((round * healthy.length) / singles)] ?? 0;
      times.push(await this.#fleet.change(index, version));
    }
    return times;
  }

  #waveIndexes(): readonly number[] {
    return indexes(0, Math.ceil(this.#sizes.runtimes * waveShare));
  }

  #waveName(): string {
    return `${this.#waveIndexes().length} users change at once: to Ready`;
  }

  /** Milliseconds from each user's change to Ready, of those that are observed. */
  async #wave(version: number, isObserved = (index: number) => this.#isWell(index)): Promise<readonly number[]> {
    for (const index of this.#waveIndexes()) {
      if (isObserved(index)) this.#watch.expect(nameOf(index), (kyma: Kyma) => isReadyIn(kyma, version));
      await this.#fleet.choose(index, version);
    }
    return this.#watch.all();
  }

  /** Seconds until every Kyma is Ready once nothing is in trouble any more. */
  async #recover(): Promise<number> {
    const { clock } = this.#fleet;
    const begun = clock.now();
    this.#fleet.setTroubles(new Map());
    await this.#fleet.untilReady();
    return (clock.now() - begun) / 1_000;
  }

  #troubleOf(index: number): Trouble | undefined {
    return troubles[index % this.#sizes.every];
  }

  #isWell(index: number): boolean {
    return this.#troubleOf(index) === undefined;
  }

  #troubled(count: number): ReadonlyMap<string, Trouble> {
    return new Map(
      indexes(0, count).flatMap((index) => {
        const trouble = this.#troubleOf(index);
        return trouble === undefined ? [] : [[nameOf(index), trouble] as const];
      }),
    );
  }
}

function memoryPeak(): Measurement {
  const { maxRSS } = process.resourceUsage();
  return figure("most memory of the process, clusters included", (maxRSS * 1_024) / gib, { unit: "GiB" });
}

function indexes(from: number, to: number): readonly number[] {
  return Array.from({ length: to - from }, (_, offset) => from + offset);
}

function latencies(what: string, times: readonly number[], calm: readonly number[] = []): readonly Measurement[] {
  return [0.5, 0.99].map((share) => {
    const value = quantile(times, share) / 1_000;
    const peer = calm.length === 0 ? {} : { peer: { name: "in calm, s", value: quantile(calm, share) / 1_000 } };
    return { ...figure(`${what}, p${share * 100}`, value, { unit: "s" }), ...peer };
  });
}

function figure(
  what: string,
  value: number,
  { unit, most }: { readonly unit: string; readonly most?: number },
): Measurement {
  const target = most === undefined ? { target: "none" } : { target: `≤ ${most}`, met: value <= most };
  return { id: "L", what, value, unit, ...target };
}
