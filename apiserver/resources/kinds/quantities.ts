import { type FieldProblem, fieldProblem } from "../../api-error.ts";
import { isQualifiedName } from "../names.ts";
import { compareQuantities } from "../quantity.ts";
import { all, type Check, named } from "./checks.ts";
import { asText, type Fields, isFields } from "./edit.ts";

const computed = new Set(["cpu", "memory", "ephemeral-storage"]);
const standard = new Set([
  ...computed,
  ...["cpu", "memory", "ephemeral-storage", "storage"].map((name) => `requests.${name}`),
  ...["cpu", "memory", "ephemeral-storage"].map((name) => `limits.${name}`),
  "pods",
  "services",
  "replicationcontrollers",
  "resourcequotas",
  "secrets",
  "configmaps",
  "storage",
  "persistentvolumeclaims",
  "services.nodeports",
  "services.loadbalancers",
]);
const counted = new Set([...standard].filter((name) => !/cpu|memory|storage$/.test(name)));
const isHuge = (name: string): boolean => name.startsWith("hugepages-");
const isExtended = (name: string): boolean => name.includes("/") && !name.includes("kubernetes.io/");

/** Whose resources a list names. */
export type Holder = "containers" | "quota";

const known: Readonly<Record<Holder, (name: string) => boolean>> = {
  containers: (name) => computed.has(name) || isHuge(name),
  quota: (name) => standard.has(name) && name !== "storage",
};

const resourceName = (holder: Holder): Check =>
  named((name) => {
    const problems = isQualifiedName(name);
    if (name.includes("/") || (problems.length === 0 && (known[holder](name) || isHuge(name)))) return problems;
    const isOther = problems.length > 0 || standard.has(name);
    return [
      ...problems,
      ...(isOther ? [] : ["must be a standard resource type or fully qualified"]),
      `must be a standard resource for ${holder}`,
    ];
  });

const amount =
  (name: string): Check =>
  (value, path, problems) => {
    const refuse = (detail: string): number => problems.push(fieldProblem("FieldValueInvalid", path, detail, value));
    if (asText(value).startsWith("-") && compareQuantities(value, "0") < 0)
      refuse("must be greater than or equal to 0");
    const isWhole = counted.has(name) || isExtended(name);
    if (isWhole && /[mun]$|\./.test(asText(value))) refuse("must be an integer");
  };

/** A list of resources: names that the holder may have, and amounts from zero on. */
export function amounts(holder: Holder): Check {
  const nameCheck = resourceName(holder);
  return (value, path, problems) => {
    for (const [name, quantity] of Object.entries(isFields(value) ? value : {})) {
      all((_, at, found) => nameCheck(name, at, found), amount(name))(quantity, `${path}[${name}]`, problems);
    }
  };
}

const limits = amounts("containers");

/** What a container asks for and may have: nothing is promised more than it may have. */
export const containerResources: Check = (value, path, problems) => {
  if (!isFields(value)) return;
  limits(value.limits, `${path}.limits`, problems);
  limits(value.requests, `${path}.requests`, problems);
  problems.push(...overcommitted(value, path));
  const names = Object.keys({ ...asFields(value.limits), ...asFields(value.requests) });
  if (names.some(isHuge) && !names.includes("cpu") && !names.includes("memory")) {
    problems.push(fieldProblem("FieldValueForbidden", path, "HugePages require cpu or memory"));
  }
};

const asFields = (value: unknown): Fields => (isFields(value) ? value : {});

function overcommitted({ requests, limits }: Fields, path: string): readonly FieldProblem[] {
  return Object.entries(asFields(requests)).flatMap(([name, request]) => {
    const limit = asFields(limits)[name];
    if (limit === undefined) {
      const detail = "Limit must be set for non overcommitable resources";
      return isExtended(name) || isHuge(name) ? [fieldProblem("FieldValueRequired", `${path}.limits`, detail)] : [];
    }
    const order = compareQuantities(request, limit);
    const isExact = isExtended(name) || isHuge(name);
    if (isExact ? order === 0 : order <= 0) return [];
    const relation = isExact ? "equal to" : "less than or equal to";
    const detail = `must be ${relation} ${name} limit of ${asText(limit)}`;
    return [fieldProblem("FieldValueInvalid", `${path}.requests`, detail, request)];
  });
}
