import { defaultLimits, type HelmLimits } from "../limits.ts";
import type { Compat } from "../version.ts";
import { readArchive } from "./archive.ts";
import { ChartBudget } from "./budget.ts";
import { readDirectory } from "./directory.ts";
import { loadFiles } from "./load.ts";
import type { Chart } from "./types.ts";

/** A packaged chart (`.tgz`), or the files of a chart directory by their path from its root. */
export type ChartSource = Uint8Array | ReadonlyMap<string, Uint8Array>;

export interface LoadOptions extends Partial<HelmLimits> {
  /** Names the source in errors. */
  readonly name?: string;
  /** Follow helm 3 where it differs. Default 4. */
  readonly compat?: Compat;
}

/**
 * Loads a chart. The result is immutable and can be rendered any number of times; its `digest` names its content.
 *
 * `.helmignore` applies to directories only. Links in archives count as empty files and are never followed.
 * Throws `HELM_CHART` with helm's own text, `HELM_LIMIT` for what is too large.
 */
export function loadChart(source: ChartSource, options: LoadOptions = {}): Chart {
  const { name = "chart", compat = 4, ...given } = options;
  const limits = { ...defaultLimits, ...given };
  const budget = new ChartBudget(name, limits);
  const files = source instanceof Uint8Array ? readArchive(source, name, budget) : readDirectory(source, budget);
  return loadFiles(files, { budget, compat });
}
