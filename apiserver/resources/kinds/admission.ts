import { compileExpression, ExpressionError } from "@kyma-operators/schema";
import { type FieldProblem, fieldProblem } from "../../api-error.ts";
import type { Strategy } from "../resource.ts";
import { problemsOf } from "./checks.ts";
import { asText, listAt } from "./edit.ts";
import { webhookFields } from "./webhook-checks.ts";

const group = "admissionregistration.k8s.io";
const reviewed = ["object", "oldObject", "request"];
const policyVariables = [...reviewed, "params", "namespaceObject"];
const withVariables = [...policyVariables, "variables"];

/** Policies and webhooks are only stored with expressions that compile. */
export const admissionStrategies: Readonly<Record<string, Partial<Strategy>>> = {
  [`${group}/validatingadmissionpolicies`]: {
    validate: ({ spec }) => [
      ...conditionProblems(spec, "spec", policyVariables),
      ...listAt(spec, "variables").flatMap(({ expression }, index) =>
        problems(expression, `spec.variables[${index}].expression`, { variables: withVariables, type: "any" }),
      ),
      ...listAt(spec, "validations").flatMap(({ expression, messageExpression }, index) => [
        ...problems(expression, `spec.validations[${index}].expression`, { variables: withVariables, type: "bool" }),
        ...(messageExpression === undefined
          ? []
          : problems(messageExpression, `spec.validations[${index}].messageExpression`, {
              variables: withVariables,
              type: "string",
            })),
      ]),
    ],
  },
  [`${group}/validatingwebhookconfigurations`]: { validate: webhookProblems },
  [`${group}/mutatingwebhookconfigurations`]: { validate: webhookProblems },
};

function webhookProblems(configuration: unknown): readonly FieldProblem[] {
  return listAt(configuration, "webhooks").flatMap((hook, index) => [
    ...problemsOf(webhookFields, hook, `webhooks[${index}]`),
    ...conditionProblems(hook, `webhooks[${index}]`, reviewed),
  ]);
}

function conditionProblems(holder: unknown, path: string, variables: readonly string[]): readonly FieldProblem[] {
  return listAt(holder, "matchConditions").flatMap((condition, index) =>
    problems(condition.expression, `${path}.matchConditions[${index}].expression`, { variables, type: "bool" }),
  );
}

interface Wanted {
  readonly variables: readonly string[];
  readonly type: "bool" | "string" | "any";
}

function problems(expression: unknown, field: string, { variables, type }: Wanted): readonly FieldProblem[] {
  const source = asText(expression);
  if (source.trim() === "") return [fieldProblem("FieldValueRequired", field, "expression is not specified")];
  try {
    const found = compileExpression(source, variables).type;
    if (type === "any" || found === type || found === "dyn") return [];
    return [fieldProblem("FieldValueInvalid", field, `must evaluate to ${type} but got ${found}`, source)];
  } catch (error) {
    if (error instanceof ExpressionError) return [fieldProblem("FieldValueInvalid", field, error.message, source)];
    throw error;
  }
}
