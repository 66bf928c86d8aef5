import type { AnyObject, ManagedFieldsEntry } from "@kyma-operators/kube";
import { stripManagedFields } from "@kyma-operators/ssa";
import { apiError } from "../api-error.ts";
import type { ApiResponse } from "../http/messages.ts";
import { complete, equal, readAs, storeAs, subjectOf } from "../resources/resource.ts";
import type { Stored } from "../storage/store.ts";
import { type Call, keyOf, strategyContext } from "./call.ts";
import { createObject } from "./create.ts";
import { decodeBody } from "./decode.ts";
import { type Tracker, trackUpdate } from "./ownership.ts";
import { respondObject } from "./respond.ts";
import { validateNext } from "./validate.ts";
import { identityView, type View } from "./view.ts";
import { parseWriteOptions, type WriteOptions } from "./write-options.ts";

const attempts = 20;

/** How one write changes an object. */
export interface Change extends WriteOptions {
  readonly view: View;
  readonly track: Tracker;
  /** Another uid in the body is a conflict (PUT), not an attempt to change it (patches). */
  readonly checksUid?: boolean;
  /** From the current object, in the version of the call, to the wanted one. Run again when another write came first. */
  compute(old: AnyObject): AnyObject;
}

/** PUT of an object. */
export async function update(call: Call, view: View = identityView): Promise<ApiResponse> {
  const options = parseWriteOptions(call.request, "UpdateOptions");
  const input = view.decode(call, options) ?? decodeBody(call, options);
  checkIdentity(call, input);
  if (call.resource.strategy.createsOnUpdate === true && view === identityView && isAbsent(call)) {
    return respondObject(call, 201, await createObject(call, input, { ...options, track: trackUpdate }));
  }
  const next = await changeObject(call, {
    ...options,
    view,
    track: trackUpdate,
    checksUid: true,
    compute: () => input,
  });
  return respondObject(call, 200, view.read(next, call.resource));
}

function isAbsent(call: Call): boolean {
  return call.core.store.get(keyOf(call)) === undefined;
}

/** Throws 400 when the body names another object than the path. */
export function checkIdentity({ target, resource }: Call, { metadata }: AnyObject): void {
  if ((metadata.name ?? "") !== target.name) {
    throw apiError.badRequest(
      (metadata.name ?? "") === ""
        ? `the name of the object (${target.name} based on URL) was undeterminable: name must be provided`
        : `the name of the object (${metadata.name}) does not match the name on the URL (${target.name})`,
    );
  }
  if (resource.namespaced && (metadata.namespace ?? "") !== "" && metadata.namespace !== target.namespace) {
    throw apiError.badRequest("the namespace of the provided object does not match the namespace sent on the request");
  }
}

/**
 * Computes, admits, validates and stores the next state of an object.
 *
 * A write without a resource version never fails because of another one: it is computed again on the newer state.
 */
export async function changeObject(call: Call, change: Change): Promise<AnyObject> {
  for (let attempt = 1; ; attempt += 1) {
    const stored = call.core.store.get(keyOf(call));
    if (stored === undefined) throw apiError.notFound(subjectOf(call.resource, call.target.name));
    const result = await tryChange(call, change, stored);
    if (result !== undefined) return result;
    if (attempt === attempts) throw apiError.conflict(subjectOf(call.resource, call.target.name));
  }
}

/** `undefined` when another write came first. */
async function tryChange(call: Call, change: Change, stored: Stored): Promise<AnyObject | undefined> {
  const { core, resource, target, user } = call;
  const { view, track, dryRun } = change;
  const old = readAs(resource, stored.object);
  const input = change.compute(view.read(old, resource));
  checkPreconditions(call, input, { current: old, checksUid: change.checksUid === true });
  const admission = {
    operation: "UPDATE",
    resource,
    namespace: target.namespace,
    name: target.name,
    subresource: target.subresource,
    user,
    dryRun,
    oldObject: old,
    warn: (text: string) => call.warnings.push(text),
  } as const;
  const merged = keepSystemMetadata(view.write(old, input, resource), old);
  // Who owns what is on record before admission and the kind's own rules add theirs.
  const tracked = track(call, { next: complete(resource, merged), old, options: change });
  const admitted = await core.admission.mutate({ ...admission, object: tracked });
  const next = withGeneration(call, prepare(call, admitted, old), old);
  validateNext(call, next, old);
  await core.admission.validate({ ...admission, object: next });
  if (dryRun) return next;
  return core.store.get(keyOf(call)) === stored ? commit(call, next, stored) : undefined;
}

/** `resourceVersion` and `uid` in the body must be those of the stored object. Throws 409. */
function checkPreconditions(
  call: Call,
  { metadata }: AnyObject,
  { current: { metadata: current }, checksUid }: { readonly current: AnyObject; readonly checksUid: boolean },
): void {
  const subject = subjectOf(call.resource, call.target.name);
  if (checksUid && (metadata.uid ?? "") !== "" && metadata.uid !== current.uid) {
    const problem = `Precondition failed: UID in precondition: ${metadata.uid}, UID in object meta: ${current.uid}`;
    throw apiError.conflict(
      subject,
      `StorageError: invalid object, Code: 4, Key: ${registryKey(call)}, ResourceVersion: 0, AdditionalErrorMsg: ${problem}`,
    );
  }
  const version = metadata.resourceVersion ?? "";
  if (version !== "" && version !== "0" && version !== current.resourceVersion) throw apiError.conflict(subject);
}

/** Where etcd keeps the object; clients see it in messages. */
function registryKey({ resource, target }: Call): string {
  const group = resource.custom === undefined ? [] : [resource.group];
  const namespace = resource.namespaced ? [target.namespace] : [];
  return ["/registry", ...group, resource.plural, ...namespace, target.name].join("/");
}

const systemFields = [
  "name",
  "namespace",
  "resourceVersion",
  "creationTimestamp",
  "generation",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
] as const;

/** Puts back what no client changes. */
function keepSystemMetadata(next: AnyObject, { metadata: old }: AnyObject): AnyObject {
  const kept: Record<string, unknown> = { ...next.metadata, uid: next.metadata.uid || old.uid };
  for (const name of systemFields) {
    if (old[name] === undefined) delete kept[name];
    else kept[name] = old[name];
  }
  return { ...next, metadata: kept };
}

function prepare(call: Call, next: AnyObject, old: AnyObject): AnyObject {
  const { strategy } = call.resource;
  // A subresource changes its own part only; what the kind prepares belongs to the object.
  if (call.target.subresource !== "") return complete(call.resource, next);
  const prepared = strategy.prepareUpdate?.(next, old, strategyContext(call)) ?? next;
  return complete(call.resource, prepared);
}

function withGeneration(call: Call, next: AnyObject, old: AnyObject): AnyObject {
  const { strategy, collection } = call.resource;
  if (strategy.raisesGeneration === undefined) return next;
  const raises = call.core.extensions.get(collection)?.raisesGeneration ?? strategy.raisesGeneration;
  const generation = (old.metadata.generation ?? 0) + (raises(next, old) ? 1 : 0);
  return generation === next.metadata.generation ? next : { ...next, metadata: { ...next.metadata, generation } };
}

/** Stores, removes an object whose last finalizer went, or leaves the store alone when nothing changed. */
function commit(call: Call, next: AnyObject, stored: Stored): AnyObject {
  const { core, resource } = call;
  const key = keyOf(call);
  if (isFinished(next)) {
    core.store.remove(key);
    return next;
  }
  const kept = withOldTimes(storeAs(resource, next), stored.object);
  if (equal(kept, stored.object)) return readAs(resource, stored.object);
  return readAs(resource, core.store.put(key, kept).object);
}

function isFinished({ metadata, spec }: AnyObject): boolean {
  if (metadata.deletionTimestamp === undefined || (metadata.finalizers ?? []).length > 0) return false;
  const waiting = (spec as { readonly finalizers?: readonly string[] } | undefined)?.finalizers ?? [];
  return (metadata.deletionGracePeriodSeconds ?? 0) === 0 && waiting.length === 0;
}

/** A write that changes nothing but owners moves no time: entries keep theirs, new ones have none. */
function withOldTimes(next: AnyObject, old: AnyObject): AnyObject {
  const { managedFields } = next.metadata;
  if (managedFields === undefined || !equal(stripManagedFields(next), stripManagedFields(old))) return next;
  const before = new Map((old.metadata.managedFields ?? []).map((entry) => [ownerOf(entry), entry.time]));
  const timed = managedFields.map((entry) => withTime(entry, before.get(ownerOf(entry))));
  const order = (entry: ManagedFieldsEntry): string => `${entry.operation}${entry.time ?? ""}`;
  timed.sort((a, b) => (order(a) < order(b) ? -1 : order(a) > order(b) ? 1 : 0));
  return { ...next, metadata: { ...next.metadata, managedFields: timed } };
}

function ownerOf({ manager, operation, apiVersion, subresource }: ManagedFieldsEntry): string {
  return JSON.stringify([manager, operation, apiVersion, subresource]);
}

function withTime(entry: ManagedFieldsEntry, time: string | undefined): ManagedFieldsEntry {
  const { time: _, ...rest } = entry;
  return time === undefined ? rest : { ...rest, time };
}
