import {
  Budget,
  compileExpression,
  type Evaluated,
  ExpressionError,
  type Inputs,
  LazyFields,
} from "@kyma-operators/schema";
import type { PolicySpec, Validation } from "./policy-types.ts";

/** Why a policy is against a write. */
export interface Objection {
  readonly message: string;
  readonly reason: string;
}

/** Kubernetes' budget for all expressions of one evaluation. */
const budgetSteps = 10_000_000;

/** What the validations of a policy object to, in their order; what fails objects unless the policy ignores failures. */
export function objectionsOf(policy: PolicySpec, inputs: Inputs): readonly Objection[] {
  const budget = new Budget(budgetSteps);
  const scope = withVariables(policy, inputs, budget);
  return (policy.validations ?? []).flatMap((validation) => {
    const result = evaluate(validation.expression, scope, budget);
    if (result instanceof ExpressionError)
      return policy.failurePolicy === "Ignore" ? [] : [{ message: errorText(validation, result), reason: "Invalid" }];
    if (result.plain === true) return [];
    return [{ message: messageOf(validation, scope, budget), reason: validation.reason ?? "Invalid" }];
  });
}

/** Variables may read those that stand before them; each is computed when it is first read. */
function withVariables({ variables = [] }: PolicySpec, inputs: Inputs, budget: Budget): Inputs {
  const names = variables.map(({ name }) => name);
  const fields = new LazyFields(names, (name) => {
    const expression = variables.find((variable) => variable.name === name)?.expression ?? "null";
    return evaluate(expression, { ...inputs, variables: fields }, budget);
  });
  return { ...inputs, variables: fields };
}

function evaluate(expression: string, inputs: Inputs, budget: Budget): Evaluated | ExpressionError {
  try {
    return compileExpression(expression, Object.keys(inputs)).evaluate(inputs, budget);
  } catch (error) {
    if (error instanceof ExpressionError) return error;
    throw error;
  }
}

function errorText({ expression }: Validation, error: ExpressionError): string {
  if (error.isExhausted)
    return "validation failed due to running out of cost budget, no further validation rules will be run";
  return `expression '${expression}' resulted in error: ${error.message}`;
}

/** A computed message that is empty, too long for a line or fails falls back to the plain one. */
function messageOf({ expression, message, messageExpression }: Validation, inputs: Inputs, budget: Budget): string {
  const made = messageExpression === undefined ? undefined : evaluate(messageExpression, inputs, budget);
  const text = made === undefined || made instanceof ExpressionError ? undefined : made.plain;
  if (typeof text === "string" && text.trim() !== "" && !text.includes("\n")) return text.trim();
  return message !== undefined && message !== "" ? message.trim() : `failed expression: ${expression.trim()}`;
}
