/**
 * `main.ts [--smoke | --long] [--only TEXT]`: runs the workloads whose name contains the text and brings
 * docs/reference up to date with their figures. `--long` runs those of many minutes instead; `--smoke` only shows that
 * each one runs, the long ones included.
 */
import { parseArgs } from "node:util";
import { record } from "./record.ts";
import { resultLine } from "./results.ts";
import { longWorkloads, workloads } from "./workloads.ts";

const { values } = parseArgs({
  options: {
    smoke: { type: "boolean", default: false },
    long: { type: "boolean", default: false },
    only: { type: "string", default: "" },
  },
});

const chosen = values.smoke ? [...workloads, ...longWorkloads] : values.long ? longWorkloads : workloads;

for (const load of chosen) {
  const workload = await load();
  if (!workload.name.includes(values.only)) continue;
  console.error(`${workload.name} …`);
  const measurements = await workload.run({ smoke: values.smoke });
  if (measurements.length === 0) throw new Error(`${workload.name} measured nothing`);
  for (const measurement of measurements) console.error(`  ${resultLine(measurement)}`);
  // Written after each one, so that a long run that is cut short keeps what it has.
  const command = values.long ? `make ${workload.name}` : `make bench ARGS='--only "${workload.name}"'`;
  if (!values.smoke) await record(workload.name, command, measurements);
}
