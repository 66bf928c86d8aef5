import { execFileSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { cpus, totalmem } from "node:os";
import { join } from "node:path";
import type { Measurement } from "./measurement.ts";
import { curvesOf } from "./plot.ts";
import { loadPage, type Results, resultsPage } from "./results.ts";

const root = join(import.meta.dirname, "..");
const file = join(import.meta.dirname, "results.json");
/** That of the code which runs; others may commit while it does. */
const commit = execFileSync("git", ["rev-parse", "--short", "HEAD"], { cwd: root, encoding: "utf8" }).trim();

/** Puts the figures of one workload, with where they were taken, into results.json and the pages of docs/. */
export async function record(workload: string, command: string, measurements: readonly Measurement[]): Promise<void> {
  const machine = `${cpus().length} × ${cpus()[0]?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node.js ${process.versions.node}`;
  // Read anew, because another run may have written meanwhile.
  const before = JSON.parse(await readFile(file, "utf8").catch(() => "{}")) as Results;
  const results: Results = { ...before, [workload]: { command, commit, machine, measurements } };
  await writeFile(file, `${JSON.stringify(results, undefined, 2)}\n`);
  const reference = join(root, "docs", "reference");
  await writeFile(join(reference, "benchmarks.md"), resultsPage(results));
  if (results["load"] !== undefined) await writeFile(join(reference, "load.md"), loadPage(results["load"]));
  for (const { file: picture, svg } of curvesOf(measurements))
    await writeFile(join(root, "docs", "images", picture), svg);
}
