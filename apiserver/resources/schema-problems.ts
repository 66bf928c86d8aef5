import type { AnyObject } from "@kyma-operators/kube";
import { validate } from "@kyma-operators/schema";
import type { FieldProblem } from "../api-error.ts";
import type { ServedResource } from "./resource.ts";

/** Where the object breaks its schema. */
export function schemaProblems(
  resource: ServedResource,
  object: AnyObject,
  _old: AnyObject | undefined,
): readonly FieldProblem[] {
  const problems = validate(resource.schema, object);
  // Go writes null for lists and times that nobody set.
  return resource.custom === undefined ? problems.filter(({ message }) => !message.endsWith(': "null"')) : problems;
}
