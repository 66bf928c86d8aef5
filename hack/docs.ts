/** Writes the generated pages of docs/ and files of config/; `--check` only says whether they are up to date. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { alertPages } from "./pages/alerts.ts";
import { apiPages } from "./pages/api.ts";
import { chartPages } from "./pages/chart.ts";
import { cliPages } from "./pages/cli.ts";
import { conditionPages } from "./pages/conditions.ts";
import { crdPages } from "./pages/crds.ts";
import { dashboardPages } from "./pages/dashboards.ts";
import { errorPages } from "./pages/errors.ts";
import { exitCodePages } from "./pages/exit-codes.ts";
import { flagPages } from "./pages/flags.ts";
import { metricPages } from "./pages/metrics.ts";
import type { Page } from "./pages/page.ts";
import { rolePages } from "./pages/roles.ts";
import { scriptingPages } from "./pages/scripting.ts";

const root = join(import.meta.dirname, "..");
const pages: readonly Page[] = [
  ...apiPages,
  ...flagPages,
  ...cliPages,
  ...errorPages,
  ...exitCodePages,
  ...scriptingPages,
  ...crdPages,
  ...conditionPages,
  ...metricPages,
  ...dashboardPages,
  ...chartPages,
  ...rolePages,
  ...alertPages,
];

const check = process.argv.includes("--check");
const stale: string[] = [];
for (const { path, text } of pages) {
  const file = join(root, path);
  const wanted = await text();
  const found = await readFile(file, "utf8").catch(() => "");
  if (found === wanted) continue;
  stale.push(path);
  if (check) continue;
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, wanted);
}
if (stale.length > 0) console.log(`${check ? "out of date, run make docs:" : "written:"} ${stale.join(", ")}`);
if (check && stale.length > 0) process.exitCode = 1;
