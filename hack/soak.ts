/**
 * `soak.ts [--only simulation|churn] [--seeds N] [--days N] [--minutes N]`: plays stories under seeded faults, a
 * thousand switchovers of a lease and days of 24 simulated hours, then minutes of real time under churn. What has its
 * full length is recorded in docs/reference/benchmarks.md.
 *
 * `soak.ts --story NAME --from SEED [--seeds N]`: plays these seeds alone, for example one that has failed.
 */
import { parseArgs } from "node:util";
import type { Measurement } from "../bench/measurement.ts";
import { record } from "../bench/record.ts";
import { resultLine } from "../bench/results.ts";
import { churnFor } from "./soak-churn.ts";
import { playSeeds, simulate } from "./soak-simulation.ts";

const { values } = parseArgs({
  options: {
    only: { type: "string", default: "" },
    seeds: { type: "string", default: "10000" },
    days: { type: "string", default: "5" },
    minutes: { type: "string", default: "20" },
    story: { type: "string" },
    from: { type: "string", default: "1" },
  },
});
const parts: Readonly<Record<string, () => Promise<readonly Measurement[]>>> = {
  simulation: () => simulate({ seeds: Number(values.seeds), days: Number(values.days) }),
  churn: () => churnFor(Number(values.minutes)),
};

if (values.story !== undefined) {
  await playSeeds(values.story, { from: Number(values.from), count: Number(values.seeds) });
} else {
  for (const [name, run] of Object.entries(parts)) if (name.includes(values.only)) await soak(name, run);
}

async function soak(name: string, run: () => Promise<readonly Measurement[]>): Promise<void> {
  const measurements = await run();
  for (const measurement of measurements) console.log(resultLine(measurement));
  const isWhole = measurements.every(({ met }) => met === true);
  if (isWhole) await record(`soak: ${name}`, `make soak ARGS='--only ${name}'`, measurements);
}
