import { compareBytes, fromBytes } from "../go/bytes.ts";
import type { GoMap, GoValue } from "../go/values.ts";
import { type ChartNode, metadataOf } from "../values/tree.ts";
import type { Compat } from "../version.ts";
import { chartObject } from "./chart-object.ts";
import { Files } from "./files.ts";
import { ValuesMap } from "./values-map.ts";

/** A template file with the context it renders in. */
export interface Renderable {
  readonly path: string;
  readonly source: string;
  readonly basePath: string;
  readonly context: GoMap;
}

/** What every chart of the tree sees alike. */
export interface Shared {
  readonly release: GoMap;
  readonly capabilities: GoValue;
  readonly compat: Compat;
}

const baseName = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

export const isPartial = (path: string): boolean => baseName(path).startsWith("_");

function collect(node: ChartNode, where: { path: string; values: GoMap }, shared: Shared, into: Renderable[]): GoMap {
  const context = new ValuesMap(shared.compat);
  const subcharts: GoMap = new Map();
  context.set("Chart", chartObject(node, shared.compat));
  context.set("Files", new Files(node.chart.files));
  context.set("Release", shared.release);
  context.set("Capabilities", shared.capabilities);
  context.set("Values", where.values);
  context.set("Subcharts", subcharts);
  for (const child of node.charts) {
    const own = where.values.get(child.name);
    const values = new ValuesMap(shared.compat, own instanceof Map ? own : new Map());
    subcharts.set(child.name, collect(child, { path: `${where.path}/charts/${child.name}`, values }, shared, into));
  }
  const isLibrary = metadataOf(node).type.toLowerCase() === "library";
  for (const { name, data } of node.chart.templates) {
    if (isLibrary && !isPartial(name)) continue;
    into.push({ path: `${where.path}/${name}`, source: fromBytes(data), basePath: `${where.path}/templates`, context });
  }
  return context;
}

const depth = (path: string): number => path.split("/").length;

/** All templates of a chart tree in helm's order: deepest path first, equal depths by descending bytes. */
export function collectTemplates(root: ChartNode, values: GoMap, shared: Shared): Renderable[] {
  const renderables: Renderable[] = [];
  collect(root, { path: root.name, values: new ValuesMap(shared.compat, values) }, shared, renderables);
  return renderables.sort((a, b) => depth(b.path) - depth(a.path) || compareBytes(b.path, a.path));
}
