import type { Manifest } from "../apis/operator/manifest.ts";

type JsonObject = Readonly<Record<string, unknown>>;

/** Values for modules that are charts: `global`, and those of single modules by their names. */
export type ModuleValues = Readonly<Record<string, JsonObject>>;

/** The install source with the values of its module; unchanged for what takes none. */
export function withValues(
  install: Manifest["spec"]["install"],
  module: string,
  values: ModuleValues,
): Manifest["spec"]["install"] {
  const { global: shared, [module]: own = {} } = values;
  const all = { ...own, ...(shared === undefined ? {} : { global: { ...shared, ...objectIn(own["global"]) } }) };
  if (install.source["type"] !== "helm-chart" || Object.keys(all).length === 0) return install;
  return { ...install, source: { ...install.source, values: all } };
}

function objectIn(value: unknown): JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
}
