import { hasCode } from "@kyma-operators/errors";
import type { Schema } from "@kyma-operators/schema";
import { emptySet, type FieldSet, isEmpty, union } from "./field-set.ts";
import { managedFieldsOf, withManagedFields } from "./managed-fields.ts";
import {
  capUpdaters,
  type Identity,
  keyOf,
  type ManagedFieldsEntry,
  type Owners,
  parseOwners,
  withoutEmpty,
} from "./owners.ts";
import { Change, type FieldPath, gained, setOfFields, yieldFields } from "./ownership.ts";
import { reconcileOwners } from "./reconcile.ts";
import { type Fields, isFields } from "./shape.ts";
import { singleVersion, type Versions } from "./versions.ts";

/** One write that is no apply: create, update, or any other patch. */
export interface UpdateRequest<T extends object> {
  /** The object as stored; undefined when it is created. */
  readonly live: T | undefined;
  /** The object about to be stored, in the version of the request. */
  readonly next: T;
  readonly manager: string;
  /** Schema of the whole object, `metadata` included (see `withObjectMeta`). */
  readonly schema: Schema;
  readonly subresource?: string;
  /** Fields that this endpoint does not write: nobody comes to own them here. */
  readonly resetFields?: readonly FieldPath[];
  /** RFC 3339 to the second, for the entry's time. */
  readonly now: string;
  readonly versions?: Versions;
}

/**
 * Records who owns what after a write that is no apply: the manager gains what it set, everybody loses what was
 * changed or removed by it.
 *
 * managedFields that the request carries replace the stored ones (`[{}]` clears them), except through a subresource.
 * An object that nobody tracks stays untracked. Never throws: unreadable managedFields start anew.
 */
export function updateManagedFields<T extends object>(request: UpdateRequest<T>): T {
  const { live, manager, schema, subresource = "", now } = request;
  const next = request.next as Fields;
  const before = ownersBefore(request);
  if (before.size === 0 && live !== undefined && !isReset(request)) return withManagedFields(next, before) as T;
  const versions = request.versions ?? singleVersion(schema);
  const ignored = setOfFields(request.resetFields ?? []);
  const change = new Change({ before: live ?? {}, after: next, versions, ignored });
  const identity: Identity = { manager, operation: "Update", apiVersion: String(next.apiVersion), subresource };
  const owners = grant(yieldFields(reconcileOwners(before, versions), change), identity, {
    set: gained(change, identity.apiVersion, ignored),
    now,
  });
  return withManagedFields(next, capUpdaters(withoutEmpty(owners))) as T;
}

function grant(owners: Owners, identity: Identity, { set, now }: { set: FieldSet; now: string }): Owners {
  if (isEmpty(set)) return owners;
  const key = keyOf(identity);
  const held = owners.get(key)?.set ?? emptySet;
  return new Map(owners).set(key, { ...identity, time: now, set: union(held, set) });
}

function ownersBefore({ live, next, subresource = "" }: UpdateRequest<object>): Owners {
  const stored = live === undefined ? undefined : managedFieldsOf(live as Fields);
  const sent = managedFieldsOf(next as Fields);
  if (subresource !== "") return readOwners(stored);
  if (isResetList(sent)) return new Map();
  const owners = readOwners(sent);
  return owners.size > 0 ? owners : readOwners(stored);
}

function isReset({ next, subresource = "" }: UpdateRequest<object>): boolean {
  return subresource === "" && isResetList(managedFieldsOf(next as Fields));
}

/** One empty entry is how a client asks to forget all owners. */
function isResetList(entries: readonly ManagedFieldsEntry[] | undefined): boolean {
  const [only, ...more] = entries ?? [];
  return isFields(only) && more.length === 0 && Object.keys(only).length === 0;
}

function readOwners(entries: readonly ManagedFieldsEntry[] | undefined): Owners {
  try {
    return parseOwners(entries);
  } catch (error) {
    if (hasCode(error, "SSA_FIELDS_INVALID")) return new Map();
    throw error;
  }
}
