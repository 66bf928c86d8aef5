import type { Schema } from "@kyma-operators/schema";
import { checkApplied } from "./applied.ts";
import { type Conflict, conflictsOf } from "./conflicts.ts";
import { difference, equalSets, type FieldSet, intersection, isEmpty, setOf } from "./field-set.ts";
import { lastAppliedFields, withLastApplied } from "./last-applied.ts";
import { managedFieldsOf, stripManagedFields, withManagedFields } from "./managed-fields.ts";
import { mergeValues } from "./merge.ts";
import { removeOmitted } from "./omit.ts";
import {
  capUpdaters,
  equalOwners,
  type Identity,
  keyOf,
  type Owner,
  type Owners,
  parseOwners,
  withoutEmpty,
  withTime,
} from "./owners.ts";
import { Change, contested, type FieldPath, gained, ownable, setOfFields, yieldFields } from "./ownership.ts";
import { reconcileOwners } from "./reconcile.ts";
import { type Fields } from "./shape.ts";
import { toFieldSet } from "./to-field-set.ts";
import { singleVersion, type Versions } from "./versions.ts";

/** One server-side apply. */
export interface ApplyRequest<T extends object> {
  /** The object as stored, in the version of the request; undefined when it does not exist yet. */
  readonly live: T | undefined;
  /** Only the fields that the manager wants. */
  readonly applied: object;
  readonly manager: string;
  /** Take over fields that others own instead of reporting conflicts. */
  readonly force?: boolean;
  /** Schema of the whole object, `metadata` included (see `withObjectMeta`). */
  readonly schema: Schema;
  /** For example `status`; empty or absent for the object itself. */
  readonly subresource?: string;
  /** Fields that this endpoint does not write: nobody comes to own them here. */
  readonly resetFields?: readonly FieldPath[];
  /** RFC 3339 to the second, for the entry's time. */
  readonly now: string;
  /** Other API versions of the kind; by default they share the schema. */
  readonly versions?: Versions;
}

export interface ApplyResult<T extends object> {
  /** The new object with its managedFields; with conflicts or without any change, `live` itself. */
  readonly object: T;
  /** Not empty: nothing was applied. */
  readonly conflicts: readonly Conflict[];
}

/**
 * Merges an applied configuration into the live object as Kubernetes does (KEP-555, structured-merge-diff).
 *
 * Fields that the manager applied last time and leaves out now are removed unless someone else owns them. An apply
 * that changes neither the object nor an owner returns `live` itself (`===`), its time untouched.
 *
 * Throws `SSA_PATCH_INVALID` when the configuration does not fit the schema, `SSA_FIELDS_INVALID` when the live
 * managedFields cannot be read.
 */
export function applyObject<T extends object>(request: ApplyRequest<T>): ApplyResult<T> {
  const result = applyOnce(request);
  return request.manager === kubectl ? takeOver(request, result) : result;
}

/** kubectl continues what it began by client-side apply: fields it set that way are no conflicts. */
function takeOver<T extends object>(request: ApplyRequest<T>, result: ApplyResult<T>): ApplyResult<T> {
  const { live, applied, schema } = request;
  if (result.conflicts.length === 0) return { ...result, object: withLastApplied(result.object, applied) };
  const former = lastAppliedFields(live, schema);
  const conflicts = result.conflicts.filter(({ path }) => isEmpty(intersection(former, setOf(path))));
  if (conflicts.length > 0) return { ...result, conflicts };
  return { ...result, object: withLastApplied(applyOnce({ ...request, force: true }).object, applied), conflicts };
}

function applyOnce<T extends object>(request: ApplyRequest<T>): ApplyResult<T> {
  const apply = new Apply(request);
  const conflicts = apply.run();
  return { object: (conflicts.length === 0 ? apply.object : request.live) as T, conflicts };
}

const kubectl = "kubectl";

class Apply {
  readonly #request: ApplyRequest<object>;
  readonly #live: Fields;
  readonly #identity: Identity;
  readonly #versions: Versions;
  readonly #ignored: FieldSet;
  readonly #before: Owners;
  object: Fields;

  constructor(request: ApplyRequest<object>) {
    const applied = request.applied as Fields;
    this.#request = request;
    this.#live = (request.live ?? {}) as Fields;
    this.object = this.#live;
    this.#identity = {
      manager: request.manager,
      operation: "Apply",
      apiVersion: String(applied.apiVersion),
      subresource: request.subresource ?? "",
    };
    this.#versions = request.versions ?? singleVersion(request.schema);
    this.#ignored = setOfFields(request.resetFields ?? []);
    this.#before = this.#ownersBefore();
  }

  /** Objects that nobody tracked yet belong to an updater of that time. */
  #ownersBefore(): Owners {
    const owners = reconcileOwners(parseOwners(managedFieldsOf(this.#live)), this.#versions);
    if (owners.size > 0 || this.#request.live === undefined) return owners;
    const identity: Identity = { ...this.#identity, manager: "before-first-apply", operation: "Update" };
    const set = gained(this.#change({}, this.#live), identity.apiVersion, this.#ignored);
    return isEmpty(set) ? owners : new Map([[keyOf(identity), { ...identity, time: this.#request.now, set }]]);
  }

  #change(before: Fields, after: Fields): Change {
    return new Change({ before, after, versions: this.#versions, ignored: this.#ignored });
  }

  run(): readonly Conflict[] {
    const { schema, applied, force, now } = this.#request;
    const key = keyOf(this.#identity);
    const last = this.#before.get(key);
    const mine: Owner = this.#ownerNow(last, ownable(toFieldSet(schema, applied), this.#ignored));
    const owners = new Map(this.#before).set(key, mine);
    const merged = this.#mergedObject(last, owners);
    const change = this.#change(this.#live, merged);
    const conflicts = force === true ? [] : this.#conflicts(change, key);
    if (conflicts.length > 0) return conflicts;
    const next = capUpdaters(withoutEmpty(yieldFields(owners, change, key)));
    this.#finish(
      merged,
      equalOwners(next, this.#before) && merged === this.#live ? this.#before : stamp(next, key, now),
    );
    return conflicts;
  }

  #ownerNow(last: Owner | undefined, set: FieldSet): Owner {
    const unchanged = last !== undefined && last.apiVersion === this.#identity.apiVersion && equalSets(last.set, set);
    return unchanged ? last : { ...this.#identity, time: last?.time, set };
  }

  #mergedObject(last: Owner | undefined, owners: Owners): Fields {
    const { schema, applied } = this.#request;
    const merged = mergeValues(schema, this.#live, stripManagedFields(applied as Fields)) as Fields;
    checkApplied(schema, applied, { live: this.#live, merged });
    const mine = owners.get(keyOf(this.#identity));
    // Nothing was left out: the usual case needs no removal.
    if (last === undefined || mine === undefined || isOmissionFree(last, mine)) return merged;
    return removeOmitted(merged, { last, owners, versions: this.#versions, apiVersion: this.#identity.apiVersion });
  }

  #conflicts(change: Change, key: string): readonly Conflict[] {
    return [...this.#before]
      .filter(([other]) => other !== key)
      .flatMap(([, owner]) => conflictsOf(owner, contested(owner, change)));
  }

  #finish(merged: Fields, owners: Owners): void {
    this.object = merged === this.#live && owners === this.#before ? this.#live : withManagedFields(merged, owners);
  }
}

function isOmissionFree(last: Owner, mine: Owner): boolean {
  return last.apiVersion === mine.apiVersion && isEmpty(difference(last.set, mine.set));
}

function stamp(owners: Owners, key: string, now: string): Owners {
  const mine = owners.get(key);
  return mine === undefined ? owners : new Map(owners).set(key, withTime(mine, now));
}
