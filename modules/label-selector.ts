import type { LabelSelector, LabelSelectorRequirement } from "../apis/operator/object.ts";

type Labels = Readonly<Record<string, string>>;

/** A selector that was checked, or the text of what is wrong with it. */
export type ParsedSelector = { readonly matches: (labels: Labels) => boolean } | { readonly problem: string };

/**
 * Checks a selector and makes it a predicate. A selector that is absent or asks for nothing matches nothing: it is
 * used to restrict, and a restriction that was left empty must not let everyone in.
 */
export function parseSelector(selector: LabelSelector | undefined): ParsedSelector {
  const labels = Object.entries(selector?.matchLabels ?? {});
  const expressions = selector?.matchExpressions ?? [];
  const problem =
    labels.map(([key, value]) => labelProblem(key, [value])).find((text) => text !== undefined) ??
    expressions.map(requirementProblem).find((text) => text !== undefined);
  if (problem !== undefined) return { problem };
  if (labels.length + expressions.length === 0) return { matches: () => false };
  return {
    matches: (own) =>
      labels.every(([key, value]) => own[key] === value) && expressions.every((expression) => holds(expression, own)),
  };
}

function holds({ key, operator, values = [] }: LabelSelectorRequirement, labels: Labels): boolean {
  const value = labels[key];
  if (operator === "In") return value !== undefined && values.includes(value);
  if (operator === "NotIn") return value === undefined || !values.includes(value);
  return operator === "Exists" ? value !== undefined : value === undefined;
}

function requirementProblem({ key, operator, values = [] }: LabelSelectorRequirement): string | undefined {
  const list = JSON.stringify(values);
  switch (operator) {
    case "In":
    case "NotIn":
      if (values.length === 0)
        return `values: Invalid value: []: for 'in', 'notin' operators, values set can't be empty`;
      return labelProblem(key, values);
    case "Exists":
    case "DoesNotExist":
      if (values.length > 0)
        return `values: Invalid value: ${list}: values set must be empty for exists and does not exist`;
      return labelProblem(key, []);
    default:
      return `"${operator}" is not a valid label selector operator`;
  }
}

const name = /^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/;
const subdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

function labelProblem(key: string, values: readonly string[]): string | undefined {
  if (!isLabelKey(key))
    return `key: Invalid value: "${key}": must be a name of at most 63 characters, with an optional DNS prefix and '/'`;
  const wrong = values.find((value) => value !== "" && (value.length > 63 || !name.test(value)));
  if (wrong === undefined) return undefined;
  return `values: Invalid value: "${wrong}": must be at most 63 letters, digits, '-', '_' or '.', with a letter or digit at both ends`;
}

function isLabelKey(key: string): boolean {
  const slash = key.indexOf("/");
  const prefix = slash < 0 ? undefined : key.slice(0, slash);
  const own = key.slice(slash + 1);
  const prefixFits = prefix === undefined || (prefix.length <= 253 && subdomain.test(prefix));
  return prefixFits && own.length <= 63 && name.test(own);
}
