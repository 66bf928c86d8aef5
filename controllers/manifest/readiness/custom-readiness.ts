import { textOf } from "@kyma-operators/errors";
import type { AnyObject } from "@kyma-operators/kube";
import { parse } from "@marcbachmann/cel-js";
import { manifestErrors } from "../errors.ts";
import { steering } from "../inventory/fingerprint.ts";
import { type Readiness, stateReadiness } from "./readiness.ts";

const maxLength = 1_000;

/** Judges a module's custom resource. */
export type CustomReadiness = (object: AnyObject) => Readiness;

/**
 * How the module CR of a Manifest tells that it is ready: by the CEL expression of the annotation, whose `self` is the
 * object, or by `status.state` where there is none.
 *
 * Throws `MANIFEST_ANNOTATION_INVALID` for an expression that can't be parsed.
 */
export function customReadiness(expression: string | undefined): CustomReadiness {
  if (expression === undefined) return stateReadiness;
  if (expression.length > maxLength) throw invalid(`is longer than ${maxLength} characters`);
  const evaluate = parsed(expression);
  return (object) => judge(expression, () => evaluate({ self: withNumbers(object) }));
}

function parsed(expression: string): ReturnType<typeof parse> {
  try {
    return parse(expression);
  } catch (error) {
    throw invalid(`${JSON.stringify(expression)} is no CEL expression: ${textOf(error)}`, error);
  }
}

/** A field that is not there yet is no mistake: it may appear. */
function judge(expression: string, evaluate: () => unknown): Readiness {
  try {
    const value = evaluate();
    if (value === true) return { state: "ready" };
    return { state: "progressing", why: `${expression} is ${String(value)}` };
  } catch (error) {
    return {
      state: "progressing",
      why: `${expression} can't be evaluated yet: ${textOf(error).split("\n", 1)[0] ?? ""}`,
    };
  }
}

/** Whole numbers of JSON are integers in CEL, as in the rules of CRDs. */
function withNumbers(value: unknown): unknown {
  if (typeof value === "number" && Number.isSafeInteger(value)) return BigInt(value);
  if (Array.isArray(value)) return value.map(withNumbers);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, withNumbers(entry)]));
}

function invalid(problem: string, cause?: unknown): Error {
  return manifestErrors.ANNOTATION_INVALID({ annotation: steering.readyWhen, problem }, cause);
}
