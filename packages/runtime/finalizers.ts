import { hasCode } from "@kyma-operators/errors";
import type { CallOptions } from "@kyma-operators/kube";
import { type Client, type JsonPatchOperation, type KubeObject, optional, type Resource } from "@kyma-operators/kube";
import { runtimeErrors } from "./errors.ts";
import { keyOf, keyText, refTo } from "./keys.ts";

export function hasFinalizer(object: KubeObject, finalizer: string): boolean {
  return object.metadata.finalizers?.includes(finalizer) === true;
}

/**
 * Adds a finalizer, unless it is there. Returns true when it wrote: the change wakes the key again.
 *
 * The patch tests the resource version, because the list may not exist yet and adding it must not overwrite one that
 * somebody else has added meanwhile. Throws `RUNTIME_CHANGED` when the object has changed since it was read.
 */
export async function ensureFinalizer(
  client: Client,
  resource: Resource,
  object: KubeObject,
  change: CallOptions & { readonly finalizer: string },
): Promise<boolean> {
  const { finalizer, ...options } = change;
  if (hasFinalizer(object, finalizer)) return false;
  const add: JsonPatchOperation = object.metadata.finalizers?.length
    ? { op: "add", path: "/metadata/finalizers/-", value: finalizer }
    : { op: "add", path: "/metadata/finalizers", value: [finalizer] };
  const test: JsonPatchOperation = {
    op: "test",
    path: "/metadata/resourceVersion",
    value: object.metadata.resourceVersion,
  };
  await patch(object, () => client.jsonPatch(refTo(resource, object), [test, add], options));
  return true;
}

/**
 * Removes a finalizer, unless it is absent. Returns true when it wrote.
 *
 * The patch tests that the finalizer stands where it was read, so that no other one can be removed in its place. An
 * object that is gone already is fine.
 *
 * @param change - `unchanged`: fail with `RUNTIME_CHANGED` when the object is not the one that was read. For objects
 * that themselves tell what has to be gone first: a pass that starts from an old read (an old list after a restart)
 * would otherwise lose what the newer object names.
 */
export async function removeFinalizer(
  client: Client,
  resource: Resource,
  object: KubeObject,
  change: CallOptions & { readonly finalizer: string; readonly unchanged?: boolean },
): Promise<boolean> {
  const { finalizer, unchanged = false, ...options } = change;
  const index = object.metadata.finalizers?.indexOf(finalizer) ?? -1;
  if (index < 0) return false;
  const path = `/metadata/finalizers/${index}`;
  const identity = unchanged ? "resourceVersion" : "uid";
  const operations: readonly JsonPatchOperation[] = [
    { op: "test", path: `/metadata/${identity}`, value: object.metadata[identity] },
    { op: "test", path, value: finalizer },
    { op: "remove", path },
  ];
  await patch(object, () => optional(client.jsonPatch(refTo(resource, object), operations, options)));
  return true;
}

/** Servers answer a failed test like an invalid object, which would not be tried again. */
async function patch(object: KubeObject, send: () => Promise<unknown>): Promise<void> {
  try {
    await send();
  } catch (error) {
    if (!hasCode(error, "KUBE_INVALID")) throw error;
    throw runtimeErrors.CHANGED({ kind: object.kind, key: keyText(keyOf(object)) }, error);
  }
}
