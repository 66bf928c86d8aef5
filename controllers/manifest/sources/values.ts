import { textOf } from "@kyma-operators/errors";
import { parseYaml } from "@kyma-operators/yaml";
import { mergeUserValues } from "helm-ts-lite";
import type { Manifest } from "../../../apis/operator/manifest.ts";
import { manifestErrors } from "../errors.ts";
import { isRecord, type JsonRecord } from "../json.ts";

/** The digest of a Manifest's configuration layer, if it has one. */
export function configRef(manifest: Manifest): string | undefined {
  const { type, ref } = manifest.spec.config ?? {};
  return type === undefined || type === "" || ref === undefined || ref === "" ? undefined : ref;
}

/**
 * Reads the values that a configuration layer has for an install: the `overrides` of its first entry of that name, in
 * the grammar of `--set`. A layer of another shape has none: it is for the module itself.
 *
 * Throws `MANIFEST_CONTENT_INVALID` when there is an entry that can't be read.
 */
export function configValues(text: string, installName: string, source: string): JsonRecord {
  const document = parseYaml(text, { name: source });
  const configs = isRecord(document) ? document["configs"] : undefined;
  if (!Array.isArray(configs)) return {};
  const entry = configs.filter(isRecord).find((config) => config["name"] === installName);
  if (entry === undefined) return {};
  const { overrides } = entry;
  if (typeof overrides !== "string") {
    const problem = `configs[name=${installName}].overrides is ${JSON.stringify(overrides)}, expected a text like "a.b=c,d=e"`;
    throw manifestErrors.CONTENT_INVALID({ source, problem });
  }
  try {
    return plain(mergeUserValues({ set: [overrides] }, refuseFile)) as JsonRecord;
  } catch (error) {
    throw manifestErrors.CONTENT_INVALID({ source, problem: textOf(error) }, error);
  }
}

/** Later values win; maps are merged, `null` stays to delete a default of the chart. */
export function mergeValues(base: JsonRecord, over: JsonRecord): JsonRecord {
  const merged: Record<string, unknown> = { ...base };
  for (const [key, value] of Object.entries(over)) {
    const old = merged[key];
    merged[key] = isRecord(old) && isRecord(value) ? mergeValues(old, value) : value;
  }
  return merged;
}

function refuseFile(path: string): string {
  throw new Error(`no file ${path} here`);
}

/** Maps and 64-bit integers of the `--set` grammar as JSON has them. */
function plain(value: unknown): unknown {
  if (value instanceof Map) return Object.fromEntries([...value].map(([key, entry]) => [String(key), plain(entry)]));
  if (Array.isArray(value)) return value.map(plain);
  return typeof value === "bigint" ? Number(value) : value;
}
