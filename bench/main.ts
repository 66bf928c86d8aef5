/**
 * `main.ts [--smoke] [--only TEXT]`: runs the workloads whose name contains the text and brings
 * docs/reference/benchmarks.md up to date with their figures. `--smoke` only shows that each one runs.
 */
import { execFileSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { cpus, totalmem } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Results, resultLine, resultsPage } from "./results.ts";
import { workloads } from "./workloads.ts";

const { values } = parseArgs({
  options: { smoke: { type: "boolean", default: false }, only: { type: "string", default: "" } },
});
const root = join(import.meta.dirname, "..");
const file = join(import.meta.dirname, "results.json");
const results: Record<string, Results[string]> = JSON.parse(await readFile(file, "utf8").catch(() => "{}"));
const commit = execFileSync("git", ["rev-parse", "--short", "HEAD"], { cwd: root, encoding: "utf8" }).trim();
const machine = `${cpus().length} × ${cpus()[0]?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node.js ${process.versions.node}`;

for (const load of workloads) {
  const workload = await load();
  if (!workload.name.includes(values.only)) continue;
  console.error(`${workload.name} …`);
  const measurements = await workload.run({ smoke: values.smoke });
  if (measurements.length === 0) throw new Error(`${workload.name} measured nothing`);
  for (const measurement of measurements) console.error(`  ${resultLine(measurement)}`);
  if (values.smoke) continue;
  // Written after each one, so that a long run that is cut short keeps what it has.
  results[workload.name] = { commit, machine, measurements };
  await writeFile(file, `${JSON.stringify(results, undefined, 2)}\n`);
  await writeFile(join(root, "docs", "reference", "benchmarks.md"), resultsPage(results));
}
