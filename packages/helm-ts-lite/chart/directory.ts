import { fromBytes } from "../go/bytes.ts";
import { withoutBom } from "./archive.ts";
import type { ChartBudget } from "./budget.ts";
import { isIgnored, parseIgnore } from "./ignore.ts";
import type { ChartFile } from "./types.ts";

/** Takes the files of a chart directory, given by their path from its root; `.helmignore` applies. */
export function readDirectory(files: ReadonlyMap<string, Uint8Array>, budget: ChartBudget): ChartFile[] {
  const ignore = files.get(".helmignore");
  const rules = parseIgnore(ignore === undefined ? "" : fromBytes(withoutBom(ignore)));
  if (rules.length > budget.limits.maxIgnoreRules) throw budget.exceeded("maxIgnoreRules", ".helmignore");
  const kept: ChartFile[] = [];
  for (const path of [...files.keys()].sort()) {
    if (isIgnored(path, rules)) continue;
    const data = withoutBom(files.get(path) ?? new Uint8Array());
    budget.file(data.length, path);
    kept.push({ name: path, data });
  }
  return kept;
}
