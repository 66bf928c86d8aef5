export { type ApplyRequest, type ApplyResult, applyObject } from "./apply.ts";
export { type Comparison, compareValues } from "./compare.ts";
export { type Conflict, formatConflict, formatConflicts } from "./conflicts.ts";
export { equalValues } from "./equal.ts";
export {
  difference,
  equalSets,
  type FieldSet,
  intersection,
  isEmpty as isEmptySet,
  pathsOf,
  union,
} from "./field-set.ts";
export { type FieldsV1, formatFieldsV1, parseFieldsV1 } from "./fields-v1.ts";
export { fieldsOwnedBy, ownedSet, stripManagedFields } from "./managed-fields.ts";
export { type ManagedFieldsEntry } from "./owners.ts";
export type { FieldPath } from "./ownership.ts";
export { formatPath } from "./path-element.ts";
export { toFieldSet } from "./to-field-set.ts";
export { type UpdateRequest, updateManagedFields } from "./update.ts";
export type { Versions } from "./versions.ts";
