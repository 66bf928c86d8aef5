export {
  compileExpression,
  type Evaluated,
  Expression,
  ExpressionError,
  type Inputs,
  LazyFields,
} from "./cel/expression.ts";
export { Budget } from "./cel/meter.ts";
export { validateRules } from "./cel/rules.ts";
export { anything, SchemaCompiler } from "./compile.ts";
export { applyDefaults } from "./defaults.ts";
export { type FieldError, type FieldErrorReason, formatFieldError, formatFieldErrors } from "./field-errors.ts";
export { type Pruned, prune, unknownFields } from "./prune.ts";
export { withObjectMeta } from "./resource.ts";
export { validateResource } from "./resource-faults.ts";
export { structuralFaults } from "./structural/faults.ts";
export type { Definitions, Limits, RawSchema, Rule, Schema, SchemaType, Value } from "./types.ts";
export { validate } from "./validate.ts";
