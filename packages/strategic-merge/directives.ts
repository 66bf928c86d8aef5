import { merge } from "./errors.ts";
import { type Fields, goText, isFields, setField } from "./values.ts";

const patchDirective = "$patch";
const retainKeysDirective = "$retainKeys";
const deleteFromListPrefix = "$deleteFromPrimitiveList/";
const setOrderPrefix = "$setElementOrder/";

/** A patch of one map, with its directives taken apart from its fields. */
export interface MapPatch {
  /** `$patch`: what to do with the map as a whole. */
  readonly action: "merge" | "replace" | "delete";
  readonly fields: Fields;
  /** `$retainKeys`: every other field of the original goes. */
  readonly retainKeys: ReadonlySet<string> | undefined;
  /** `$deleteFromPrimitiveList/<field>`: scalars to take out of a list. */
  readonly deletions: ReadonlyMap<string, readonly unknown[]>;
  /** `$setElementOrder/<field>`: the wanted order of a list. */
  readonly orders: ReadonlyMap<string, readonly unknown[]>;
}

/** Takes a patch apart. Throws `STRATEGIC_MERGE_PATCH_INVALID` on a directive that makes no sense. */
export function readMapPatch(patch: Fields, path: string): MapPatch {
  const fields: Record<string, unknown> = {};
  const deletions = new Map<string, readonly unknown[]>();
  const orders = new Map<string, readonly unknown[]>();
  for (const [name, value] of Object.entries(patch)) {
    if (name === patchDirective || name === retainKeysDirective) continue;
    if (name.startsWith(deleteFromListPrefix)) {
      deletions.set(name.slice(deleteFromListPrefix.length), listOf(value, `${path}.${name}`));
    } else if (name.startsWith(setOrderPrefix)) {
      orders.set(name.slice(setOrderPrefix.length), listOf(value, `${path}.${name}`));
    } else setField(fields, name, value);
  }
  const retainKeys = retainKeysOf(patch, fields, path);
  return { action: actionOf(patch, path), fields, retainKeys, deletions, orders };
}

/** The `$patch` directive of a map or a list item. */
export function actionOf(patch: Fields, path: string): MapPatch["action"] {
  const action = patch[patchDirective] ?? "merge";
  if (action === "merge" || action === "replace" || action === "delete") return action;
  throw merge.PATCH_INVALID({ field: path, problem: `unknown patch type: ${goText(action)} in map: ${goText(patch)}` });
}

function retainKeysOf(patch: Fields, fields: Fields, path: string): ReadonlySet<string> | undefined {
  const raw = patch[retainKeysDirective];
  if (raw === undefined) return undefined;
  const keys = new Set(listOf(raw, `${path}.${retainKeysDirective}`).map(String));
  const stray = Object.entries(fields).find(([name, value]) => value !== null && !keys.has(name));
  if (stray === undefined) return keys;
  throw merge.PATCH_INVALID({ field: `${path}.${stray[0]}`, problem: "invalid patch format of retainKeys" });
}

function listOf(value: unknown, path: string): readonly unknown[] {
  if (Array.isArray(value)) return value;
  const found = isFields(value) ? "map" : typeof value;
  throw merge.PATCH_INVALID({ field: path, problem: `expected a []interface {}, but received a ${found}` });
}

/** A patch value that meets nothing in the original: the same without directives and without nulls in its maps. */
export function withoutDirectives(value: unknown): unknown {
  if (Array.isArray(value)) return value.filter((item) => !isDirectiveItem(item)).map(withoutDirectives);
  if (!isFields(value)) return value;
  const fields: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(value)) {
    if (!isDirective(name) && field !== null) setField(fields, name, withoutDirectives(field));
  }
  return fields;
}

function isDirective(name: string): boolean {
  return (
    name === patchDirective ||
    name === retainKeysDirective ||
    name.startsWith(deleteFromListPrefix) ||
    name.startsWith(setOrderPrefix)
  );
}

function isDirectiveItem(item: unknown): boolean {
  return isFields(item) && item[patchDirective] !== undefined && item[patchDirective] !== "merge";
}
