import { type CelValue, ListValue, MapValue } from "./values.ts";

/** The budget is used up; no part of an expression may go on after it. */
export class BudgetError extends Error {
  constructor() {
    super("operation cancelled: actual cost limit exceeded");
  }
}

/** No value of an expression grows beyond this, in characters, bytes or items. */
const sizeLimit = 10_000_000;

/** Counts the steps of evaluations against one budget, in about the units of cel-go. */
export class Meter {
  #left: number;

  constructor(budget: number) {
    this.#left = budget;
  }

  get left(): number {
    return this.#left;
  }

  charge(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) throw new BudgetError();
  }

  /** Steps of one call: what its arguments make it walk through, see {@link factorOf}. */
  chargeCall(factor: number, args: readonly CelValue[]): void {
    let size = 0;
    for (const arg of args) size += sizeOf(arg);
    this.charge(1 + Math.ceil(size * factor));
  }

  checkSize(size: number): void {
    if (size > sizeLimit) throw new BudgetError();
  }
}

/** Steps of one evaluation at most. */
const callBudget = 1_000_000;

/** Steps that several evaluations share. */
export class Budget {
  #left: number;

  constructor(steps: number) {
    this.#left = steps;
  }

  /** Whether more was asked for than there was. */
  get isExhausted(): boolean {
    return this.#left < 0;
  }

  /** Runs with what is left, at most the budget of one evaluation. */
  run<T>(work: (meter: Meter) => T): T {
    const given = Math.max(0, Math.min(callBudget, this.#left));
    const meter = new Meter(given);
    try {
      return work(meter);
    } finally {
      this.#left -= given - meter.left;
    }
  }
}

/** Texts are walked at a tenth of a step per character, patterns at a quarter, lists item by item. */
const factors: Readonly<Record<string, number>> = {
  matches: 0.25,
  find: 0.25,
  findAll: 0.25,
  distinct: 2,
  sort: 2,
  "@in": 1,
  "_[_]": 0,
  size: 0,
  equivalent: 2,
  intersects: 2,
};

/** Steps per character, byte or item that a function is given. */
export function factorOf(name: string): number {
  return factors[name] ?? 0.1;
}

/** Characters, bytes, items or entries; nothing for a scalar. */
export function sizeOf(value: CelValue): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 0;
  if (value instanceof ListValue) return value.items.length;
  if (value instanceof Uint8Array) return value.length;
  return value instanceof MapValue ? value.entries.size : 0;
}
