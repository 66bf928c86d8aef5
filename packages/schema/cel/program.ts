import type { Call, Expr } from "./ast.ts";
import { type Checked, check, type Scope } from "./checker.ts";
import { type Estimate, estimateCost, type Sizes } from "./cost.ts";
import { checkLiterals } from "./literals.ts";
import { Meter } from "./meter.ts";
import { parse } from "./parse.ts";
import { type Frame, planExpression } from "./plan.ts";
import { CompileError } from "./source.ts";
import type { CelType } from "./types.ts";
import { type CelValue, EvaluationError } from "./values.ts";

/** An expression that cannot run at all; the text is what follows the field's path in Kubernetes' message. */
export class ProgramError extends Error {}

/** A compiled expression. */
export interface Program {
  readonly type: CelType;
  /** The names of the variables that it reads. */
  readonly reads: ReadonlySet<string>;
  readonly cost: Estimate;
  run(variables: Readonly<Record<string, CelValue>>, meter: Meter): CelValue;
}

/** What an expression may read: the types of its variables, and how large they can be. */
export interface Variables {
  readonly types: Scope;
  readonly sizes: Sizes;
}

/**
 * Compiles an expression: syntax, types, literals, conversions of literals. Throws {@link ProgramError}.
 *
 * @param wanted - the type that the expression has to have
 */
export function compileProgram(
  source: string,
  { types, sizes }: Variables,
  wanted: "bool" | "string" | "any",
): Program {
  const checked = compileChecked(source, types);
  const { kind } = checked.type;
  if (wanted !== "any" && kind !== wanted && !(wanted === "bool" && kind === "dyn")) {
    throw new ProgramError(`cel expression must evaluate to a ${wanted}`);
  }
  foldConversions(checked);
  const step = planExpression(checked);
  return {
    type: checked.type,
    reads: namesIn(checked),
    cost: estimateCost(checked, sizes),
    run: (variables, meter) => step(frameOf(variables), meter),
  };
}

function compileChecked(source: string, scope: Scope): Checked {
  try {
    const checked = check(source, parse(source), scope);
    checkLiterals(source, checked);
    return checked;
  } catch (error) {
    if (error instanceof CompileError) throw new ProgramError(`compilation failed: ${error.message}`);
    throw error;
  }
}

function frameOf(variables: Readonly<Record<string, CelValue>>): Frame | undefined {
  return Object.entries(variables).reduce<Frame | undefined>(
    (outer, [name, value]) => ({ name, value, outer }),
    undefined,
  );
}

function namesIn({ types }: Checked): ReadonlySet<string> {
  return new Set([...types.keys()].flatMap((expr) => (expr.kind === "ident" ? [expr.name] : [])));
}

const conversions: ReadonlySet<string> = new Set([
  "bool",
  "bytes",
  "double",
  "duration",
  "int",
  "string",
  "timestamp",
  "uint",
]);

/** A literal that cannot be converted would fail on every object, so it fails here. */
function foldConversions(checked: Checked): void {
  for (const expr of checked.types.keys()) {
    if (!isLiteralConversion(expr)) continue;
    try {
      planExpression({ ...checked, expr })(undefined, new Meter(1000));
    } catch (error) {
      if (!(error instanceof EvaluationError)) throw error;
      throw new ProgramError(`program instantiation failed: ${error.message}`);
    }
  }
}

function isLiteralConversion(expr: Expr): expr is Call {
  if (expr.kind !== "call" || expr.target !== undefined || !conversions.has(expr.name)) return false;
  return expr.args.length === 1 && expr.args[0]?.kind === "literal";
}
