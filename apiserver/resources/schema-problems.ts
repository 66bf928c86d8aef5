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
  return validate(resource.schema, object);
}
