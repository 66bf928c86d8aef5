import { equal } from "node:assert/strict";
import type { Schema } from "@kyma-operators/schema";
import { applyObject, formatConflicts, stripManagedFields, updateManagedFields } from "@kyma-operators/ssa";

/** A write that a kube-apiserver was asked for, and what it made of it. */
export interface RecordedWrite {
  readonly apply?: object;
  /** Any write that is no apply; `stored` says what it made of the object. */
  readonly write?: string;
  readonly manager: string;
  readonly force?: boolean;
  readonly stored?: StoredObject;
  readonly error?: string;
}

export interface StoredObject {
  readonly metadata: { readonly managedFields?: readonly object[] };
}

const now = "2026-01-01T00:00:00Z";
const resetFields = [["status"]];

/**
 * Plays the writes on one object, each on what the server stored before it, and checks owners, conflicts and errors.
 *
 * @param compare - checks what an apply has made of the object
 */
export function replayWrites(
  writes: readonly RecordedWrite[],
  schema: Schema,
  compare: (stored: StoredObject, applied: StoredObject) => void,
): void {
  let live: StoredObject | undefined;
  for (const { apply, manager, force = false, stored, error } of writes) {
    const common = { live, manager, schema, resetFields, now };
    if (stored !== undefined && apply === undefined) {
      equal(ownersOf(updateManagedFields({ ...common, next: stripManagedFields(stored) })), ownersOf(stored));
    } else {
      const result = attempt(() => applyObject({ ...common, applied: apply ?? {}, force }));
      if (stored === undefined) equal(result, error);
      else compare(stored, result as StoredObject);
    }
    live = stored ?? live;
  }
}

/** Who owns what in an object, as a text that does not depend on the order of managers and fields. */
export function ownersOf({ metadata }: StoredObject): string {
  return JSON.stringify((metadata.managedFields ?? []).map((entry) => JSON.stringify(canonical(entry))).sort());
}

function attempt(apply: () => ReturnType<typeof applyObject>): unknown {
  try {
    const { object, conflicts } = apply();
    return conflicts.length > 0 ? formatConflicts(conflicts) : object;
  } catch (error) {
    return (error as Error).message;
  }
}

function canonical(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, canonical(inner)]));
}
