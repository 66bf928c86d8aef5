/**
 * `soak.ts [--story NAME] [--from SEED] [--count SEEDS] [--jobs N] [--days N] [--minutes N]`: plays stories under
 * seeded faults, then a thousand switchovers of a lease, days of 24 simulated hours, and minutes of real time under
 * churn. A seed that fails is named and replays alone: `--story NAME --from SEED --count 1`.
 */
import { deepEqual } from "node:assert/strict";
import { fork } from "node:child_process";
import { parseArgs } from "node:util";
import { everyFault, everySeed, play, playSwitchovers } from "../testing/index.ts";
import { churnFor } from "./soak-churn.ts";
import { aDay, stories } from "./soak-stories.ts";

const { values } = parseArgs({
  options: {
    story: { type: "string", default: "" },
    from: { type: "string", default: "1" },
    count: { type: "string", default: "10000" },
    jobs: { type: "string", default: "2" },
    days: { type: "string", default: "5" },
    minutes: { type: "string", default: "20" },
  },
});
const [from, count, jobs] = [Number(values.from), Number(values.count), Number(values.jobs)];

if (jobs > 1 && count > 1) await share();
else await playAll();

/** Each job is a process of its own: one that hangs or dies shows its seeds. */
async function share(): Promise<void> {
  const size = Math.ceil(count / jobs);
  const codes = await Promise.all(
    Array.from({ length: jobs }, (_, index) => {
      const first = from + index * size;
      const mine = Math.min(size, from + count - first);
      const args = ["--story", values.story, "--from", String(first), "--count", String(mine), "--jobs", "1"];
      const child = fork(import.meta.filename, args);
      return new Promise<number | null>((resolve) => child.once("exit", resolve));
    }),
  );
  if (codes.some((code) => code !== 0)) throw new Error("a job failed; its seed stands above");
  if (values.story !== "") return;
  await switchOver();
  for (let day = 1; day <= Number(values.days); day += 1) await playDay(day);
  if (Number(values.minutes) > 0) await churnFor(Number(values.minutes));
}

async function playDay(seed: number): Promise<void> {
  const { outcome, writes, idleWrites } = await play(aDay(seed), { seed });
  deepEqual({ outcome, idleWrites }, { outcome: [], idleWrites: 0 }, `day ${seed}`);
  console.log(`day ${seed}: 24 hours of trouble, ${writes} writes, nothing left behind`);
}

async function playAll(): Promise<void> {
  for (const [name, load] of Object.entries(stories)) {
    if (!name.includes(values.story)) continue;
    const story = await load();
    // Single faults are the same for all jobs, so the first one plays them.
    if (from === 1 && count > 1) console.log(`${name}: ${(await everyFault(story)).runs} runs with a single fault`);
    for (let seed = from; seed < from + count; seed += 100) {
      const batch = Math.min(100, from + count - seed);
      await everySeed(story, { from: seed, count: batch });
      console.log(`${name}: seeds ${seed} to ${seed + batch - 1} end as the calm run`);
    }
  }
}

async function switchOver(): Promise<void> {
  const { count: switchovers, overlaps, writes } = await playSwitchovers({ count: 1000, seed: 1 });
  if (overlaps.length > 0) throw new Error(`${overlaps.length} writes without the lease: ${overlaps[0]}`);
  console.log(`${switchovers} switchovers, ${writes} writes, none without the lease`);
}
