/** `main.ts [--smoke] [--only TEXT]`: runs the workloads and writes docs/reference/benchmarks.md (not with --smoke). */
import { execFileSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { cpus, totalmem } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Measurement } from "./measurement.ts";
import { workloads } from "./workloads.ts";

const { values } = parseArgs({
  options: { smoke: { type: "boolean", default: false }, only: { type: "string", default: "" } },
});
const results: Measurement[] = [];
for (const load of workloads) {
  const workload = await load();
  if (!workload.name.includes(values.only)) continue;
  console.error(`${workload.name} …`);
  const measurements = await workload.run({ smoke: values.smoke });
  if (measurements.length === 0) throw new Error(`${workload.name} measured nothing`);
  for (const measurement of measurements) console.error(`  ${line(measurement)}`);
  results.push(...measurements);
}

const root = join(import.meta.dirname, "..");
if (!values.smoke && values.only === "") await writeFile(join(root, "docs", "reference", "benchmarks.md"), page());

function line({ id, what, value, unit, target, met, peer }: Measurement): string {
  const verdict = met === undefined ? "" : met ? ", met" : ", NOT met";
  const against = peer === undefined ? "" : ` (${peer.name}: ${short(peer.value)})`;
  return `${id} ${what}: ${short(value)} ${unit}${against}, target ${target}${verdict}`;
}

function short(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString("en-US") : Number(value.toPrecision(3)).toString();
}

function page(): string {
  const commit = execFileSync("git", ["rev-parse", "--short", "HEAD"], { cwd: root, encoding: "utf8" }).trim();
  const rows = results.map(
    ({ id, what, value, unit, target, met, peer, note }) =>
      `| ${id} | ${what}${note === undefined ? "" : `; ${note}`} | ${short(value)} ${unit} | ${peer === undefined ? "" : `${peer.name}: ${short(peer.value)}`} | ${target} | ${met === undefined ? "" : met ? "yes" : "no"} |`,
  );
  return [
    "# Benchmarks",
    "",
    "Medians of one run of `make bench`. Machines are noisy: compare the ratio to the peer, which was measured in the same run.",
    "",
    `Machine: ${cpus().length} × ${cpus()[0]?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GiB; Node.js ${process.versions.node}; commit ${commit}.`,
    "",
    "| # | Work | Result | Peer | Target | Met |",
    "|---|---|---|---|---|---|",
    ...rows,
    "",
  ].join("\n");
}
