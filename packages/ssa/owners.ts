import { emptySet, equalSets, type FieldSet, isEmpty, union } from "./field-set.ts";
import { formatFieldsV1, parseFieldsV1 } from "./fields-v1.ts";

/** One entry of `metadata.managedFields`. */
export interface ManagedFieldsEntry {
  readonly manager?: string;
  readonly operation?: "Apply" | "Update";
  readonly apiVersion?: string;
  readonly time?: string;
  readonly fieldsType?: "FieldsV1";
  readonly fieldsV1?: { readonly [element: string]: unknown };
  readonly subresource?: string;
}

/** Who a manager is: the entry's identity. An applier is the same one whatever API version it used last. */
export interface Identity {
  readonly manager: string;
  readonly operation: "Apply" | "Update";
  readonly apiVersion: string;
  readonly subresource: string;
}

/** A manager and the paths it owns, in terms of `apiVersion`. */
export interface Owner extends Identity {
  readonly time: string | undefined;
  readonly set: FieldSet;
  /** The entry this was read from, given back as it is while nothing changes. */
  readonly entry?: ManagedFieldsEntry;
}

/** Owners by {@link keyOf}. */
export type Owners = ReadonlyMap<string, Owner>;

export function keyOf({ manager, operation, apiVersion, subresource }: Identity): string {
  return JSON.stringify([manager, operation, operation === "Apply" ? "" : apiVersion, subresource]);
}

/** Reads managedFields. Throws `SSA_FIELDS_INVALID` on a malformed entry. */
export function parseOwners(entries: readonly ManagedFieldsEntry[] | undefined): Owners {
  const owners = new Map<string, Owner>();
  for (const entry of entries ?? []) {
    const owner: Owner = {
      manager: entry.manager ?? "",
      operation: entry.operation === "Apply" ? "Apply" : "Update",
      apiVersion: entry.apiVersion ?? "",
      subresource: entry.subresource ?? "",
      time: entry.time,
      set: entry.fieldsV1 === undefined ? emptySet : parseFieldsV1(entry.fieldsV1),
      entry,
    };
    owners.set(keyOf(owner), owner);
  }
  return owners;
}

/** Writes managedFields in Kubernetes' order: appliers first, then by time and name. */
export function formatOwners(owners: Owners): readonly ManagedFieldsEntry[] {
  return [...owners.values()].sort(compareOwners).map((owner) => owner.entry ?? formatOwner(owner));
}

function formatOwner({ manager, operation, apiVersion, subresource, time, set }: Owner): ManagedFieldsEntry {
  return {
    ...(manager === "" ? {} : { manager }),
    operation,
    apiVersion,
    ...(time === undefined ? {} : { time }),
    fieldsType: "FieldsV1",
    fieldsV1: formatFieldsV1(set),
    ...(subresource === "" ? {} : { subresource }),
  };
}

function compareOwners(a: Owner, b: Owner): number {
  return (
    compareTexts(a.operation, b.operation) ||
    compareTexts(a.time ?? "", b.time ?? "") ||
    compareTexts(a.manager, b.manager) ||
    compareTexts(a.apiVersion, b.apiVersion) ||
    compareTexts(a.subresource, b.subresource)
  );
}

function compareTexts(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** The same owner with another set; the entry it was read from no longer describes it. */
export function withSet(owner: Owner, set: FieldSet): Owner {
  if (set === owner.set) return owner;
  const { entry: _, ...rest } = owner;
  return { ...rest, set };
}

export function withTime(owner: Owner, time: string): Owner {
  if (time === owner.time) return owner;
  const { entry: _, ...rest } = owner;
  return { ...rest, time };
}

/** True when both name the same managers with the same paths, whatever their times. */
export function equalOwners(a: Owners, b: Owners): boolean {
  if (a.size !== b.size) return false;
  for (const [key, ours] of a) {
    const theirs = b.get(key);
    if (theirs === undefined || theirs.apiVersion !== ours.apiVersion || !equalSets(ours.set, theirs.set)) return false;
  }
  return true;
}

/** The owners without those who own nothing. */
export function withoutEmpty(owners: Owners): Owners {
  for (const owner of owners.values()) {
    if (isEmpty(owner.set)) return new Map([...owners].filter(([, { set }]) => !isEmpty(set)));
  }
  return owners;
}

/** How many updaters an object remembers by name before the oldest are merged into one. */
const maxUpdaters = 10;
const bucketManager = "ancient-changes";

/** Merges the oldest updaters, per API version, so that the list of owners stays short. */
export function capUpdaters(owners: Owners): Owners {
  const updaters = [...owners].filter(([, owner]) => owner.operation === "Update");
  let surplus = updaters.length - maxUpdaters;
  if (surplus <= 0) return owners;
  updaters.sort(([, a], [, b]) => compareTexts(a.time ?? "", b.time ?? "") || compareTexts(a.manager, b.manager));
  const next = new Map(owners);
  const firstByVersion = new Map<string, string>();
  for (const [key, owner] of updaters) {
    if (surplus <= 0) break;
    const first = firstByVersion.get(owner.apiVersion);
    if (first === undefined) firstByVersion.set(owner.apiVersion, key);
    else {
      pour(next, first, owner);
      next.delete(key);
      surplus--;
    }
  }
  return next;
}

function pour(owners: Map<string, Owner>, firstKey: string, owner: Owner): void {
  const identity: Identity = {
    manager: bucketManager,
    operation: "Update",
    apiVersion: owner.apiVersion,
    subresource: "",
  };
  const bucketKey = keyOf(identity);
  const held = owners.get(bucketKey) ?? owners.get(firstKey);
  if (!owners.has(bucketKey)) owners.delete(firstKey);
  const set = held === undefined ? owner.set : union(owner.set, held.set);
  owners.set(bucketKey, { ...identity, time: owner.time, set });
}
