import { ssa } from "./errors.ts";
import { type FieldSet, leaf, nodeOf, sortedChildren } from "./field-set.ts";
import { canonicalKeys, canonicalValue } from "./path-element.ts";

/** `fieldsV1` of a managedFields entry. */
export type FieldsV1 = { readonly [element: string]: FieldsV1 };

const maxDepth = 500;

/** Reads `fieldsV1`. Throws `SSA_FIELDS_INVALID` when it is no set of paths. */
export function parseFieldsV1(fields: unknown): FieldSet {
  return parseNode(fields, 0, true);
}

function parseNode(fields: unknown, depth: number, root: boolean): FieldSet {
  const entries = Object.entries(asElements(fields, depth));
  if (entries.length === 0 && !root) return leaf;
  let member = false;
  const children = new Map<string, FieldSet>();
  for (const [key, below] of entries) {
    if (key === ".") member = true;
    else children.set(parseElement(key), parseNode(below, depth + 1, false));
  }
  return nodeOf(member && !root, children);
}

function asElements(fields: unknown, depth: number): object {
  if (depth > maxDepth) throw ssa.FIELDS_INVALID({ found: `more than ${maxDepth} levels` });
  if (typeof fields === "object" && fields !== null && !Array.isArray(fields)) return fields;
  throw ssa.FIELDS_INVALID({ found: JSON.stringify(fields).slice(0, 80) });
}

/** Keys may come in any order and spacing; here they have one spelling, so that elements compare as texts. */
function parseElement(key: string): string {
  const text = key.slice(2);
  if (key.startsWith("f:")) return key;
  if (key.startsWith("i:") && /^\d+$/.test(text)) return key;
  if (key.startsWith("v:")) return canonicalValue(parseJson(text, key));
  const keys = key.startsWith("k:") ? parseJson(text, key) : undefined;
  if (typeof keys === "object" && keys !== null && !Array.isArray(keys)) {
    return canonicalKeys(keys as Readonly<Record<string, unknown>>);
  }
  throw ssa.FIELDS_INVALID({ found: key.slice(0, 80) });
}

function parseJson(text: string, key: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw ssa.FIELDS_INVALID({ found: key.slice(0, 80) }, error);
  }
}

/** Writes `fieldsV1`, in Kubernetes' order. */
export function formatFieldsV1(set: FieldSet): FieldsV1 {
  const fields: Record<string, FieldsV1> = {};
  if (set.member && set.children.size > 0) fields["."] = {};
  for (const [key, below] of sortedChildren(set)) fields[key] = formatFieldsV1(below);
  return fields;
}
