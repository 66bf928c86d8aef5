import type { Chart } from "../chart/types.ts";
import { helm } from "../errors.ts";

const namePattern = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const maxNameLength = 53;

/** Throws `HELM_VALUES` for a name that is none for a release. */
export function checkReleaseName(name: string): void {
  if (name === "") throw helm.VALUES({ text: "no name provided" });
  if (name.length <= maxNameLength && namePattern.test(name)) return;
  throw helm.VALUES({
    text: `release name check failed: release name "${name}": invalid release name, must match regex ${namePattern.source} and the length must not be longer than ${maxNameLength}`,
  });
}

/** Throws `HELM_CHART` when the chart cannot be installed or a listed dependency is not there. */
export function checkDependencies(chart: Chart): void {
  if (chart.metadata.type === "library") throw helm.CHART({ text: "library charts are not installable" });
  const present = new Set(chart.charts.map((each) => each.metadata.name));
  const missing = chart.metadata.dependencies.map((entry) => entry.name).filter((name) => !present.has(name));
  if (missing.length === 0) return;
  throw helm.CHART({
    text:
      "an error occurred while checking for chart dependencies. You may need to run `helm dependency build` to fetch missing dependencies: " +
      `found in Chart.yaml, but missing in charts/ directory: ${missing.join(", ")}`,
  });
}
