import type { Expr, Fold, FoldName } from "./ast.ts";
import {
  type CelValue,
  EvaluationError,
  fail,
  ListValue,
  type MapEntry,
  MapValue,
  none,
  OptionalValue,
} from "./values.ts";

/** Runs the body of a macro with its variables bound. */
type Body = (expr: Expr, bound: readonly CelValue[]) => CelValue;

type Run = (fold: Fold, range: CelValue, body: Body) => CelValue;

const mapped: Run = (fold, range, body) =>
  new ListValue(selected(fold, range, body).map((bound) => transformed(fold, bound, body)));

const runs: Readonly<Record<FoldName, Run>> = {
  all: (fold, range, body) => decide(fold, range, body, false),
  exists: (fold, range, body) => decide(fold, range, body, true),
  exists_one: (fold, range, body) => selected(fold, range, body).length === 1,
  filter: (fold, range, body) => new ListValue(selected(fold, range, body).map(([item]) => item ?? null)),
  map: mapped,
  transformList: mapped,
  transformMap: (fold, range, body) =>
    new MapValue(
      selected(fold, range, body).map((bound) => ({ key: bound[0] ?? null, value: transformed(fold, bound, body) })),
    ),
  transformMapEntry: (fold, range, body) =>
    new MapValue(selected(fold, range, body).flatMap((bound) => entriesOf(transformed(fold, bound, body)))),
  optMap: runOptional,
  optFlatMap: runOptional,
};

/** Runs a macro over its range. */
export function runFold(fold: Fold, range: CelValue, body: Body): CelValue {
  return runs[fold.name](fold, range, body);
}

/** What the variables stand for, round by round. */
function bindings({ variables }: Fold, range: CelValue): readonly (readonly CelValue[])[] {
  const pair = variables.length > 1;
  if (range instanceof ListValue) return range.items.map((item, at) => (pair ? [BigInt(at), item] : [item]));
  if (range instanceof MapValue) {
    return [...range.entries.values()].map(({ key, value }) => (pair ? [key, value] : [key]));
  }
  return fail("no such overload");
}

/** `all` and `exists`: one decisive round settles it, failures in other rounds notwithstanding. */
function decide(fold: Fold, range: CelValue, body: Body, decisive: boolean): boolean {
  let failure: EvaluationError | undefined;
  for (const bound of bindings(fold, range)) {
    try {
      if (answer(fold.filter, bound, body) === decisive) return decisive;
    } catch (error) {
      if (!(error instanceof EvaluationError)) throw error;
      failure ??= error;
    }
  }
  if (failure !== undefined) throw failure;
  return !decisive;
}

function answer(expr: Expr | undefined, bound: readonly CelValue[], body: Body): boolean {
  const value = expr === undefined ? true : body(expr, bound);
  return typeof value === "boolean" ? value : fail("no such overload");
}

function selected(fold: Fold, range: CelValue, body: Body): readonly (readonly CelValue[])[] {
  return bindings(fold, range).filter((bound) => answer(fold.filter, bound, body));
}

function transformed({ transform }: Fold, bound: readonly CelValue[], body: Body): CelValue {
  return transform === undefined ? (bound[0] ?? null) : body(transform, bound);
}

function entriesOf(value: CelValue): readonly MapEntry[] {
  return value instanceof MapValue ? [...value.entries.values()] : fail("no such overload");
}

function runOptional(fold: Fold, range: CelValue, body: Body): CelValue {
  if (!(range instanceof OptionalValue)) return fail("no such overload");
  if (range.value === undefined) return none;
  const value = transformed(fold, [range.value], body);
  return fold.name === "optFlatMap" ? value : new OptionalValue(value);
}
