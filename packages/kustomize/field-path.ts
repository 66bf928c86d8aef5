import type { Budget } from "./budget.ts";
import { kustomizeErrors } from "./errors.ts";
import { type Gvk, isSelected } from "./ids.ts";
import { type Fields, isFields, isScalar, setField } from "./json.ts";
import type { Resource } from "./resource.ts";

/** A field of certain kinds. `path` has `/` between keys; a key that ends in `[]` names a list. */
export interface FieldPath extends Partial<Gvk> {
  readonly path: string;
  /** Makes the field, and the maps above it, where they are missing. */
  readonly create?: boolean;
}

/** How a field is changed: the value that is there, or `undefined`, to the one that shall be there. */
export interface FieldChange {
  readonly set: (value: unknown) => unknown;
  /** What is made where the field is missing; absent: nothing is. */
  readonly make?: "map" | "scalar";
  /** Pays for the lists on the way. */
  readonly budget: Budget;
}

/** Changes a field of a resource wherever its path leads, through lists as well. */
export function changeField(resource: Resource, field: FieldPath, change: FieldChange): void {
  if (!isSelected(resource.gvk, field)) return;
  const walker = {
    change,
    create: field.create === true && change.make !== undefined,
    what: describe(resource, field),
  };
  walk(resource.fields, splitPath(field.path), walker);
}

interface Walker {
  readonly change: FieldChange;
  readonly create: boolean;
  readonly what: string;
}

/** `a/b\/c/d[]` → `a`, `b/c`, `d[]`. */
export function splitPath(path: string): readonly string[] {
  return path.split(/(?<!\\)\//).map((segment) => segment.replaceAll("\\/", "/"));
}

function walk(node: unknown, path: readonly string[], walker: Walker): unknown {
  if (path.length === 0) return walker.change.set(node);
  if (Array.isArray(node)) {
    walker.change.budget.spendLooks(node.length);
    for (let index = 0; index < node.length; index++) node[index] = walk(node[index], path, walker);
    return node;
  }
  if (isFields(node)) walkFields(node, path, walker);
  else if (node !== null && isScalar(node)) {
    throw kustomizeErrors.TRANSFORM({ what: walker.what, problem: "expected sequence or mapping, found a scalar" });
  }
  return node;
}

function walkFields(node: Fields, [first = "", ...rest]: readonly string[], walker: Walker): void {
  const isList = first.endsWith("[]");
  const name = isList ? first.slice(0, -2) : first;
  const makes = walker.create && !isList;
  if (node[name] === undefined && !makes) return;
  const child = makes ? (node[name] ?? made(rest, walker)) : node[name];
  const changed = walk(child, rest, walker);
  if (changed !== undefined) setField(node, name, changed);
}

/** What stands for a missing field: a map where a path or a map goes on, nothing where a scalar is set. */
function made(rest: readonly string[], { change }: Walker): unknown {
  return rest.length > 0 || change.make === "map" ? {} : undefined;
}

function describe(resource: Resource, { path }: FieldPath): string {
  return `field ${path} of ${resource.kind} ${resource.name}`;
}
