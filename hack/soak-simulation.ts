import { deepEqual } from "node:assert/strict";
import { fork } from "node:child_process";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import type { Measurement } from "../bench/measurement.ts";
import { everyFault, everySeed, play, playShards, playSwitchovers } from "../testing/index.ts";
import { aDay, stories } from "./soak-stories.ts";

const wantedSeeds = 10_000;
const wantedSwitchovers = 1000;
const wantedFleets = 50;
/** A fleet takes about as long as so many seeds. */
const seedsPerFleet = 200;

/** Plays every story under so many seeds, on all cores, then switchovers and days. Throws at the first surprise. */
export async function simulate(size: { readonly seeds: number; readonly days: number }): Promise<Measurement[]> {
  const measurements: Measurement[] = [];
  for (const name of Object.keys(stories)) measurements.push(await playStory(name, size.seeds));
  return [
    ...measurements,
    await switchOver(),
    await rebalance(Math.ceil(size.seeds / seedsPerFleet)),
    await playDays(size.days),
  ];
}

/** Plays some seeds of a story in this process; each must end as the calm run. */
export async function playSeeds(name: string, seeds: { readonly from: number; readonly count: number }): Promise<void> {
  const story = await loadStory(name);
  const end = seeds.from + seeds.count;
  for (let from = seeds.from; from < end; from += 100) {
    const count = Math.min(100, end - from);
    await everySeed(story, { from, count });
    console.log(`${name}: seeds ${from} to ${from + count - 1} end as the calm run`);
  }
}

/** A shorter run shows nothing wrong either, but does not count. */
const metBy = (size: number, wanted: number): { met?: true } => (size >= wanted ? { met: true } : {});

async function loadStory(name: string) {
  const load = stories[name];
  if (load === undefined) throw new Error(`no story ${name}; there are ${Object.keys(stories).join(", ")}`);
  return load();
}

async function playStory(name: string, seeds: number): Promise<Measurement> {
  const { runs } = await everyFault(await loadStory(name));
  await shareSeeds(name, seeds);
  const what = `${name} under seeded faults: runs that end as the calm one`;
  const note = `besides ${runs} runs with a single fault`;
  return { id: "R", what, value: seeds, unit: "runs", target: "≥ 10,000", ...metBy(seeds, wantedSeeds), note };
}

/** Each job is a process of its own: one that hangs or dies shows its seeds. */
async function shareSeeds(name: string, seeds: number): Promise<void> {
  const size = Math.ceil(seeds / availableParallelism());
  const codes: Promise<number | null>[] = [];
  for (let from = 1; from <= seeds; from += size) {
    const count = Math.min(size, seeds - from + 1);
    const args = ["--story", name, "--from", String(from), "--seeds", String(count)];
    const job = fork(join(import.meta.dirname, "soak.ts"), args);
    codes.push(new Promise((resolve) => job.once("exit", resolve)));
  }
  if ((await Promise.all(codes)).some((code) => code !== 0)) throw new Error("a job failed; its seed stands above");
}

async function switchOver(): Promise<Measurement> {
  const { count, overlaps, writes } = await playSwitchovers({ count: wantedSwitchovers, seed: 1 });
  if (overlaps.length > 0) throw new Error(`${overlaps.length} writes without the lease: ${overlaps[0]}`);
  const what = "two managers on one lease: switchovers without a write of both";
  const met = metBy(count, wantedSwitchovers);
  return { id: "R", what, value: count, unit: "switchovers", target: "≥ 1,000", ...met, note: `${writes} writes` };
}

async function rebalance(fleets: number): Promise<Measurement> {
  let all = 0;
  for (let seed = 1; seed <= fleets; seed += 1) {
    const { overlaps, forgotten, passes } = await playShards({ seed, turns: 20 });
    deepEqual({ overlaps, forgotten }, { overlaps: [], forgotten: 0 }, `fleet ${seed}`);
    all += passes;
  }
  const what = "four shards over three replicas that come, go and are cut off: runs in which no key has two owners";
  const met = metBy(fleets, wantedFleets);
  return { id: "R", what, value: fleets, unit: "runs", target: "≥ 50", ...met, note: `${all} passes` };
}

async function playDays(days: number): Promise<Measurement> {
  let all = 0;
  for (let day = 1; day <= days; day += 1) {
    const { outcome, writes, idleWrites } = await play(aDay(day), { seed: day });
    deepEqual({ outcome, idleWrites }, { outcome: [], idleWrites: 0 }, `day ${day}`);
    all += writes;
    console.log(`day ${day}: 24 hours of trouble, ${writes} writes, nothing left behind`);
  }
  const what = "24 simulated hours of trouble: runs that leave nothing behind";
  return { id: "R", what, value: days, unit: "days", target: "≥ 1", ...metBy(days, 1), note: `${all} writes` };
}
