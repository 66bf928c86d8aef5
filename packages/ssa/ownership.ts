import { type Comparison, compareValues } from "./compare.ts";
import {
  difference,
  differenceBelow,
  emptySet,
  type FieldSet,
  intersection,
  isEmpty,
  nodeOf,
  setOf,
  union,
} from "./field-set.ts";
import { type Owner, type Owners, withSet } from "./owners.ts";
import type { Fields } from "./shape.ts";
import type { Versions } from "./versions.ts";

/** A path of plain fields, for example `["status"]`. */
export type FieldPath = readonly string[];

export function setOfFields(paths: readonly FieldPath[]): FieldSet {
  return paths.map((path) => setOf(path.map((name) => `f:${name}`))).reduce(union, emptySet);
}

const metadataFields = (names: string): readonly FieldPath[] => names.split(" ").map((name) => ["metadata", name]);

const identityFields: FieldSet = setOfFields([
  ["apiVersion"],
  ["kind"],
  ["metadata"],
  ...metadataFields(
    "name namespace creationTimestamp selfLink uid clusterName generation managedFields resourceVersion",
  ),
]);

/** What the server keeps whoever applies: nobody owns it, and nobody's omission removes it. */
export const serverFields: FieldSet = setOfFields([
  ["apiVersion"],
  ["kind"],
  ...metadataFields("name namespace creationTimestamp selfLink uid generation managedFields resourceVersion"),
  ...metadataFields("generateName deletionTimestamp deletionGracePeriodSeconds"),
]);

/** Leaves out what nobody owns: the object's identity, and what this endpoint does not write. */
export function ownable(set: FieldSet, ignored: FieldSet): FieldSet {
  return differenceBelow(difference(set, identityFields), ignored);
}

/** What changed between two objects, in the terms of any API version; each is compared once. */
export class Change {
  readonly #before: Fields;
  readonly #after: Fields;
  readonly #versions: Versions;
  readonly #ignored: FieldSet;
  readonly #byVersion = new Map<string, Comparison | undefined>();

  constructor(init: { before: Fields; after: Fields; versions: Versions; ignored: FieldSet }) {
    this.#before = init.before;
    this.#after = init.after;
    this.#versions = init.versions;
    this.#ignored = init.ignored;
  }

  /** Undefined when the version is not served. */
  in(apiVersion: string): Comparison | undefined {
    if (!this.#byVersion.has(apiVersion)) this.#byVersion.set(apiVersion, this.#compare(apiVersion));
    return this.#byVersion.get(apiVersion);
  }

  #compare(apiVersion: string): Comparison | undefined {
    const schema = this.#versions.schemaOf(apiVersion);
    if (schema === undefined) return undefined;
    const before = this.#versions.convert(this.#before, apiVersion);
    const after = this.#versions.convert(this.#after, apiVersion);
    const { added, modified, removed } = compareValues(schema, before, after);
    return {
      added: differenceBelow(added, this.#ignored),
      modified: differenceBelow(modified, this.#ignored),
      removed: differenceBelow(removed, this.#ignored),
    };
  }
}

/** The paths of this owner that the change sets to other values. */
export function contested(owner: Owner, change: Change): FieldSet {
  const comparison = change.in(owner.apiVersion);
  if (comparison === undefined) return emptySet;
  const { added, modified } = comparison;
  if (isEmpty(added) && isEmpty(modified)) return emptySet;
  return intersection(owner.set, union(modified, added));
}

/**
 * Takes from every owner but `writer` what the change sets or removes. The writer loses only what was removed.
 *
 * Owners in versions that are not served any more lose everything.
 */
export function yieldFields(owners: Owners, change: Change, writer?: string): Owners {
  const next = new Map<string, Owner>();
  for (const [key, owner] of owners) {
    const comparison = change.in(owner.apiVersion);
    if (comparison === undefined) continue;
    const lost = key === writer ? emptySet : union(comparison.modified, comparison.added);
    next.set(key, withSet(owner, difference(difference(owner.set, lost), comparison.removed)));
  }
  return next;
}

/** What an update makes its manager own. */
export function gained(change: Change, apiVersion: string, ignored: FieldSet): FieldSet {
  const comparison = change.in(apiVersion);
  if (comparison === undefined) return emptySet;
  const set = ownable(union(comparison.modified, comparison.added), ignored);
  return set.member ? nodeOf(false, set.children) : set;
}
