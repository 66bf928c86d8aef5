import type { Chart, Dependency, Metadata } from "../chart/types.ts";
import type { GoMap } from "../go/values.ts";

/**
 * A chart in the course of one render: named by its alias, with the dependencies that take part, and with
 * imported values. The loaded {@link Chart} behind it is never changed.
 */
export interface ChartNode {
  readonly chart: Chart;
  name: string;
  dependencies: Dependency[];
  values: GoMap;
  charts: ChartNode[];
  readonly isRoot: boolean;
}

export function toNode(chart: Chart, isRoot = true): ChartNode {
  return {
    chart,
    name: chart.metadata.name,
    dependencies: [...chart.metadata.dependencies],
    values: chart.values,
    charts: chart.charts.map((each) => toNode(each, false)),
    isRoot,
  };
}

/** A copy that can take another name and lose dependencies without touching the original; `onCopy` is asked for each chart. */
export function copyNode(node: ChartNode, onCopy: () => void): ChartNode {
  onCopy();
  const charts = node.charts.map((child) => copyNode(child, onCopy));
  return { ...node, dependencies: [...node.dependencies], charts };
}

/** The metadata as templates see it. */
export function metadataOf(node: ChartNode): Metadata {
  return { ...node.chart.metadata, name: node.name, dependencies: node.dependencies };
}
