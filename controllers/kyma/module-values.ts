import { keyOf, keyText } from "@kyma-operators/runtime";
import { parseYaml } from "@kyma-operators/yaml";
import type { Kyma } from "../../apis/operator/kyma.ts";
import { moduleValuesKey } from "../../apis/operator/module-values.ts";
import type { ModuleValues } from "../../modules/module-values.ts";
import { kymaErrors } from "./errors.ts";
import type { Secret } from "./remote/access-secrets.ts";

/** The values in the Secret of a Kyma; none without one. Throws `KYMA_VALUES_INVALID`. */
export function moduleValuesIn(secret: Secret | undefined, { metadata }: Kyma): ModuleValues {
  if (secret === undefined) return {};
  const text = Buffer.from(secret.data?.[moduleValuesKey] ?? "", "base64").toString("utf8");
  const values = read(text);
  const problem = problemOf(values);
  if (problem === undefined) return values as ModuleValues;
  throw kymaErrors.VALUES_INVALID({ kyma: metadata.name ?? "", secret: keyText(keyOf(secret)), problem });
}

/** Undefined for what is no YAML: what a parser says may quote the values. */
function read(text: string): unknown {
  try {
    return parseYaml(text) ?? {};
  } catch {
    return undefined;
  }
}

function problemOf(values: unknown): string | undefined {
  if (values === undefined) return "it is no YAML";
  if (!isObject(values)) return "expected a map of modules";
  const wrong = Object.entries(values).find(([, entry]) => !isObject(entry));
  return wrong === undefined ? undefined : `${wrong[0]}: expected a map of values`;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
