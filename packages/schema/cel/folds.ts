import type { Fold, FoldName } from "./ast.ts";
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

/** Runs a part of a macro with its variables bound: one variable takes the first value, two take both. */
export type Body = (first: CelValue, second: CelValue) => CelValue;

/** The parts of a macro. */
interface Bodies {
  readonly filter?: Body;
  readonly transform?: Body;
}

export type FoldRun = (range: CelValue, bodies: Bodies) => CelValue;

/** What one round binds, and what stands for it in a result. */
interface Round {
  readonly first: CelValue;
  readonly second: CelValue;
}

type Run = (rounds: readonly Round[], bodies: Bodies) => CelValue;

const mapped: Run = (rounds, bodies) =>
  new ListValue(selected(rounds, bodies).map((round) => transformed(round, bodies)));

const runs: Readonly<Record<Exclude<FoldName, "optMap" | "optFlatMap">, Run>> = {
  all: (rounds, bodies) => decide(rounds, bodies, false),
  exists: (rounds, bodies) => decide(rounds, bodies, true),
  exists_one: (rounds, bodies) => selected(rounds, bodies).length === 1,
  filter: (rounds, bodies) => new ListValue(selected(rounds, bodies).map(({ first }) => first)),
  map: mapped,
  transformList: mapped,
  transformMap: (rounds, bodies) =>
    new MapValue(selected(rounds, bodies).map((round) => ({ key: round.first, value: transformed(round, bodies) }))),
  transformMapEntry: (rounds, bodies) =>
    new MapValue(selected(rounds, bodies).flatMap((round) => entriesOf(transformed(round, bodies)))),
};

/** How a macro runs over its range. */
export function foldRun({ name, variables }: Fold): FoldRun {
  if (name === "optMap") return (range, bodies) => runOptional(range, bodies, (value) => new OptionalValue(value));
  if (name === "optFlatMap") return (range, bodies) => runOptional(range, bodies, (value) => value);
  const run = runs[name];
  const pair = variables.length > 1;
  return (range, bodies) => run(roundsOf(range, pair), bodies);
}

function roundsOf(range: CelValue, pair: boolean): readonly Round[] {
  if (range instanceof ListValue) {
    return range.items.map((item, at) => ({ first: pair ? BigInt(at) : item, second: item }));
  }
  if (range instanceof MapValue)
    return [...range.entries.values()].map(({ key, value }) => ({ first: key, second: value }));
  return fail("no such overload");
}

/** `all` and `exists`: one decisive round settles it, failures in other rounds notwithstanding. */
function decide(rounds: readonly Round[], bodies: Bodies, decisive: boolean): boolean {
  let failure: EvaluationError | undefined;
  for (const round of rounds) {
    try {
      if (isSelected(round, bodies) === decisive) return decisive;
    } catch (error) {
      if (!(error instanceof EvaluationError)) throw error;
      failure ??= error;
    }
  }
  if (failure !== undefined) throw failure;
  return !decisive;
}

function isSelected({ first, second }: Round, { filter }: Bodies): boolean {
  const answer = filter === undefined ? true : filter(first, second);
  return typeof answer === "boolean" ? answer : fail("no such overload");
}

function selected(rounds: readonly Round[], bodies: Bodies): readonly Round[] {
  return rounds.filter((round) => isSelected(round, bodies));
}

function transformed({ first, second }: Round, { transform }: Bodies): CelValue {
  return transform === undefined ? first : transform(first, second);
}

function entriesOf(value: CelValue): readonly MapEntry[] {
  return value instanceof MapValue ? [...value.entries.values()] : fail("no such overload");
}

function runOptional(range: CelValue, bodies: Bodies, wrap: (value: CelValue) => CelValue): CelValue {
  if (!(range instanceof OptionalValue)) return fail("no such overload");
  return range.value === undefined ? none : wrap(transformed({ first: range.value, second: null }, bodies));
}
