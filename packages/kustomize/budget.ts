import type { RE2JS } from "re2js";
import { kustomizeErrors } from "./errors.ts";
import { isFields } from "./json.ts";

const limit = 2_000_000;
/** Bytes that cost as much as one step. */
const bytesPerStep = 32;
/** Instructions of an expression times characters of a text that cost as much as one step. */
const instructionsPerStep = 128;
/** A look at an entry of a list, or at a field, is far cheaper than a change. */
const stepsPerLook = 0.2;
/** To compile one instruction of an expression. */
const stepsPerInstruction = 4;

/**
 * What one build may cost, in steps: one change of one object is about one step. Layers multiply each other and copies
 * double, so that a few lines could otherwise keep a build busy for ever.
 */
export class Budget {
  #left = limit;

  /** Throws `KUSTOMIZE_LIMIT` when nothing is left. */
  spend(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) throw kustomizeErrors.LIMIT({ what: "the work of one build, in changes of objects,", limit });
  }

  spendBytes(bytes: number): void {
    this.spend(bytes / bytesPerStep);
  }

  /** Pays for a look at each of some entries or fields. */
  spendLooks(count: number): void {
    this.spend(count * stepsPerLook);
  }

  /** Pays for an expression by what it became: `a{0,1000}` is short, and two thousand instructions. */
  spendCompiled(expression: RE2JS): void {
    this.spend(1 + expression.programSize() * stepsPerInstruction);
  }

  /** Pays for a match of an expression, which takes time by its instructions and by the text. */
  spendMatch(expression: RE2JS, text: string): void {
    this.spend(1 + (expression.programSize() * text.length) / instructionsPerStep);
  }

  /** A deep copy, paid by its size. */
  copy<T>(value: T): T {
    this.spend(stepsFor(value));
    return structuredClone(value);
  }
}

/** Steps that a value costs wherever it is put: one for each scalar, key and container, and more for long texts. */
export function stepsFor(value: unknown): number {
  if (typeof value === "string") return 1 + value.length / bytesPerStep;
  if (Array.isArray(value)) return value.reduce<number>((steps, item) => steps + stepsFor(item), 1);
  if (!isFields(value)) return 1;
  return Object.entries(value).reduce((steps, [key, item]) => steps + stepsFor(key) + stepsFor(item), 1);
}
