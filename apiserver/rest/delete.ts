import type { AnyObject, ObjectMeta } from "@kyma-operators/kube";
import { apiError } from "../api-error.ts";
import type { ApiResponse } from "../http/messages.ts";
import { apiVersionOf, readAs, subjectOf } from "../resources/resource.ts";
import type { Stored } from "../storage/store.ts";
import { timestamp } from "../system-clock.ts";
import { type Call, keyOf } from "./call.ts";
import { type DeleteOptions, parseDeleteOptions } from "./delete-options.ts";
import { encode, respondObject, successStatus } from "./respond.ts";
import { selectionOf } from "./selection.ts";

const attempts = 20;

/** What became of an object that was to be deleted. */
interface Deletion {
  readonly object: AnyObject;
  readonly removed: boolean;
}

/** DELETE of an object. */
export async function remove(call: Call): Promise<ApiResponse> {
  const options = parseDeleteOptions(call.request);
  const { object, removed } = await deleteObject(call, options);
  const shown = readAs(call.resource, object);
  if (!removed || call.resource.strategy.returnsDeleted === true) return respondObject(call, 200, shown);
  return encode(200, successStatus(call.resource, shown), { warnings: call.warnings });
}

/** DELETE of a collection: each selected object by itself. */
export async function removeCollection(call: Call): Promise<ApiResponse> {
  const options = parseDeleteOptions(call.request);
  const selection = selectionOf(call);
  const { store } = call.core;
  const items: AnyObject[] = [];
  for (const { object } of store.list(call.resource.collection, selection.namespace)) {
    if (!selection.matches(object)) continue;
    const { name = "", namespace = "" } = object.metadata;
    const one = { ...call, target: { ...call.target, name, namespace } };
    if (store.get(keyOf(one)) === undefined) continue;
    items.push(readAs(call.resource, (await deleteObject(one, options)).object));
  }
  const { listKind } = call.resource;
  const metadata = { resourceVersion: String(store.revision) };
  return encode(200, { kind: listKind, apiVersion: apiVersionOf(call.resource), metadata, items });
}

/** Removes an object, or marks it while finalizers, dependents or a grace period keep it. */
export async function deleteObject(call: Call, options: DeleteOptions): Promise<Deletion> {
  const { core, resource, target, user } = call;
  for (let attempt = 1; ; attempt += 1) {
    const stored = core.store.get(keyOf(call));
    if (stored === undefined) throw apiError.notFound(subjectOf(resource, target.name));
    refuseImmortal(call);
    checkPreconditions(call, stored.object.metadata, options);
    const admission = {
      operation: "DELETE",
      resource,
      namespace: target.namespace,
      name: target.name,
      subresource: "",
      object: readAs(resource, stored.object),
      oldObject: readAs(resource, stored.object),
      user,
      dryRun: options.dryRun,
      warn: (text: string) => call.warnings.push(text),
    } as const;
    await core.admission.mutate(admission);
    await core.admission.validate(admission);
    if (core.store.get(keyOf(call)) === stored) return carryOut(call, stored, options);
    if (attempt === attempts) throw apiError.conflict(subjectOf(resource, target.name));
  }
}

const immortal = new Set(["default", "kube-system", "kube-public"]);

/** Throws 403 for a namespace that every cluster needs. */
function refuseImmortal({ resource, target }: Call): void {
  if (resource.collection !== "/namespaces" || !immortal.has(target.name)) return;
  throw apiError.forbidden(subjectOf(resource, target.name), "this namespace may not be deleted");
}

function checkPreconditions(call: Call, metadata: ObjectMeta, { preconditions }: DeleteOptions): void {
  const { kind, group } = call.resource;
  const subject = { resource: kind, kind, group, name: call.target.name };
  if (preconditions.uid !== undefined && preconditions.uid !== metadata.uid) {
    throw apiError.conflict(
      subject,
      `the UID in the precondition (${preconditions.uid}) does not match the UID in record (${metadata.uid}). The object might have been deleted and then recreated`,
    );
  }
  if (preconditions.resourceVersion !== undefined && preconditions.resourceVersion !== metadata.resourceVersion) {
    throw apiError.conflict(
      subject,
      `the ResourceVersion in the precondition (${preconditions.resourceVersion}) does not match the ResourceVersion in record (${metadata.resourceVersion}). The object might have been modified`,
    );
  }
}

function carryOut(call: Call, stored: Stored, options: DeleteOptions): Deletion {
  const { core } = call;
  const { object } = stored;
  const marked = markDeleted(call, object, options);
  const mustWait =
    (marked.metadata.finalizers ?? []).length > 0 ||
    (marked.metadata.deletionGracePeriodSeconds ?? 0) > 0 ||
    specFinalizers(marked).length > 0;
  if (options.dryRun) return { object: marked, removed: !mustWait };
  if (!mustWait) return { object: core.store.remove(keyOf(call), object)?.object ?? object, removed: true };
  if (marked === object) return { object, removed: false };
  return { object: core.store.put(keyOf(call), marked).object, removed: false };
}

/** The object as a deletion leaves it while something keeps it; the same object when nothing changes. */
function markDeleted(call: Call, object: AnyObject, options: DeleteOptions): AnyObject {
  const { metadata } = object;
  const finalizers = finalizersAfter(metadata, options);
  const term = termOf(call, object, options);
  if (term === undefined && finalizers === metadata.finalizers) return object;
  const isFirst = metadata.deletionTimestamp === undefined;
  const generation = isFirst && (metadata.generation ?? 0) > 0 ? { generation: (metadata.generation ?? 0) + 1 } : {};
  return {
    ...object,
    ...(object.kind === "Namespace" ? { status: { ...(object.status as object), phase: "Terminating" } } : {}),
    metadata: { ...metadata, ...term, ...generation, ...(finalizers === undefined ? {} : { finalizers }) },
  };
}

/** When the object has to be gone; `undefined` when a deletion before this one has said so already, and no later. */
function termOf(call: Call, object: AnyObject, { gracePeriodSeconds }: DeleteOptions): Partial<ObjectMeta> | undefined {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = object.metadata;
  const own = call.resource.strategy.gracePeriodSeconds?.(object);
  // Nobody waits for what runs nowhere, whatever the request says.
  const grace = own === undefined || own === 0 ? 0 : (gracePeriodSeconds ?? own);
  if (deletionTimestamp !== undefined && grace >= deletionGracePeriodSeconds) return undefined;
  return { deletionTimestamp: timestamp(call.now + grace * 1000), deletionGracePeriodSeconds: grace };
}

/** `orphan` and `foregroundDeletion` follow the wish of the client; without one they stay as they are. */
function finalizersAfter({ finalizers }: ObjectMeta, { propagation }: DeleteOptions): string[] | undefined {
  if (propagation === undefined) return finalizers;
  const others = (finalizers ?? []).filter((name) => name !== "orphan" && name !== "foregroundDeletion");
  const own = { Orphan: ["orphan"], Foreground: ["foregroundDeletion"], Background: [] }[propagation];
  const next = [...others, ...own];
  const unchanged = next.length === (finalizers ?? []).length && next.every((name) => finalizers?.includes(name));
  return unchanged ? finalizers : next;
}

function specFinalizers({ kind, spec }: AnyObject): readonly string[] {
  return kind === "Namespace"
    ? ((spec as { readonly finalizers?: readonly string[] } | undefined)?.finalizers ?? [])
    : [];
}
