import type { Call, Expr, Fold, Literal, Select } from "./ast.ts";
import { type Checked, typeNamed } from "./checker.ts";
import { runFold } from "./folds.ts";
import type { Overload } from "./functions/registry.ts";
import { isOfType } from "./is-of-type.ts";
import { type Meter, sizeOf } from "./meter.ts";
import { formatType } from "./types.ts";
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

/** One run of an expression. Throws `EvaluationError`, and `BudgetError` when the meter runs out. */
export class Evaluation {
  readonly meter: Meter;
  readonly #overloads: Checked["overloads"];

  constructor({ overloads }: Checked, meter: Meter) {
    this.#overloads = overloads;
    this.meter = meter;
  }

  run(expr: Expr, frame: Frame | undefined): CelValue {
    switch (expr.kind) {
      case "literal":
        return literalValue(expr.value);
      case "ident":
        return this.#ident(expr.name, frame);
      case "select":
        return this.#select(expr, frame);
      case "call":
        return this.#call(expr, frame);
      case "list":
        this.meter.charge(10);
        return new ListValue(expr.items.map((item) => this.run(item, frame)));
      case "map":
        this.meter.charge(30);
        return new MapValue(
          expr.entries.map(([key, value]) => ({ key: this.run(key, frame), value: this.run(value, frame) })),
        );
      case "fold":
        break;
    }
    return this.#fold(expr, frame);
  }

  #ident(name: string, frame: Frame | undefined): CelValue {
    this.meter.charge(1);
    for (let at = frame; at !== undefined; at = at.outer) if (at.name === name) return at.value;
    const type = typeNamed(name);
    return type === undefined ? fail(`no such attribute(s): ${name}`) : new TypeValue(typeTextOf(type));
  }

  #select({ operand, field, mode }: Select, frame: Frame | undefined): CelValue {
    const container = this.run(operand, frame);
    this.meter.charge(1);
    const inner = container instanceof OptionalValue ? container.value : container;
    const value = inner === undefined ? undefined : fieldOf(inner, field);
    if (mode === "test") return value !== undefined;
    if (mode === "optional" || container instanceof OptionalValue)
      return value === undefined ? none : new OptionalValue(value);
    return value ?? missing(value, field);
  }

  #call(expr: Call, frame: Frame | undefined): CelValue {
    switch (expr.name) {
      case "_&&_":
        return this.#logic(expr, false, frame);
      case "_||_":
        return this.#logic(expr, true, frame);
      case "_?_:_":
        return this.#ternary(expr, frame);
      default:
        return this.#apply(expr, frame);
    }
  }

  #apply(expr: Call, frame: Frame | undefined): CelValue {
    const candidates = this.#overloads.get(expr) ?? [];
    const [first] = candidates;
    const receiver = expr.target !== undefined && first?.member === true ? [this.run(expr.target, frame)] : [];
    const args = [...receiver, ...expr.args.map((arg) => this.run(arg, frame))];
    this.meter.chargeCall(expr.name, args);
    const overload = candidates.length === 1 && first !== undefined ? first : chooseOverload(candidates, args);
    if (overload === undefined || !fits(overload, args)) return fail("no such overload");
    const result = overload.run(args);
    this.meter.checkSize(sizeOf(result));
    return result;
  }

  #ternary({ args: [condition, yes, no] }: Call, frame: Frame | undefined): CelValue {
    if (condition === undefined || yes === undefined || no === undefined) return fail("no such overload");
    const chosen = this.run(condition, frame);
    if (typeof chosen !== "boolean") return fail("no such overload");
    return this.run(chosen ? yes : no, frame);
  }

  /** One decisive side is enough, whichever it is, even when the other one fails. */
  #logic({ args: [left, right] }: Call, decisive: boolean, frame: Frame | undefined): CelValue {
    if (left === undefined || right === undefined) return fail("no such overload");
    const first = this.#attempt(left, frame);
    if (first === decisive) return decisive;
    const second = this.#attempt(right, frame);
    if (second === decisive) return decisive;
    const failure = [first, second].find((side) => side instanceof EvaluationError);
    if (failure !== undefined) throw failure;
    return first === !decisive && second === !decisive ? !decisive : fail("no such overload");
  }

  /** The value of a side, or its failure. */
  #attempt(expr: Expr, frame: Frame | undefined): CelValue | EvaluationError {
    try {
      return this.run(expr, frame);
    } catch (error) {
      if (error instanceof EvaluationError) return error;
      throw error;
    }
  }

  #fold(expr: Fold, frame: Frame | undefined): CelValue {
    const range = this.run(expr.range, frame);
    return runFold(expr, range, (body, bound) => {
      this.meter.charge(1);
      const inner = expr.variables.reduce<Frame | undefined>(
        (outer, name, at) => ({ name, value: bound[at] ?? null, outer }),
        frame,
      );
      return this.run(body, inner);
    });
  }
}

function literalValue(value: Literal): CelValue {
  return typeof value === "object" && value !== null && "uint" in value ? new Uint(value.uint) : value;
}

function typeTextOf(type: Parameters<typeof formatType>[0]): string {
  const text = formatType(type).replace(/\(.*/, "");
  return (
    { null: "null_type", timestamp: "google.protobuf.Timestamp", duration: "google.protobuf.Duration" }[text] ?? text
  );
}

function fieldOf(container: CelValue, field: string): CelValue | undefined {
  if (container instanceof ObjectValue || container instanceof MapValue) return container.get(field);
  return fail(`no such overload: ${typeNameOf(container)}.${field}`);
}

/** A null value is a value; an absent one is an error. */
function missing(value: CelValue | undefined, field: string): CelValue {
  return value === null ? null : fail(`no such key: ${field}`);
}

function chooseOverload(candidates: readonly Overload[], args: readonly CelValue[]): Overload | undefined {
  return candidates.find((overload) => fits(overload, args));
}

function fits({ params }: Overload, args: readonly CelValue[]): boolean {
  return params.every((param, at) => isOfType(param, args[at] ?? null));
}
