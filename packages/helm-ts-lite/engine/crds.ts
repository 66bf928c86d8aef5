import { fromBytes } from "../go/bytes.ts";
import type { ChartNode } from "../values/tree.ts";

/** A file of `crds/`, untouched. */
export interface CrdFile {
  /** The path below the name of its chart, for example `app/crds/crd.yaml`. */
  readonly source: string;
  readonly text: string;
}

const isCrd = (name: string): boolean => name.startsWith("crds/") && /\.(?:yaml|yml|json)$/i.test(name);

/** The CRD files of a chart, then those of its subcharts. */
export function collectCrds(node: ChartNode, path = node.name): CrdFile[] {
  const own = node.chart.files
    .filter(({ name }) => isCrd(name))
    .map(({ name, data }) => ({ source: `${path}/${name}`, text: fromBytes(data) }));
  return [...own, ...node.charts.flatMap((child) => collectCrds(child, `${path}/charts/${child.name}`))];
}
