import { isRecord } from "../compile.ts";
import { fieldOf as fieldOfOld, itemsByKey, keyOf } from "../correlate.ts";
import { duplicate, type FieldError, forbidden, invalid, nowhere, required } from "../field-errors.ts";
import { childPath, itemPath, keyPath } from "../paths.ts";
import { equalJson } from "../scalars.ts";
import type { Rule, Schema, Value } from "../types.ts";
import { typeOfSchema } from "./declarations.ts";
import { fromJson } from "./from-json.ts";
import { Budget, BudgetError } from "./meter.ts";
import { compileProgram, type Program, ProgramError, type Variables } from "./program.ts";
import { type Size, sizeOfSchema } from "./sizes.ts";
import { type CelType, optionalOf } from "./types.ts";
import { type CelValue, EvaluationError, none, OptionalValue } from "./values.ts";

/** Kubernetes' budget for all rules of one request. */
const requestBudget = 10_000_000;

interface CompiledRule {
  readonly rule: Rule;
  readonly program: Program;
  readonly message: Program | undefined;
}

/** Why a rule does not compile: which part of it, and Kubernetes' words. */
export interface RuleFault {
  readonly index: number;
  readonly part: "rule" | "messageExpression";
  readonly text: string;
}

interface Compiled {
  readonly rules: readonly CompiledRule[];
  readonly faults: readonly RuleFault[];
}

const compiled = new WeakMap<Schema, Compiled>();

/** The rules of one schema node, compiled once. */
export function compileRules(schema: Schema): Compiled {
  const known = compiled.get(schema);
  if (known !== undefined) return known;
  const result = compileAll(schema);
  compiled.set(schema, result);
  return result;
}

function compileAll(schema: Schema): Compiled {
  const rules: CompiledRule[] = [];
  const faults: RuleFault[] = [];
  const self = schema.rules.length === 0 ? undefined : typeOfSchema(schema, "selfType");
  for (const [index, rule] of schema.rules.entries()) {
    const outcome = self === undefined ? noType(index) : compileRule(rule, index, { self, size: sizeOfSchema(schema) });
    if ("text" in outcome) faults.push(outcome);
    else rules.push(outcome);
  }
  return { rules, faults };
}

function noType(index: number): RuleFault {
  return { index, part: "rule", text: "rules are not supported here: the schema leaves the type open" };
}

function compileRule(
  rule: Rule,
  index: number,
  { self, size }: { self: CelType; size: Size },
): CompiledRule | RuleFault {
  const oldSelf = rule.optionalOldSelf === true ? optionalOf(self) : self;
  const scope: Variables = {
    types: new Map([
      ["self", self],
      ["oldSelf", oldSelf],
    ]),
    sizes: new Map([
      ["self", size],
      ["oldSelf", size],
    ]),
  };
  let part: RuleFault["part"] = "rule";
  try {
    const program = compileProgram(rule.rule, scope, "bool");
    part = "messageExpression";
    const source = rule.messageExpression;
    const message = source === undefined || source === "" ? undefined : compileProgram(source, scope, "string");
    return { rule, program, message };
  } catch (error) {
    if (!(error instanceof ProgramError)) throw error;
    return { index, part, text: part === "rule" ? error.message : `messageExpression ${error.message}` };
  }
}

/**
 * Checks a value against the rules of its schema (`x-kubernetes-validations`), those of every part of it included.
 *
 * Rules that read `oldSelf` run only where an old value corresponds to the new one, or with `optionalOldSelf`.
 * All rules together have one budget; when it is used up, one last error says so.
 *
 * @param old - the stored value on an update; undefined on creation
 * @param path - where the value stands; empty for a whole object
 */
export function validateRules(schema: Schema, value: Value, old?: Value, path = ""): readonly FieldError[] {
  return new RuleRun(new Budget(requestBudget)).check({ schema, value, old, path });
}

/** The variables of a rule. */
type Values = Readonly<Record<string, CelValue>>;

interface Visit {
  readonly schema: Schema;
  readonly value: Value;
  readonly old: Value;
  readonly path: string;
}

const outOfBudget = "validation failed due to running out of cost budget, no further validation rules will be run";

/** The rules of one value and of everything in it, on one budget. */
export class RuleRun {
  readonly #errors: FieldError[] = [];
  readonly #budget: Budget;

  constructor(budget: Budget) {
    this.#budget = budget;
  }

  check(visit: Visit): readonly FieldError[] {
    this.#visit(visit);
    return this.#errors;
  }

  #visit(visit: Visit): void {
    const { schema, value } = visit;
    if (value === null || value === undefined || !holdsRules(schema)) return;
    for (const rule of compileRules(schema).rules) this.#judge(rule, visit);
    if (this.#budget.isExhausted) return;
    if (Array.isArray(value)) this.#items(visit, value);
    else if (isRecord(value)) this.#fields(visit, value);
  }

  #items({ schema, old, path }: Visit, items: readonly Value[]): void {
    const { items: child } = schema;
    if (child === undefined) return;
    const oldItems = itemsByKey(schema, old);
    for (const [index, value] of items.entries()) {
      this.#visit({ schema: child, value, old: oldItems?.get(keyOf(schema, value)), path: itemPath(path, index) });
    }
  }

  #fields({ schema, old, path }: Visit, fields: Readonly<Record<string, Value>>): void {
    for (const [name, value] of Object.entries(fields)) {
      const child = childSchema(schema, name);
      const below = schema.properties.has(name) ? childPath(path, name) : keyPath(path, name);
      if (child !== undefined) this.#visit({ schema: child, value, old: fieldOfOld(old, name), path: below });
    }
  }

  #judge(compiled: CompiledRule, visit: Visit): void {
    if (this.#budget.isExhausted || !applies(compiled, visit)) return;
    const variables = variablesOf(compiled.rule, visit);
    const verdict = this.#run(compiled.program, variables);
    if (verdict !== true) this.#report(compiled, visit, verdict, variables);
    if (this.#budget.isExhausted) this.#errors.push(invalid(fieldOf(visit.path), visit.schema.type ?? "", outOfBudget));
  }

  #report({ rule, message }: CompiledRule, visit: Visit, verdict: CelValue | Error, variables: Values): void {
    if (verdict === false) this.#errors.push(failure(rule, visit, this.#message(rule, message, variables)));
    else this.#errors.push(broken(rule, visit, verdict));
  }

  /** The value, or why there is none. */
  #run(program: Program, variables: Values): CelValue | Error {
    try {
      return this.#budget.run((meter) => program.run(variables, meter));
    } catch (error) {
      if (error instanceof EvaluationError || error instanceof BudgetError) return error;
      throw error;
    }
  }

  /** The text of a failed rule; an expression that fails or says nothing falls back to the plain message. */
  #message(rule: Rule, program: Program | undefined, variables: Values): string {
    const made = program === undefined ? undefined : this.#run(program, variables);
    if (typeof made === "string" && made.trim() !== "" && !made.includes("\n")) return made.trim();
    return nameOf(rule, "failed rule: ");
  }
}

function hasPast({ old }: Visit): boolean {
  return old !== undefined && old !== null;
}

/** A transition needs a past; any other rule is not held against what was there before. */
function applies({ rule, program }: CompiledRule, visit: Visit): boolean {
  if (program.reads.has("oldSelf")) return hasPast(visit) || rule.optionalOldSelf === true;
  return !hasPast(visit) || !equalJson(visit.old, visit.value);
}

function variablesOf(rule: Rule, visit: Visit): Values {
  const self = fromJson(visit.schema, visit.value);
  const past = hasPast(visit) ? fromJson(visit.schema, visit.old) : undefined;
  if (rule.optionalOldSelf === true) return { self, oldSelf: past === undefined ? none : new OptionalValue(past) };
  return past === undefined ? { self } : { self, oldSelf: past };
}

/** The rule's message, or the rule itself. */
function nameOf({ rule, message }: Rule, prefix: string): string {
  return message !== undefined && message !== "" ? message.trim() : `${prefix}${rule.trim()}`;
}

function failure({ reason, fieldPath }: Rule, { schema, path, value }: Visit, text: string): FieldError {
  const place = fieldPath === undefined || fieldPath === "" ? path : withFieldPath(schema, path, fieldPath);
  const field = fieldOf(place);
  if (reason === "FieldValueForbidden") return forbidden(field, text);
  if (reason === "FieldValueRequired") return required(field, text);
  if (reason === "FieldValueDuplicate") return duplicate(field, value);
  // A container would only bury the text.
  if (typeof value === "object") return { reason: "FieldValueInvalid", field, message: `Invalid value: ${text}` };
  return invalid(field, value, text);
}

function fieldOf(path: string): string {
  return path === "" ? nowhere : path;
}

/** A path relative to the rule, `.a.b` or `['a.b']`, behind the path of the rule. */
function withFieldPath(schema: Schema, path: string, relative: string): string {
  const steps = [...relative.matchAll(/\.([A-Za-z_][A-Za-z0-9_-]*)|\['((?:[^'\\]|\\.)*)'\]/g)];
  let at: Schema | undefined = schema;
  let field = path;
  for (const [, name, key = ""] of steps) {
    const step = name ?? key;
    field = at?.properties.has(step) === true ? childPath(field, step) : keyPath(field, step);
    at = at === undefined ? undefined : childSchema(at, step);
  }
  return field;
}

function childSchema({ properties, additional }: Schema, name: string): Schema | undefined {
  return properties.get(name) ?? (typeof additional === "object" ? additional : undefined);
}

function broken(rule: Rule, { schema, path }: Visit, verdict: CelValue | Error): FieldError {
  const name = nameOf(rule, "");
  const [field, type] = [fieldOf(path), schema.type ?? ""];
  const text = verdict instanceof Error ? verdict.message : "no such overload";
  if (verdict instanceof BudgetError) return invalid(field, type, `call cost exceeds limit for rule: ${name}`);
  if (!text.startsWith("no such overload")) return invalid(field, type, `${text} evaluating rule: ${name}`);
  const detail = `'${text}': call arguments did not match a supported operator, function or macro signature for rule: ${name}`;
  return invalid(field, type, detail);
}

const ruled = new WeakMap<Schema, boolean>();

/** Whether there are rules here or below. Schemas of custom resources are not recursive. */
export function holdsRules(schema: Schema): boolean {
  const known = ruled.get(schema);
  if (known !== undefined) return known;
  const children = [...schema.properties.values(), schema.items, schema.additional].filter(
    (child) => typeof child === "object",
  );
  const holds = schema.rules.length > 0 || children.some(holdsRules);
  ruled.set(schema, holds);
  return holds;
}
