import type { Schema } from "@kyma-operators/schema";
import { difference, emptySet, type FieldSet, intersection, isEmpty, union } from "./field-set.ts";
import type { Owner, Owners } from "./owners.ts";
import { serverFields } from "./ownership.ts";
import { removePaths, withNamedFields } from "./remove.ts";
import type { Fields } from "./shape.ts";
import { toFieldSet } from "./to-field-set.ts";
import type { Versions } from "./versions.ts";

/**
 * Removes what the applier owned before and left out now, unless somebody else owns it too.
 *
 * Works in the terms of the version of the last apply. Whatever only stood below a removed path, and was neither
 * applied last time nor owned by anyone, goes with it.
 */
export function removeOmitted(
  merged: Fields,
  { last, owners, versions, apiVersion }: { last: Owner; owners: Owners; versions: Versions; apiVersion: string },
): Fields {
  const schema = versions.schemaOf(last.apiVersion);
  if (schema === undefined || isEmpty(last.set)) return merged;
  const object = versions.convert(merged, last.apiVersion);
  const lastSet = withNamedFields(schema, last.set);
  let rest = asFields(removePaths(schema, object, lastSet));
  if (rest === object) return merged;
  rest = restoreOwned(rest, { object, owners, versions, lastVersion: last.apiVersion });
  rest = removeOnly(schema, object, { rest, allowed: lastSet });
  return rest === object ? merged : versions.convert(rest, apiVersion);
}

interface Restore {
  readonly object: Fields;
  readonly owners: Owners;
  readonly versions: Versions;
  readonly lastVersion: string;
}

/** Puts back what somebody owns, version by version. */
function restoreOwned(pruned: Fields, { object, owners, versions, lastVersion }: Restore): Fields {
  const byVersion = ownedByVersion(owners);
  const order = [lastVersion, ...[...byVersion.keys()].filter((version) => version !== lastVersion)];
  let rest = pruned;
  for (const version of order) {
    const schema = versions.schemaOf(version);
    if (schema === undefined) continue;
    const before = versions.convert(object, version);
    const owned = withNamedFields(schema, union(byVersion.get(version) ?? emptySet, serverFields));
    const missing = missingPaths(schema, before, versions.convert(rest, version));
    rest = versions.convert(asFields(removePaths(schema, before, difference(missing, owned))), lastVersion);
  }
  return rest;
}

function ownedByVersion(owners: Owners): ReadonlyMap<string, FieldSet> {
  const sets = new Map<string, FieldSet>();
  for (const { apiVersion, set } of owners.values()) sets.set(apiVersion, union(sets.get(apiVersion) ?? emptySet, set));
  return sets;
}

/** Of what is missing in `rest`, removes from `object` only what is allowed to go. */
function removeOnly(schema: Schema, object: Fields, { rest, allowed }: { rest: Fields; allowed: FieldSet }): Fields {
  const missing = missingPaths(schema, object, rest);
  return asFields(removePaths(schema, object, intersection(missing, allowed)));
}

function missingPaths(schema: Schema, object: Fields, rest: Fields): FieldSet {
  const all = withNamedFields(schema, toFieldSet(schema, object));
  return difference(all, withNamedFields(schema, toFieldSet(schema, rest)));
}

/** An object from which everything was removed is an empty object. */
function asFields(value: unknown): Fields {
  return (value ?? {}) as Fields;
}
