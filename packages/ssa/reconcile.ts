import type { Schema } from "@kyma-operators/schema";
import { type FieldSet, leaf, nodeOf } from "./field-set.ts";
import { type Owner, type Owners, withSet } from "./owners.ts";
import { fieldSchema, itemSchema } from "./shape.ts";
import type { Versions } from "./versions.ts";

/**
 * Brings sets up to date with a schema in which a list or map has become atomic: who owned a part now owns the whole.
 * (The other way round needs nothing: a path that ends at a granular container is a path like any other.)
 */
export function reconcileOwners(owners: Owners, versions: Versions): Owners {
  let next: Map<string, Owner> | undefined;
  for (const [key, owner] of owners) {
    const schema = versions.schemaOf(owner.apiVersion);
    const set = schema === undefined ? owner.set : reconcile(schema, owner.set);
    if (set === owner.set) continue;
    next ??= new Map(owners);
    next.set(key, withSet(owner, set));
  }
  return next ?? owners;
}

function reconcile(schema: Schema, set: FieldSet): FieldSet {
  if (set.children.size === 0) return set;
  if (isAtomic(schema)) return leaf;
  let children: Map<string, FieldSet> | undefined;
  for (const [element, below] of set.children) {
    if (below.children.size === 0) continue;
    const child = element.startsWith("f:") ? fieldSchema(schema, element.slice(2)) : itemSchema(schema);
    const reconciled = reconcile(child, below);
    if (reconciled === below) continue;
    children ??= new Map(set.children);
    children.set(element, reconciled);
  }
  return children === undefined ? set : nodeOf(set.member, children);
}

function isAtomic({ type, atomicMap, listType }: Schema): boolean {
  if (type === "object") return atomicMap;
  return type === "array" && listType !== "map" && listType !== "set";
}
