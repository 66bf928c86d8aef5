import type { LabelSelectorObject } from "./label-selector.ts";

/** A selector as the query writes it: `a=b,c in (d,e)`; empty when it selects everything. */
export function formatLabelSelector(selector: unknown): string {
  if (typeof selector !== "object" || selector === null) return "";
  const isObject = "matchLabels" in selector || "matchExpressions" in selector;
  const { matchLabels = {}, matchExpressions = [] } = (
    isObject ? selector : { matchLabels: selector }
  ) as LabelSelectorObject;
  const equal = Object.entries(matchLabels).map(([key, value]) => `${key}=${value}`);
  const sets = matchExpressions.map(({ key, operator, values = [] }) => expressionText(key, operator, values));
  return [...equal, ...sets].sort().join(",");
}

function expressionText(key: string, operator: string, values: readonly string[]): string {
  const set = `(${[...values].sort().join(",")})`;
  const texts: Readonly<Record<string, string>> = {
    In: `${key} in ${set}`,
    NotIn: `${key} notin ${set}`,
    Exists: key,
    DoesNotExist: `!${key}`,
  };
  return texts[operator] ?? key;
}
