import { parseYaml } from "@kyma-operators/yaml";
import { type FlagTable, flagErrors, type RawFlags } from "./flags.ts";

/**
 * Reads flags from a YAML mapping of flag names to values; a list is joined by commas. Throws `FLAG_UNKNOWN` and
 * `FLAG_CONFIG_FILE`.
 */
export function readConfigFile(path: string, text: string, table: FlagTable): RawFlags {
  const parsed = parseYaml(text) ?? {};
  if (typeof parsed !== "object" || Array.isArray(parsed)) {
    throw flagErrors.CONFIG_FILE({ path, problem: "expected a mapping of flag names to values" });
  }
  const entries = Object.entries(parsed).map(([name, value]) => {
    if (!Object.hasOwn(table, name)) throw flagErrors.UNKNOWN({ name });
    return [name, textOf(path, name, value)] as const;
  });
  return new Map(entries);
}

function textOf(path: string, name: string, value: unknown): string {
  if (Array.isArray(value)) return value.map((item) => textOf(path, name, item)).join(",");
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") return String(value);
  throw flagErrors.CONFIG_FILE({ path, problem: `${name}: expected a text, a number, true, false or a list` });
}
