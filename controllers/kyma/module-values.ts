import { parseYaml } from "@kyma-operators/yaml";
import type { Kyma } from "../../apis/operator/kyma.ts";
import { moduleValuesKey } from "../../apis/operator/module-values.ts";
import type { ModuleValues } from "../../modules/module-values.ts";
import type { Secret } from "./access-secrets.ts";
import { kymaErrors } from "./errors.ts";

/** The values in the Secret of a Kyma; none without one. Throws `KYMA_VALUES_INVALID`. */
export function moduleValuesIn(secret: Secret | undefined, { metadata }: Kyma): ModuleValues {
  if (secret === undefined) return {};
  const name = `${secret.metadata.namespace ?? ""}/${secret.metadata.name ?? ""}`;
  const text = Buffer.from(secret.data?.[moduleValuesKey] ?? "", "base64").toString("utf8");
  let values: unknown;
  try {
    values = parseYaml(text, { name }) ?? {};
  } catch (error) {
    // What a parser says may quote the values.
    throw kymaErrors.VALUES_INVALID({ kyma: metadata.name ?? "", secret: name, problem: "it is no YAML" }, error);
  }
  const problem = problemOf(values);
  if (problem !== undefined) throw kymaErrors.VALUES_INVALID({ kyma: metadata.name ?? "", secret: name, problem });
  return values as ModuleValues;
}

function problemOf(values: unknown): string | undefined {
  if (!isObject(values)) return "expected a map of modules";
  const wrong = Object.entries(values).find(([, entry]) => !isObject(entry));
  return wrong === undefined ? undefined : `${wrong[0]}: expected a map of values`;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
