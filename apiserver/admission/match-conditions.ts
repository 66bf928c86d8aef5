import { Budget, compileExpression, ExpressionError, type Inputs } from "@kyma-operators/schema";

/** A condition that narrows down what a webhook or a policy wants to see. */
export interface MatchCondition {
  readonly name: string;
  readonly expression: string;
}

/** Kubernetes' budget for all conditions of one match. */
const budgetSteps = 2_500_000;

/**
 * Whether all conditions hold. One that does not hold decides, whatever the others come to.
 *
 * Throws an error with the texts of all that give no answer when none is false.
 */
export function conditionsHold(conditions: readonly MatchCondition[], inputs: Inputs): boolean {
  const budget = new Budget(budgetSteps);
  const problems: string[] = [];
  for (const { name, expression } of conditions) {
    const result = answerOf(expression, inputs, budget);
    if (result === false) return false;
    if (result !== true) problems.push(`expression '${expression}' of match condition ${name}: ${result}`);
  }
  if (problems.length > 0) throw new Error(problems.join(", "));
  return true;
}

function answerOf(expression: string, inputs: Inputs, budget: Budget): boolean | string {
  try {
    const result = compileExpression(expression, Object.keys(inputs)).evaluate(inputs, budget);
    if (result instanceof ExpressionError) return result.message;
    return typeof result.plain === "boolean" ? result.plain : "it is no boolean";
  } catch (error) {
    if (error instanceof ExpressionError) return error.message;
    throw error;
  }
}
