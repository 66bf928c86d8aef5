import { emptySet, type FieldSet, pathsOf, union } from "./field-set.ts";
import { formatOwners, type ManagedFieldsEntry, type Owners, parseOwners } from "./owners.ts";
import { formatPath } from "./path-element.ts";
import { type Fields, isFields } from "./shape.ts";

export function managedFieldsOf(object: Fields): readonly ManagedFieldsEntry[] | undefined {
  const { metadata } = object;
  const entries = isFields(metadata) ? metadata.managedFields : undefined;
  return Array.isArray(entries) ? (entries as readonly ManagedFieldsEntry[]) : undefined;
}

/** The object with these owners on record; the same object when they already are. */
export function withManagedFields(object: Fields, owners: Owners): Fields {
  const current = managedFieldsOf(object) ?? [];
  const entries = formatOwners(owners);
  if (entries.length === current.length && entries.every((entry, index) => entry === current[index])) return object;
  const bare = stripManagedFields(object);
  if (entries.length === 0) return bare;
  const metadata = isFields(bare.metadata) ? bare.metadata : {};
  return { ...bare, metadata: { ...metadata, managedFields: entries } };
}

/** The object without managedFields; the same object when it has none. Halves what a cache holds. */
export function stripManagedFields<T extends object>(object: T): T {
  const { metadata } = object as Fields;
  if (!isFields(metadata) || !Object.hasOwn(metadata, "managedFields")) return object;
  const { managedFields: _, ...rest } = metadata;
  return { ...object, metadata: rest };
}

/** The set of paths that a manager owns, over all its entries (appliers and updaters, every subresource). */
export function ownedSet(object: object, manager: string): FieldSet {
  return [...parseOwners(managedFieldsOf(object as Fields)).values()]
    .filter((owner) => owner.manager === manager)
    .map(({ set }) => set)
    .reduce(union, emptySet);
}

/** The fields that a manager owns, for example `.spec.replicas`; for a drift check and for people. */
export function fieldsOwnedBy(object: object, manager: string): readonly string[] {
  return [...pathsOf(ownedSet(object, manager))].map(formatPath);
}
