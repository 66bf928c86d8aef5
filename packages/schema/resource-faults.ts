import { holdsRules, validateRules } from "./cel/rules.ts";
import { type FieldError, type FieldErrorReason, invalid, nowhere } from "./field-errors.ts";
import type { Schema, Value } from "./types.ts";
import { validate } from "./validate.ts";

/** After faults of these kinds, rules could stumble over the value, so Kubernetes does not run them. */
const blocking: ReadonlySet<FieldErrorReason> = new Set([
  "FieldValueNotSupported",
  "FieldValueRequired",
  "FieldValueTooLong",
  "FieldValueTooMany",
  "FieldValueTypeInvalid",
]);

const unchecked =
  "some validation rules were not checked because the object was invalid; correct the existing errors to complete validation";

/**
 * All that is wrong with a custom resource: what `validate` finds and, unless that stands in the way, what
 * `validateRules` finds.
 *
 * @param old - the stored object on an update
 */
export function validateResource(schema: Schema, value: Value, old?: Value): readonly FieldError[] {
  const faults = validate(schema, value, "", old);
  if (!holdsRules(schema)) return faults;
  if (faults.some(({ reason }) => blocking.has(reason))) return [...faults, invalid(nowhere, null, unchecked)];
  return [...faults, ...validateRules(schema, value, old)];
}
