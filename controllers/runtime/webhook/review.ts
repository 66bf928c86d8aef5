import { textOf } from "@kyma-operators/errors";
import { isObject, type JsonObject } from "@kyma-operators/gardener";
import {
  type Problem,
  type Runtime,
  validateRuntime,
  validateRuntimeUpdate,
} from "../../../apis/infrastructure/index.ts";
import { catalogueProblems } from "../shoot/catalogue.ts";
import { parseRuntime } from "../shoot/index.ts";

/** What a review may look at besides the Runtime. */
export interface ReviewContext {
  readonly projectName: string;
  /** The CloudProfile of a provider; undefined when it can't be read, and then nothing is checked against it. */
  readonly profileFor: (runtime: Runtime) => Promise<JsonObject | undefined>;
}

/** The answer to an AdmissionReview of a Runtime. */
export interface ReviewAnswer {
  readonly apiVersion: "admission.k8s.io/v1";
  readonly kind: "AdmissionReview";
  readonly response: {
    readonly uid: string;
    readonly allowed: boolean;
    readonly status?: { readonly code: number; readonly reason: string; readonly message: string };
  };
}

/**
 * Decides on the creation or change of a Runtime.
 *
 * A Runtime that is being deleted is let through whatever it says: nobody could get rid of it otherwise. An update is
 * only refused for what it makes wrong, not for what was wrong before the webhook was there.
 */
export async function reviewRuntime(review: unknown, context: ReviewContext): Promise<ReviewAnswer> {
  const request = isObject(review) && isObject(review["request"]) ? review["request"] : {};
  const uid = typeof request["uid"] === "string" ? request["uid"] : "";
  let problems: readonly Problem[];
  try {
    problems = await problemsOf(request, context);
  } catch (error) {
    problems = [{ field: "object", message: textOf(error) }];
  }
  if (problems.length === 0) return answer({ uid, allowed: true });
  const message = problems.map((problem) => `${problem.field}: ${problem.message}`).join("; ");
  return answer({ uid, allowed: false, status: { code: 422, reason: "Invalid", message } });
}

function answer(response: ReviewAnswer["response"]): ReviewAnswer {
  return { apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", response };
}

async function problemsOf(request: JsonObject, context: ReviewContext): Promise<readonly Problem[]> {
  if (request["operation"] === "DELETE") return [];
  const runtime = parseRuntime(request["object"], "Runtime");
  if (runtime.metadata.deletionTimestamp !== undefined) return [];
  const old = request["operation"] === "UPDATE" ? parseRuntime(request["oldObject"], "Runtime") : undefined;
  const profile = await context.profileFor(runtime);
  const catalogue = profile === undefined ? [] : catalogueProblems(runtime, profile, old);
  const found = validateRuntime(runtime, context);
  if (old === undefined) return [...found, ...catalogue];
  const known = new Set(validateRuntime(old, context).map(keyOf));
  return [
    ...found.filter((problem) => !known.has(keyOf(problem))),
    ...validateRuntimeUpdate(old, runtime),
    ...catalogue,
  ];
}

function keyOf({ field, message }: Problem): string {
  return `${field} ${message}`;
}
