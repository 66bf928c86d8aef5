/**
 * `main.ts [--smoke] [--only TEXT]`: runs the workloads whose name contains the text and brings
 * docs/reference/benchmarks.md up to date with their figures. `--smoke` only shows that each one runs.
 */
import { parseArgs } from "node:util";
import { record } from "./record.ts";
import { resultLine } from "./results.ts";
import { workloads } from "./workloads.ts";

const { values } = parseArgs({
  options: { smoke: { type: "boolean", default: false }, only: { type: "string", default: "" } },
});

for (const load of workloads) {
  const workload = await load();
  if (!workload.name.includes(values.only)) continue;
  console.error(`${workload.name} …`);
  const measurements = await workload.run({ smoke: values.smoke });
  if (measurements.length === 0) throw new Error(`${workload.name} measured nothing`);
  for (const measurement of measurements) console.error(`  ${resultLine(measurement)}`);
  // Written after each one, so that a long run that is cut short keeps what it has.
  if (!values.smoke) await record(workload.name, `make bench ARGS='--only "${workload.name}"'`, measurements);
}
