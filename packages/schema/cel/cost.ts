import type { Call, Expr, Fold, Literal } from "./ast.ts";
import { callCost } from "./call-cost.ts";
import type { Checked } from "./checker.ts";
import { type Size, scalarSize, unknownSize } from "./sizes.ts";

/** What an expression may cost, and how large its value may be. */
export interface Estimate {
  /** Steps at most; infinite where a size that matters is unknown. */
  readonly max: number;
  readonly size: Size;
}

/** How large the variables of an expression can be. */
export type Sizes = ReadonlyMap<string, Size>;

/** Estimates an expression before it ever runs, in about the units of cel-go. */
export function estimateCost({ expr, types }: Checked, sizes: Sizes): Estimate {
  return new Estimator(types).visit(expr, sizes);
}

const estimate = (max: number, size: Size): Estimate => ({ max, size });

class Estimator {
  readonly #types: Checked["types"];

  constructor(types: Checked["types"]) {
    this.#types = types;
  }

  visit(expr: Expr, sizes: Sizes): Estimate {
    switch (expr.kind) {
      case "literal":
        return estimate(0, { max: literalSize(expr.value) });
      case "ident":
        return estimate(1, sizes.get(expr.name) ?? scalarSize);
      case "select":
        return this.#select(expr.operand, expr.field, sizes);
      case "list":
        return this.#list(expr.items, sizes);
      case "map":
        return this.#map(expr.entries, sizes);
      case "call":
        return this.#call(expr, sizes);
      case "fold":
        break;
    }
    return this.#fold(expr, sizes);
  }

  #select(operand: Expr, field: string, sizes: Sizes): Estimate {
    const { max, size } = this.visit(operand, sizes);
    return estimate(max + 1, size.field?.(field) ?? size.item ?? unknownSize);
  }

  #list(items: readonly Expr[], sizes: Sizes): Estimate {
    const parts = items.map((item) => this.visit(item, sizes));
    const item = parts.map(({ size }) => size).reduce(larger, { max: 0 });
    return estimate(sum(parts) + 10, { max: items.length, item });
  }

  #map(entries: readonly (readonly [Expr, Expr])[], sizes: Sizes): Estimate {
    const keys = entries.map(([key]) => this.visit(key, sizes));
    const values = entries.map(([, value]) => this.visit(value, sizes));
    const item = values.map(({ size }) => size).reduce(larger, { max: 0 });
    const key = keys.map(({ size }) => size).reduce(larger, { max: 0 });
    return estimate(sum(keys) + sum(values) + 30, { max: entries.length, item, key });
  }

  #call(expr: Call, sizes: Sizes): Estimate {
    const parts = expr.args.map((arg) => this.visit(arg, sizes));
    const [first, second = estimate(0, scalarSize), third = estimate(0, scalarSize)] = parts;
    switch (expr.name) {
      case "_?_:_":
        return estimate((first?.max ?? 0) + Math.max(second.max, third.max), larger(second.size, third.size));
      case "_&&_":
      case "_||_":
        return estimate(sum(parts), scalarSize);
      default:
        return this.#function(expr, parts, sizes);
    }
  }

  #function(expr: Call, parts: readonly Estimate[], sizes: Sizes): Estimate {
    // A namespace has no type of its own.
    const isMember = expr.target !== undefined && this.#types.has(expr.target);
    const receiver = expr.target !== undefined && isMember ? [this.visit(expr.target, sizes)] : [];
    const all = [...receiver, ...parts];
    const { cost, size } = callCost(
      expr.name,
      all.map((part) => part.size),
      this.#types.get(expr),
    );
    return estimate(sum(all) + cost, size);
  }

  #fold(fold: Fold, sizes: Sizes): Estimate {
    const range = this.visit(fold.range, sizes);
    const inner = foldSizes(fold, range.size, sizes);
    const filter = fold.filter === undefined ? free : this.visit(fold.filter, inner);
    const transform = fold.transform === undefined ? free : this.visit(fold.transform, inner);
    const rounds = fold.name === "optMap" || fold.name === "optFlatMap" ? 1 : range.size.max;
    const perRound = filter.max + transform.max + roundCost(fold);
    return estimate(range.max + times(rounds, perRound) + 2, foldSize(fold, range.size, transform.size));
  }
}

const free: Estimate = { max: 0, size: unknownSize };

/** The sizes of the variables inside a macro. */
function foldSizes({ variables: [first = "", second] }: Fold, range: Size, sizes: Sizes): Sizes {
  const item = range.item ?? unknownSize;
  const inner = new Map(sizes);
  inner.set(first, range.key ?? (second === undefined ? item : scalarSize));
  if (second !== undefined) inner.set(second, item);
  return inner;
}

/** What a round costs beside its body: the accumulator is read and written. */
function roundCost({ name }: Fold): number {
  return name === "all" || name === "exists" || name === "exists_one" ? 3 : 12;
}

function foldSize({ name }: Fold, range: Size, transform: Size): Size {
  if (name === "all" || name === "exists" || name === "exists_one") return scalarSize;
  if (name === "filter") return { max: range.max, item: range.key ?? range.item ?? unknownSize };
  return { max: range.max, item: transform, ...(range.key === undefined ? {} : { key: range.key }) };
}

function literalSize(value: Literal): number {
  return typeof value === "string" || value instanceof Uint8Array ? value.length : 1;
}

function sum(parts: readonly Estimate[]): number {
  return parts.reduce((total, { max }) => total + max, 0);
}

/** Nothing times anything is nothing, the infinite included. */
function times(a: number, b: number): number {
  return a === 0 || b === 0 ? 0 : a * b;
}

function larger(a: Size, b: Size): Size {
  return a.max >= b.max ? a : b;
}
