import type { AnyObject } from "@kyma-operators/kube";
import { validate, validateResource } from "@kyma-operators/schema";
import type { FieldProblem } from "../api-error.ts";
import type { ServedResource } from "./resource.ts";

/** Enumerations that the kinds judge by themselves. */
const ownRules = new RegExp(
  [
    "^spec\\.(?:strategy|updateStrategy)\\.type",
    "restartPolicy",
    "^spec\\.scope",
    "^roleRef\\.kind",
    "dnsPolicy",
    "terminationMessagePolicy",
    "podManagementPolicy",
    "preemptionPolicy",
    "^reclaimPolicy",
    "tolerations\\[\\d+\\]\\.(?:operator|effect)",
    "matchExpressions\\[\\d+\\]\\.(?:operator|scopeName)",
    "^spec\\.(?:in|e)gress.*\\.protocol",
    "(?:policyTypes|accessModes|^spec\\.scopes)\\[\\d+\\]",
    "pathType",
    "sideEffects",
    "completionMode",
  ]
    .map((rule) => `(?:${rule})$`)
    .join("|"),
);

/** Where the object breaks its schema and, for custom resources, the rules in it. */
export function schemaProblems(
  { schema, custom }: ServedResource,
  object: AnyObject,
  old: AnyObject | undefined,
): readonly FieldProblem[] {
  // Built-in kinds have their types checked when they are read and rules of their own; only their enumerations stand in
  // the schema alone.
  if (custom === undefined) {
    return validate(schema, object).filter(
      ({ reason, field }) => reason === "FieldValueNotSupported" && !ownRules.test(field),
    );
  }
  return validateResource(schema, object, old);
}
