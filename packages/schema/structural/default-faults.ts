import { SchemaCompiler } from "../compile.ts";
import { applyDefaults } from "../defaults.ts";
import { type FieldError, forbidden, invalid } from "../field-errors.ts";
import { prune } from "../prune.ts";
import { validate } from "../validate.ts";
import type { Node } from "./node.ts";

/** A default has to fit its own schema, with nothing that pruning would take away. */
export function defaultFaults({ raw, path, parent }: Node): readonly FieldError[] {
  const value = raw.default;
  const field = `${path}.default`;
  if (value === undefined || value === null) return [];
  if (parent?.level === "root" && path.endsWith(".properties[metadata]")) {
    return [forbidden(field, "must not be set in top-level metadata")];
  }
  const schema = new SchemaCompiler().compile(raw);
  if (prune(schema, value).removed.length > 0) return [invalid(field, value, "must not have unknown fields")];
  return validate(schema, applyDefaults(schema, value)).map((fault) => ({
    ...fault,
    field: fault.field === "" || fault.field === "<nil>" ? field : `${field}.${fault.field}`,
  }));
}
