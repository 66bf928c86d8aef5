import { LRUCache } from "lru-cache";
import type { Value } from "../types.ts";
import { untyped } from "./from-json.ts";
import { type Budget, BudgetError } from "./meter.ts";
import { compileProgram, type Program, ProgramError } from "./program.ts";
import { unknownSize } from "./sizes.ts";
import { dyn, formatType } from "./types.ts";
import { type CelValue, EvaluationError, fail, ObjectValue } from "./values.ts";

/** Why an expression does not compile or gives no value, in the words of Kubernetes. */
export class ExpressionError extends Error {
  override readonly name = "ExpressionError";
  /** Whether the budget is used up: what shares it can't be evaluated either. */
  readonly isExhausted: boolean;

  constructor(message: string, options: ErrorOptions & { readonly isExhausted?: boolean } = {}) {
    super(message, options);
    this.isExhausted = options.isExhausted ?? false;
  }
}

/** Values by the name that expressions know them by: JSON, or {@link LazyFields}. */
export type Inputs = Readonly<Record<string, Value>>;

/** An object whose fields are computed when an expression reads them, each once. */
export class LazyFields {
  readonly value: CelValue;

  /** @param read - a field that is not among the names is never asked for. What it throws ends the expression. */
  constructor(names: readonly string[], read: (name: string) => Result) {
    const known = new Map<string, CelValue>();
    this.value = new ObjectValue("object", names, (name) => {
      if (!names.includes(name)) return undefined;
      if (!known.has(name)) known.set(name, valueOf(read(name)));
      return known.get(name);
    });
  }
}

function valueOf(result: Result): CelValue {
  return result instanceof ExpressionError ? fail(result.message) : result.value;
}

/** What an expression came to. */
export interface Evaluated {
  /** Absent when it is neither. */
  readonly plain: boolean | string | undefined;
  /** For other expressions. */
  readonly value: CelValue;
}

type Result = Evaluated | ExpressionError;

function evaluated(value: CelValue): Evaluated {
  return { plain: typeof value === "string" || typeof value === "boolean" ? value : undefined, value };
}

/** An expression over values whose types are only known when it runs, as those of admission. */
export class Expression {
  /** Type as messages print it; `dyn` when only a run can tell. */
  readonly type: string;
  readonly #program: Program;

  constructor(program: Program) {
    this.#program = program;
    this.type = formatType(program.type);
  }

  /** The value, or why there is none. Inputs that are missing are null. */
  evaluate(inputs: Inputs, budget: Budget): Result {
    const values = Object.fromEntries(
      Object.entries(inputs).map(([name, input]) => [name, input instanceof LazyFields ? input.value : untyped(input)]),
    );
    try {
      return budget.run((meter) => evaluated(this.#program.run(values, meter)));
    } catch (error) {
      if (error instanceof BudgetError) return new ExpressionError(error.message, { cause: error, isExhausted: true });
      if (error instanceof EvaluationError) return new ExpressionError(error.message, { cause: error });
      throw error;
    }
  }
}

const compiled = new LRUCache<string, Expression>({ max: 1_000 });

/**
 * Compiles an expression over these variables; the same text is compiled once. Throws {@link ExpressionError} with a text
 * that follows the field's path.
 */
export function compileExpression(source: string, variables: readonly string[]): Expression {
  const key = `${variables.join(" ")}\n${source}`;
  const known = compiled.get(key);
  if (known !== undefined) return known;
  try {
    const types = new Map(variables.map((name) => [name, dyn]));
    const sizes = new Map(variables.map((name) => [name, unknownSize]));
    const expression = new Expression(compileProgram(source, { types, sizes }, "any"));
    compiled.set(key, expression);
    return expression;
  } catch (error) {
    if (error instanceof ProgramError) throw new ExpressionError(error.message, { cause: error });
    throw error;
  }
}
