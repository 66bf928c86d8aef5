import type { Dependency } from "../chart/types.ts";
import { deepCopy } from "../go/compare.ts";
import { formatValue } from "../go/print.ts";
import { type GoMap, type GoValue, TypedMap } from "../go/values.ts";
import { isCompatible } from "../semver/constraint.ts";
import { coalesceValues, layerTables, mergeDefaults, type ValuesContext } from "./coalesce.ts";
import { tableAt, valueAt } from "./paths.ts";
import { type ChartNode, copyNode } from "./tree.ts";

const matches = (node: ChartNode, entry: Dependency): boolean =>
  node.name === entry.name && isCompatible(entry.version, node.chart.metadata.version);

/** The chart of an entry, under its alias; a copy, since one chart can serve several entries. */
function chartFor(nodes: readonly ChartNode[], entry: Dependency, onCopy: () => void): ChartNode | undefined {
  const found = nodes.find((node) => matches(node, entry));
  if (found === undefined) return undefined;
  return { ...copyNode(found, onCopy), name: entry.alias === "" ? found.name : entry.alias };
}

function enabledByTags(entry: Dependency, tags: GoMap | undefined, context: ValuesContext): boolean {
  const verdicts: boolean[] = [];
  for (const tag of entry.tags) {
    const verdict = tags?.get(tag);
    if (typeof verdict === "boolean") verdicts.push(verdict);
    else if (verdict !== undefined) context.warn(`returned non-bool value tag=${tag} chart=${entry.name}`);
  }
  return verdicts.length === 0 || verdicts.includes(true);
}

/** The first path that holds a bool decides and overrides the tags. */
function enabledByCondition(
  entry: Dependency,
  values: GoMap,
  path: string,
  context: ValuesContext,
): boolean | undefined {
  for (const condition of entry.condition.trim().split(",")) {
    const found = condition === "" ? undefined : valueAt(values, path + condition);
    if (typeof found?.value === "boolean") return found.value;
    if (found !== undefined) context.warn(`returned non-bool value path=${condition} chart=${entry.name}`);
  }
  return undefined;
}

function selectDependencies(node: ChartNode, values: GoMap, path: string, context: ValuesContext): void {
  if (node.chart.metadata.dependencies.length === 0) return;
  const unlisted = node.charts.filter((child) => !node.dependencies.some((entry) => matches(child, entry)));
  const listed = node.dependencies.flatMap((entry) => chartFor(node.charts, entry, context.joined) ?? []);
  node.charts = [...unlisted, ...listed];
  const entries = node.dependencies.map((entry) => ({ ...entry, name: entry.alias === "" ? entry.name : entry.alias }));

  const coalesced = coalesceValues(node, values, context);
  const tags = tableAt(coalesced, "tags");
  const decided = entries.map((entry) => ({
    ...entry,
    enabled: enabledByCondition(entry, coalesced, path, context) ?? enabledByTags(entry, tags, context),
  }));
  const disabled = new Set(decided.filter((entry) => !entry.enabled).map((entry) => entry.name));
  node.charts = node.charts.filter((child) => !disabled.has(child.name));
  for (const child of node.charts) selectDependencies(child, coalesced, `${path}${child.name}.`, context);
  node.dependencies = decided.filter((entry) => !disabled.has(entry.name));
}

const importPair = (child: string, parent: string): GoValue =>
  new TypedMap("map[string]string", false, [
    ["child", child],
    ["parent", parent],
  ]);

/** A map with the table at the end of a path of names. */
function nested(path: string, table: GoMap): GoMap {
  if (path === ".") return table;
  return path.split(".").reduceRight<GoMap>((inner, name) => new Map([[name, inner]]), table);
}

interface Import {
  readonly child: string;
  readonly parent: string;
}

function importOf(entry: GoValue): Import | undefined {
  if (typeof entry === "string") return { child: `exports.${entry}`, parent: "." };
  if (!(entry instanceof Map)) return undefined;
  return { child: formatValue(entry.get("child")), parent: formatValue(entry.get("parent")) };
}

/** Nulls stay where they are: a parent's null wins over what is imported. */
function importValues(node: ChartNode, context: ValuesContext): void {
  if (node.dependencies.length === 0) return;
  const defaults = mergeDefaults(node, new Map(), context);
  let imported: GoMap = new Map();
  node.dependencies = node.dependencies.map((entry) => {
    const pairs = entry.importValues.map(importOf).filter((pair) => pair !== undefined);
    for (const { child, parent } of pairs) {
      const table = tableAt(defaults, `${entry.name}.${child}`);
      if (table === undefined)
        context.warn(`ImportValues missing table from chart ${entry.name}: "${child}" is not a table`);
      else imported = layerTables(imported, nested(parent, deepCopy(table) as GoMap), context);
    }
    return { ...entry, importValues: pairs.map(({ child, parent }) => importPair(child, parent)) };
  });
  node.values = layerTables(defaults, imported, context);
}

function importAll(node: ChartNode, context: ValuesContext): void {
  for (const child of node.charts) importAll(child, context);
  importValues(node, context);
}

/** Decides which charts take part, under which names, and imports values from them. Changes the tree. */
export function processDependencies(root: ChartNode, values: GoMap, context: ValuesContext): void {
  selectDependencies(root, values, "", context);
  importAll(root, context);
}
