import { helm } from "../errors.ts";
import { deepCopy } from "../go/compare.ts";
import { sprintf } from "../go/sprintf.ts";
import type { GoMap, GoValue } from "../go/values.ts";
import { countValues } from "../go/weigh.ts";
import type { Compat } from "../version.ts";
import type { ChartNode } from "./tree.ts";

/** What putting values together may use of the rendering around it. */
export interface ValuesContext {
  readonly compat: Compat;
  /** Gets what helm would say on standard error. */
  readonly warn: (text: string) => void;
  /** Counts values that are copied; throws when there are too many. */
  readonly copied: (count: number) => void;
  /** Counts a chart that takes part; throws when there are too many. */
  readonly joined: () => void;
}

interface Coalescing extends ValuesContext {
  /** Keep nulls instead of letting them remove defaults. */
  readonly keepNulls: boolean;
}

const isMap = (value: GoValue): value is GoMap => value instanceof Map;

/** Puts defaults under values; what the values say wins. Changes and returns the values. */
function coalesceTables(values: GoMap, defaults: GoMap, options: Coalescing & { readonly path: string }): GoMap {
  options.copied(defaults.size);
  for (const [key, value] of defaults) {
    const own = values.get(key);
    const path = `${options.path}.${key}`;
    if (!values.has(key)) values.set(key, value);
    else if (own === null && removes(value, options)) values.delete(key);
    else if (isMap(value)) mergeTable(own, value, { ...options, path });
    else if (isMap(own) && value !== null) {
      options.warn(sprintf("warning: destination for %s is a table. Ignoring non-table value (%v)", [path, value]));
    }
  }
  return values;
}

/** Whether a null takes this default away. A null default stays with helm 4, as a null. */
function removes(value: GoValue, { keepNulls, compat }: Coalescing): boolean {
  return !keepNulls && (value !== null || compat === 3);
}

function mergeTable(own: GoValue, value: GoMap, options: Coalescing & { readonly path: string }): void {
  if (isMap(own)) coalesceTables(own, value, options);
  else if (own !== null)
    options.warn(sprintf("warning: cannot overwrite table with non table for %s (%v)", [options.path, value]));
}

/** The defaults of a chart under the values for it. Nulls for a subchart are kept: they must still reach it. */
function coalesceChart(node: ChartNode, values: GoMap, options: Coalescing & { readonly path: string }): void {
  options.copied(countValues(node.values));
  const children = new Set(node.charts.map((child) => child.name));
  for (const [key, value] of node.values) {
    const own = values.get(key);
    if (!values.has(key)) values.set(key, deepCopy(value));
    else if (own === null && !options.keepNulls) values.delete(key);
    else if (isMap(own) && isMap(value)) {
      const keepNulls = options.keepNulls || children.has(key);
      coalesceTables(own, deepCopy(value) as GoMap, { ...options, keepNulls, path: `${options.path}.${key}` });
    } else if (isMap(own) && value !== null) {
      options.warn(`warning: skipped value for ${options.path}.${key}: Not a table.`);
    }
  }
}

/** Hands globals down: the parent's win, maps merge in depth. */
function coalesceGlobals(child: GoMap, parent: GoMap, options: Coalescing & { readonly path: string }): void {
  const own = child.has("global") ? child.get("global") : new Map<string, GoValue>();
  const given = parent.has("global") ? parent.get("global") : new Map<string, GoValue>();
  if (!isMap(own)) {
    options.warn("warning: skipping globals because destination global is not a table.");
    return;
  }
  if (!isMap(given)) {
    options.warn("warning: skipping globals because source global is not a table.");
    return;
  }
  options.copied(given.size);
  for (const [key, value] of given) setGlobal(own, key, value, options);
  child.set("global", own);
}

function setGlobal(globals: GoMap, key: string, value: GoValue, options: Coalescing & { readonly path: string }): void {
  const own = globals.get(key);
  if (!isMap(value)) {
    if (isMap(own)) options.warn(`key ${key} is table. Skipping`);
    else globals.set(key, value);
    return;
  }
  if (own !== undefined && !isMap(own)) {
    options.warn(`Conflict: cannot merge map onto non-map for "${key}". Skipping.`);
    return;
  }
  options.copied(value.size);
  const merged: GoMap = new Map(value);
  if (own !== undefined) coalesceTables(merged, own, { ...options, keepNulls: true, path: `${options.path}.${key}` });
  globals.set(key, merged);
}

function coalesceTree(node: ChartNode, values: GoMap, options: Coalescing & { readonly path: string }): GoMap {
  const path = options.path === "" ? node.name : `${options.path}.${node.name}`;
  coalesceChart(node, values, { ...options, path });
  for (const child of node.charts) {
    const existing = values.has(child.name) ? values.get(child.name) : new Map<string, GoValue>();
    if (!isMap(existing)) {
      throw helm.VALUES({ text: `type mismatch on ${child.name}: ${sprintf("%t", [existing])}` });
    }
    values.set(child.name, existing);
    coalesceGlobals(existing, values, { ...options, path });
    coalesceTree(child, existing, { ...options, path });
  }
  return values;
}

/**
 * The values of a chart and all its subcharts under each other: what the user gave, then the parents' defaults,
 * then the charts' own. Nulls remove defaults. The arguments stay as they are.
 */
export function coalesceValues(node: ChartNode, values: GoMap, context: ValuesContext): GoMap {
  return coalesceTree(node, deepCopy(values) as GoMap, { ...context, keepNulls: false, path: "" });
}

/** As {@link coalesceValues}, but nulls stay where they are. */
export function mergeDefaults(node: ChartNode, values: GoMap, context: ValuesContext): GoMap {
  return coalesceTree(node, deepCopy(values) as GoMap, { ...context, keepNulls: true, path: "" });
}

/** One table under another, the first one winning, with its nulls. */
export function layerTables(values: GoMap, defaults: GoMap, context: ValuesContext): GoMap {
  return coalesceTables(values, defaults, { ...context, keepNulls: true, path: "" });
}
