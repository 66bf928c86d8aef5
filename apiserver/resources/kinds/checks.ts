import { type FieldProblem, fieldProblem } from "../../api-error.ts";
import { validateLabels } from "../metadata.ts";
import { dns1123Label, isDns1123Subdomain, isQualifiedName, type NameCheck } from "../names.ts";
import { asText, type Fields, isFields } from "./edit.ts";

/** Adds what is wrong with a value that is there to the problems. */
export type Check = (value: unknown, path: string, problems: FieldProblem[]) => void;

/** Every problem that a check finds. */
export function problemsOf(check: Check, value: unknown, path: string): readonly FieldProblem[] {
  const problems: FieldProblem[] = [];
  check(value, path, problems);
  return problems;
}

const isAbsent = (value: unknown): boolean => value === undefined || value === null;

/** Checks fields of an object in this order; absent ones are in order. */
export function fields(checks: Readonly<Record<string, Check>>): Check {
  const list = Object.entries(checks);
  return (value, path, problems) => {
    if (!isFields(value)) return;
    for (const [name, check] of list) {
      if (!isAbsent(value[name])) check(value[name], path === "" ? name : `${path}.${name}`, problems);
    }
  };
}

/** Checks each entry of a list. */
export const items =
  (check: Check): Check =>
  (value, path, problems) => {
    if (!Array.isArray(value)) return;
    for (const [index, item] of value.entries()) check(item, `${path}[${index}]`, problems);
  };

/** Checks a value by several rules in turn. */
export const all =
  (...checks: readonly Check[]): Check =>
  (value, path, problems) => {
    for (const check of checks) check(value, path, problems);
  };

/** Fields that an object must have; an empty text or list counts as absent. */
export const needs =
  (names: readonly string[], detail = ""): Check =>
  (value, path, problems) => {
    for (const name of names) {
      if (isEmpty((isFields(value) ? value : {})[name])) {
        problems.push(fieldProblem("FieldValueRequired", path === "" ? name : `${path}.${name}`, detail));
      }
    }
  };

const isEmpty = (value: unknown): boolean =>
  isAbsent(value) || value === "" || (Array.isArray(value) && value.length === 0);

/** Refuses a value that a predicate finds wrong, with this text. */
export const unless =
  (isRight: (value: unknown) => boolean, detail: string): Check =>
  (value, path, problems) => {
    if (!isRight(value)) problems.push(fieldProblem("FieldValueInvalid", path, detail, value));
  };

/** Refuses an object with this text about one of its fields, or about itself for an empty name. */
export const forbidden =
  (isWrong: (value: Fields) => boolean, name: string, detail: string): Check =>
  (value, path, problems) => {
    if (isFields(value) && isWrong(value)) {
      problems.push(fieldProblem("FieldValueForbidden", name === "" ? path : `${path}.${name}`, detail));
    }
  };

export const between = (least: number, most: number): Check =>
  unless(
    (value) => typeof value !== "number" || (value >= least && value <= most),
    `must be between ${least} and ${most}, inclusive`,
  );

export const atLeast = (least: number): Check =>
  unless((value) => typeof value !== "number" || value >= least, `must be greater than or equal to ${least}`);

export const notNegative: Check = atLeast(0);

/** Names that a text may be, in the order in which Kubernetes tells them. */
export const oneOf =
  (...names: readonly string[]): Check =>
  (value, path, problems) => {
    if (names.includes(asText(value))) return;
    const supported = names.map((name) => JSON.stringify(name)).join(", ");
    problems.push(fieldProblem("FieldValueNotSupported", path, `supported values: ${supported}`, value));
  };

/** A text by the rules of a name; the empty text is an absent one. */
export const named =
  (check: NameCheck): Check =>
  (value, path, problems) => {
    if (typeof value !== "string" || value === "") return;
    for (const text of check(value)) problems.push(fieldProblem("FieldValueInvalid", path, text, value));
  };

export const label: Check = named(dns1123Label);
export const subdomain: Check = named(isDns1123Subdomain);
export const qualified: Check = named(isQualifiedName);
export const port: Check = between(1, 65_535);
/** Numbers of users and groups. */
export const id: Check = between(0, 2_147_483_647);

/** A map of labels; each problem stands at the map. */
export const labels: Check = (value, path, problems) => {
  problems.push(...validateLabels(isFields(value) ? value : {}, path));
};

const portLetters = /^[-a-z0-9]+$/;
const portProblems: readonly (readonly [isWrong: (name: string) => boolean, detail: string])[] = [
  [(name) => name.length > 15, "must be no more than 15 characters"],
  [(name) => !portLetters.test(name), "must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)"],
  [(name) => !/[a-z]/.test(name), "must contain at least one letter (a-z)"],
  [(name) => name.includes("--"), "must not contain consecutive hyphens"],
  [(name) => name.startsWith("-") || name.endsWith("-"), "must not begin or end with a hyphen"],
];

/** The name of a port. */
export const portName: Check = named((name) =>
  portProblems.filter(([isWrong]) => isWrong(name)).map(([, detail]) => detail),
);

/** A port by number or by name. */
export const portOrName: Check = (value, path, problems) =>
  (typeof value === "string" ? portName : port)(value, path, problems);

const percent = /^\d+%$/;
const percentText =
  "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')";

/** A count, or a number of percent. */
export const countOrPercent: Check = (value, path, problems) => {
  if (typeof value !== "string") notNegative(value, path, problems);
  else if (!percent.test(value)) problems.push(fieldProblem("FieldValueInvalid", path, percentText, value));
};

const notAll: Check = unless(
  (value) => typeof value !== "string" || !percent.test(value) || Number.parseInt(value, 10) <= 100,
  "must not be greater than 100%",
);

/** A count, or a share of a hundred. */
export const countOrShare: Check = all(countOrPercent, notAll);

const operators = new Set(["In", "NotIn", "Exists", "DoesNotExist"]);

const expression: Check = (value, path, problems) => {
  const { operator, values } = isFields(value) ? value : {};
  const isListed = operator === "In" || operator === "NotIn";
  if (isListed && isEmpty(values)) {
    problems.push(
      fieldProblem("FieldValueRequired", `${path}.values`, "must be specified when `operator` is 'In' or 'NotIn'"),
    );
  }
  if ((operator === "Exists" || operator === "DoesNotExist") && !isEmpty(values)) {
    problems.push(
      fieldProblem(
        "FieldValueForbidden",
        `${path}.values`,
        "may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
      ),
    );
  }
  if (!operators.has(asText(operator))) {
    problems.push(
      fieldProblem("FieldValueInvalid", `${path}.operator`, "not a valid selector operator", operator ?? ""),
    );
  }
};

/** A selector of labels. */
export const selector: Check = fields({
  matchLabels: labels,
  matchExpressions: items(all(expression, fields({ key: qualified }))),
});
