import { helm } from "../errors.ts";
import { fromBytes } from "../go/bytes.ts";
import type { HelmLimits } from "../limits.ts";
import { withoutBom } from "./archive.ts";
import { isIgnored, parseIgnore } from "./ignore.ts";
import type { ChartFile } from "./types.ts";

/** Takes the files of a chart directory, given by their path from its root; `.helmignore` applies. */
export function readDirectory(
  files: ReadonlyMap<string, Uint8Array>,
  limits: HelmLimits,
  name = "directory",
): ChartFile[] {
  const ignore = files.get(".helmignore");
  const rules = parseIgnore(ignore === undefined ? "" : fromBytes(withoutBom(ignore)));
  const kept: ChartFile[] = [];
  let bytes = 0;
  const limit = (which: keyof HelmLimits): Error => helm.LIMIT({ chart: name, limit: which, max: limits[which] });
  for (const path of [...files.keys()].sort()) {
    if (isIgnored(path, rules)) continue;
    const data = withoutBom(files.get(path) ?? new Uint8Array());
    bytes += data.length;
    if (data.length > limits.maxFileBytes) throw limit("maxFileBytes");
    if (bytes > limits.maxChartBytes) throw limit("maxChartBytes");
    if (kept.push({ name: path, data }) > limits.maxFiles) throw limit("maxFiles");
  }
  return kept;
}
