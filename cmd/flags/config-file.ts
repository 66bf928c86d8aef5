import { readFile } from "node:fs/promises";
import { locateYaml, parseYaml, type YamlValue } from "@kyma-operators/yaml";
import { expectedOf, type Flag, type FlagTable, flagErrors, isTaken, type RawFlags } from "./flags.ts";

/**
 * Reads flags from a YAML mapping of flag names to values; a list is joined by commas. Throws `FLAG_CONFIG_FILE` with
 * the line at fault, and `YAML_…`.
 */
export async function readConfigFile(path: string, table: FlagTable): Promise<RawFlags> {
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    throw flagErrors.CONFIG_FILE({ path, problem: `can't be read: ${error.code}` });
  });
  return parseConfigFile(path, text, table);
}

/** The same for a text that was read already. */
export function parseConfigFile(path: string, text: string, table: FlagTable): RawFlags {
  const parsed = parseYaml(text, { name: path }) ?? {};
  if (typeof parsed !== "object" || Array.isArray(parsed)) {
    throw flagErrors.CONFIG_FILE({ path, problem: "expected a mapping of flag names to values" });
  }
  const lineOf = locateYaml(text);
  const entries = Object.entries(parsed).map(([name, value]) => {
    const flag = Object.hasOwn(table, name) ? table[name] : undefined;
    const problem = flag === undefined ? "unknown flag: run with --help for the list" : problemWith(flag, value);
    if (problem === undefined) return [name, textOf(value) ?? ""] as const;
    throw flagErrors.CONFIG_FILE({
      path: `${path}, line ${lineOf([name])?.line ?? 1}`,
      problem: `${name}: ${problem}`,
    });
  });
  return new Map(entries);
}

function problemWith(flag: Flag, value: YamlValue): string | undefined {
  const text = textOf(value);
  if (text === undefined) return "expected a text, a number, true, false or a list";
  return isTaken(flag, text) ? undefined : `expected ${expectedOf(flag)}, found ${JSON.stringify(text)}`;
}

function textOf(value: YamlValue): string | undefined {
  if (Array.isArray(value)) {
    const texts = value.map((item: YamlValue) => textOf(item));
    return texts.includes(undefined) ? undefined : texts.join(",");
  }
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean"
    ? String(value)
    : undefined;
}
