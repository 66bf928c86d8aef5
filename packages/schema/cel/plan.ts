import type { Call, Expr, Fold, Literal, Select } from "./ast.ts";
import { type Checked, typeNamed } from "./checker.ts";
import { type Body, foldRun } from "./folds.ts";
import type { Overload } from "./functions/registry.ts";
import { isOfType } from "./is-of-type.ts";
import { factorOf, type Meter, sizeOf } from "./meter.ts";
import { type CelType, formatType, isDyn } from "./types.ts";
import {
  type CelValue,
  EvaluationError,
  fail,
  ListValue,
  MapValue,
  none,
  ObjectValue,
  OptionalValue,
  TypeValue,
  typeNameOf,
  Uint,
} from "./values.ts";

/** The variables in sight, innermost first. */
export interface Frame {
  readonly name: string;
  readonly value: CelValue;
  readonly outer: Frame | undefined;
}

/** One part of an expression, ready to run. Throws `EvaluationError`, and `BudgetError` when the meter runs out. */
export type Step = (frame: Frame | undefined, meter: Meter) => CelValue;

/** Turns a checked expression into functions, so that a run decides nothing that the types decide. */
export function planExpression({ expr, types, overloads }: Checked): Step {
  return new Planner(types, overloads).plan(expr);
}

class Planner {
  readonly #types: Checked["types"];
  readonly #overloads: Checked["overloads"];

  constructor(types: Checked["types"], overloads: Checked["overloads"]) {
    this.#types = types;
    this.#overloads = overloads;
  }

  plan(expr: Expr): Step {
    switch (expr.kind) {
      case "literal":
        return constant(literalValue(expr.value));
      case "ident":
        return variable(expr.name);
      case "select":
        return this.#select(expr);
      case "call":
        return this.#call(expr);
      case "list":
        return this.#list(expr.items);
      case "map":
        return this.#map(expr.entries);
      case "fold":
        break;
    }
    return this.#fold(expr);
  }

  #list(items: readonly Expr[]): Step {
    const steps = items.map((item) => this.plan(item));
    return (frame, meter) => {
      meter.charge(10);
      return new ListValue(steps.map((step) => step(frame, meter)));
    };
  }

  #map(entries: readonly (readonly [Expr, Expr])[]): Step {
    const steps = entries.map(([key, value]) => ({ key: this.plan(key), value: this.plan(value) }));
    return (frame, meter) => {
      meter.charge(30);
      return new MapValue(steps.map(({ key, value }) => ({ key: key(frame, meter), value: value(frame, meter) })));
    };
  }

  #select({ operand, field, mode }: Select): Step {
    const container = this.plan(operand);
    return (frame, meter) => {
      const outer = container(frame, meter);
      meter.charge(1);
      const wrapped = outer instanceof OptionalValue;
      const inner = wrapped ? outer.value : outer;
      const value = inner === undefined ? undefined : fieldOf(inner, field);
      if (mode === "test") return value !== undefined;
      if (mode === "optional" || wrapped) return value === undefined ? none : new OptionalValue(value);
      return value === undefined ? fail(`no such key: ${field}`) : value;
    };
  }

  #call(expr: Call): Step {
    switch (expr.name) {
      case "_&&_":
        return this.#logic(expr, false);
      case "_||_":
        return this.#logic(expr, true);
      case "_?_:_":
        return this.#ternary(expr);
      default:
        return this.#apply(expr);
    }
  }

  #apply(expr: Call): Step {
    const candidates = this.#overloads.get(expr) ?? [];
    const isMember = expr.target !== undefined && candidates[0]?.member === true;
    const operands = isMember && expr.target !== undefined ? [expr.target, ...expr.args] : expr.args;
    const steps = operands.map((operand) => this.plan(operand));
    const invoke = invocation(
      expr.name,
      candidates,
      operands.map((operand) => this.#types.get(operand)),
    );
    const factor = factorOf(expr.name);
    return (frame, meter) => {
      const args = steps.map((step) => step(frame, meter));
      meter.chargeCall(factor, args);
      const result = invoke(args);
      meter.checkSize(sizeOf(result));
      return result;
    };
  }

  #ternary({ args: [condition, yes, no] }: Call): Step {
    const [choose, left, right] = [this.#part(condition), this.#part(yes), this.#part(no)];
    return (frame, meter) => {
      const chosen = choose(frame, meter);
      if (typeof chosen !== "boolean") return fail("no such overload");
      return chosen ? left(frame, meter) : right(frame, meter);
    };
  }

  #part(expr: Expr | undefined): Step {
    return expr === undefined ? () => fail("no such overload") : this.plan(expr);
  }

  /** One decisive side is enough, whichever it is, even when the other one fails. */
  #logic({ args: [left, right] }: Call, decisive: boolean): Step {
    const [first, second] = [this.#part(left), this.#part(right)];
    return (frame, meter) => {
      const a = attempt(first, frame, meter);
      if (a === decisive) return decisive;
      const b = attempt(second, frame, meter);
      if (b === decisive) return decisive;
      if (a instanceof EvaluationError) throw a;
      if (b instanceof EvaluationError) throw b;
      return a === !decisive && b === !decisive ? !decisive : fail("no such overload");
    };
  }

  #fold(fold: Fold): Step {
    const range = this.plan(fold.range);
    const run = foldRun(fold);
    const filter = fold.filter === undefined ? undefined : this.plan(fold.filter);
    const transform = fold.transform === undefined ? undefined : this.plan(fold.transform);
    const [first = "", second] = fold.variables;
    return (frame, meter) => {
      const bind =
        (step: Step): Body =>
        (key, value) => {
          meter.charge(1);
          const outer = { name: first, value: key, outer: frame };
          return step(second === undefined ? outer : { name: second, value, outer }, meter);
        };
      return run(range(frame, meter), {
        ...(filter === undefined ? {} : { filter: bind(filter) }),
        ...(transform === undefined ? {} : { transform: bind(transform) }),
      });
    };
  }
}

function constant(value: CelValue): Step {
  return () => value;
}

function variable(name: string): Step {
  const type = typeNamed(name);
  const fallback = type === undefined ? undefined : new TypeValue(typeTextOf(type));
  return (frame, meter) => {
    meter.charge(1);
    for (let at = frame; at !== undefined; at = at.outer) if (at.name === name) return at.value;
    return fallback ?? fail(`no such attribute(s): ${name}`);
  };
}

/** The value of a side, or its failure. */
function attempt(step: Step, frame: Frame | undefined, meter: Meter): CelValue | EvaluationError {
  try {
    return step(frame, meter);
  } catch (error) {
    if (error instanceof EvaluationError) return error;
    throw error;
  }
}

type Invocation = (args: readonly CelValue[]) => CelValue;

/** Chooses the signature: here where the types are known, at run time where one of them is not. */
function invocation(
  name: string,
  candidates: readonly Overload[],
  types: readonly (CelType | undefined)[],
): Invocation {
  const [only, ...others] = candidates;
  if (only !== undefined && others.length === 0 && types.every((type) => type !== undefined && isKnown(type))) {
    return only.run;
  }
  return (args) => {
    const overload = candidates.find(({ params }) => params.every((param, at) => isOfType(param, args[at] ?? null)));
    return overload === undefined ? fail(noOverload(name, args)) : overload.run(args);
  };
}

/** No part of the type is open. */
function isKnown(type: CelType): boolean {
  if (type.kind === "list") return isKnown(type.item);
  if (type.kind === "map") return isKnown(type.key) && isKnown(type.value);
  return type.kind === "optional" ? isKnown(type.value) : !isDyn(type);
}

function noOverload(name: string, args: readonly CelValue[]): string {
  if (!/^[A-Za-z]/.test(name)) return "no such overload";
  return `no such overload: ${name}(${args.map(typeNameOf).join(", ")})`;
}

function literalValue(value: Literal): CelValue {
  return typeof value === "object" && value !== null && "uint" in value ? new Uint(value.uint) : value;
}

const typeTexts: Readonly<Record<string, string>> = {
  null: "null_type",
  timestamp: "google.protobuf.Timestamp",
  duration: "google.protobuf.Duration",
};

function typeTextOf(type: CelType): string {
  const text = formatType(type).replace(/\(.*/, "");
  return typeTexts[text] ?? text;
}

function fieldOf(container: CelValue, field: string): CelValue | undefined {
  if (container instanceof ObjectValue || container instanceof MapValue) return container.get(field);
  return fail(`no such overload: ${typeNameOf(container)}.${field}`);
}
