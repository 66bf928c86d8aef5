import type { ErrorObject } from "ajv";
import { describe, quoted } from "./texts.ts";

/** A violation and what caused it. */
interface Violation {
  readonly at: string;
  readonly text: string;
  readonly causes: readonly Violation[];
}

const applicators = new Set(["anyOf", "oneOf", "not", "propertyNames", "contains"]);
/** Errors of ajv that only say that another one was raised. */
const echoes = new Set(["if", "$ref"]);

/** Ajv names missing or surplus properties one by one; helm's validator names them together. */
function joined(errors: readonly ErrorObject[]): ErrorObject[] {
  const kept = new Map<string, ErrorObject>();
  const rest: ErrorObject[] = [];
  for (const error of errors) {
    const name = { required: "missingProperty", additionalProperties: "additionalProperty" }[error.keyword];
    if (name === undefined) {
      rest.push(error);
      continue;
    }
    const key = `${error.schemaPath} ${error.instancePath}`;
    const value = (error.params as Record<string, string>)[name] ?? "";
    const known = kept.get(key);
    if (known === undefined) kept.set(key, { ...error, params: { [name]: [value] } });
    else (known.params as Record<string, string[]>)[name]?.push(value);
  }
  return [...kept.values(), ...rest];
}

/** Violations of one place by one schema: several are grouped. */
function group(at: string, violations: readonly Violation[]): Violation {
  const [only] = violations;
  return only !== undefined && violations.length === 1 ? only : { at, text: "validation failed", causes: violations };
}

/** Which branch of an applicator an error belongs to; undefined when it belongs to none. */
function branchOf(error: ErrorObject, applicator: ErrorObject): string | undefined {
  const { schemaPath } = applicator;
  if (error.schemaPath.startsWith(`${schemaPath}/`))
    return error.schemaPath.slice(schemaPath.length + 1).split("/", 1)[0];
  // Of a branch that is a reference ajv names the path of what it refers to.
  return referencesOf(applicator.schema).find((reference) => error.schemaPath.includes(`${reference}/`));
}

function referencesOf(schema: unknown): string[] {
  const branches: unknown[] = Array.isArray(schema) ? schema : [schema];
  return branches.flatMap((each) =>
    typeof each === "object" && each !== null && "$ref" in each && typeof each.$ref === "string" ? [each.$ref] : [],
  );
}

/** The violations by their place: those of the place itself, then one for each place directly below it. */
function byPlace(at: string, errors: readonly ErrorObject[]): Violation[] {
  const own = errors.filter((error) => error.instancePath === at);
  const below = new Map<string, ErrorObject[]>();
  for (const error of errors) {
    if (error.instancePath === at) continue;
    const child = `${at}/${error.instancePath.slice(at.length + 1).split("/", 1)[0] ?? ""}`;
    below.set(child, [...(below.get(child) ?? []), error]);
  }
  return [
    ...ownViolations(at, own, below),
    ...[...below].map(([child, inside]) => group(child, byPlace(child, inside))),
  ];
}

function ownViolations(at: string, own: readonly ErrorObject[], below: Map<string, ErrorObject[]>): Violation[] {
  const taken = new Set<ErrorObject>();
  const violations: Violation[] = [];
  for (const error of own
    .filter(({ keyword }) => applicators.has(keyword))
    .sort((a, b) => a.schemaPath.length - b.schemaPath.length)) {
    if (taken.has(error)) continue;
    const inside = [...own, ...[...below.values()].flat()].filter(
      (other) => other !== error && branchOf(other, error) !== undefined,
    );
    for (const other of [error, ...inside]) taken.add(other);
    const causes = error.keyword === "not" ? [] : branches(at, inside, error);
    violations.push({ at, text: describe(error), causes });
  }
  for (const [child, errors] of below) {
    const left = errors.filter((error) => !taken.has(error));
    if (left.length === 0) below.delete(child);
    else below.set(child, left);
  }
  const leaves = own.filter((error) => !taken.has(error));
  return [...violations, ...leaves.map((error) => ({ at, text: describe(error), causes: [] }))];
}

/** One violation for each branch of an applicator. */
function branches(at: string, errors: readonly ErrorObject[], applicator: ErrorObject): Violation[] {
  const byBranch = Map.groupBy(errors, (error) => branchOf(error, applicator) ?? "");
  return [...byBranch.values()].map((inside) => group(at, byPlace(at, inside)));
}

function lines(violation: Violation, depth: number): string[] {
  const own = `${"  ".repeat(depth)}- at ${quoted(violation.at)}: ${violation.text}`;
  return [own, ...violation.causes.flatMap((cause) => lines(cause, depth + 1))];
}

/** Writes ajv's errors as the validator behind helm lists them; `wrap` puts all of them below one more violation. */
export function formatErrors(errors: readonly ErrorObject[], wrap?: string): string {
  const real = joined(errors.filter(({ keyword }) => !echoes.has(keyword)));
  const top = byPlace("", real);
  const shown = wrap === undefined ? top : [{ at: "", text: wrap, causes: top }];
  return shown.flatMap((violation) => lines(violation, 0)).join("\n");
}
