import { hasCode, textOf } from "@kyma-operators/errors";
import type { AnyObject, Client, ObjectRef, Resource } from "@kyma-operators/kube";
import { fieldManagers } from "../../../apis/operator/finalizers.ts";
import { isNotFound } from "../clusters/error-classes.ts";
import { manifestErrors } from "../errors.ts";
import { apiVersionOf, describeRef, isAddressable, refOf, type SyncedRef } from "../inventory/identity.ts";
import type { Rendered } from "../inventory/plan.ts";
import { valueAt } from "../json.ts";
import { inParallel } from "../parallel.ts";

/** Requests in flight per Manifest: enough to hide latency, too few to crowd out other Manifests of the cluster. */
export const parallelRequests = 8;

/** How one apply ended. */
export type Applied =
  | { readonly item: Rendered; readonly object: AnyObject; readonly conflicts: readonly string[] }
  | { readonly item: Rendered; readonly error: unknown };

/** Where a reference points on this cluster; `undefined` when the cluster serves no such kind or name. */
export async function locate(client: Client, ref: SyncedRef, signal: AbortSignal): Promise<ObjectRef | undefined> {
  if (!isAddressable(ref)) return undefined;
  const resource = await resourceOf(client, ref, signal);
  if (resource === undefined) return undefined;
  return { resource, name: ref.name, ...(resource.namespaced ? { namespace: ref.namespace || "default" } : {}) };
}

/** The collection of a kind, or `undefined` when the cluster does not serve it. */
export async function resourceOf(
  client: Client,
  ref: Pick<SyncedRef, "group" | "version" | "kind">,
  signal: AbortSignal,
): Promise<Resource | undefined> {
  try {
    return await client.resourceFor(apiVersionOf(ref), ref.kind, { signal });
  } catch (error) {
    if (hasCode(error, "KUBE_NO_MATCH")) return undefined;
    throw error;
  }
}

/** The live object, or `undefined` when it or its kind is not there. */
export async function observe(client: Client, ref: SyncedRef, signal: AbortSignal): Promise<AnyObject | undefined> {
  const location = await locate(client, ref, signal);
  if (location === undefined) return undefined;
  try {
    return await client.get(location, { signal });
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/**
 * Applies objects in parallel; each gets its own result, so that one broken object never stops the others.
 *
 * @param known - identities we have applied before. Anything else may belong to somebody: it is applied without force
 *   first, so that a takeover is seen and can be reported.
 */
export async function applyAll(
  client: Client,
  items: readonly Rendered[],
  known: (item: Rendered) => boolean,
  signal: AbortSignal,
): Promise<readonly Applied[]> {
  return inParallel(items, parallelRequests, async (item): Promise<Applied> => {
    try {
      return await applyOne(client, item, known(item), signal);
    } catch (error) {
      if (signal.aborted) throw error;
      return { item, error };
    }
  });
}

async function applyOne(client: Client, item: Rendered, known: boolean, signal: AbortSignal): Promise<Applied> {
  const resource = await client.resourceFor(apiVersionOf(item.ref), item.ref.kind, { signal });
  const body = bodyOf(item.object);
  const apply = (force: boolean): Promise<AnyObject> =>
    client.apply(resource, body, { fieldManager: fieldManagers.manifestApplier, force, signal });
  try {
    return { item, object: await apply(known), conflicts: [] };
  } catch (error) {
    if (!hasCode(error, "KUBE_APPLY_CONFLICT")) throw error;
    return { item, object: await apply(true), conflicts: conflictsIn(error) };
  }
}

/** What is sent: the rendered JSON without what only the server may write. */
function bodyOf(object: AnyObject): AnyObject {
  const { managedFields: _m, resourceVersion: _r, uid: _u, creationTimestamp: _c, ...metadata } = object.metadata;
  return { ...object, metadata };
}

/** `other-manager: .spec.replicas`, one text per field that somebody else had set. */
function conflictsIn(error: unknown): readonly string[] {
  const causes = valueAt((error as { readonly detail?: unknown }).detail, "causes");
  if (!Array.isArray(causes)) return [textOf(error)];
  return (causes as { field?: string; message?: string }[]).map(
    ({ field = "", message = "" }) => `${message.replace(/^conflict with /, "")}: ${field}`,
  );
}

/**
 * What becomes of an object: `ours` to delete; `left` to another Manifest that has it; `unchecked` and not touched, because
 * nobody has made sure yet that nothing of a user goes with it.
 */
export type Fate = "ours" | "left" | "unchecked";

/** Decides about an object as it is now. */
export type FateOf = (ref: SyncedRef, live: AnyObject) => Promise<Fate>;

/** How one deletion ended. */
export type Deletion =
  | { readonly ref: SyncedRef; readonly state: "gone" }
  | { readonly ref: SyncedRef; readonly state: Exclude<Fate, "ours"> }
  /** Accepted, but somebody's finalizer keeps it. */
  | { readonly ref: SyncedRef; readonly state: "leaving"; readonly finalizers: readonly string[] }
  | { readonly ref: SyncedRef; readonly state: "failed"; readonly error: unknown };

/** Deletes objects in parallel with background propagation and says which are really gone. */
export async function deleteAll(
  client: Client,
  refs: readonly SyncedRef[],
  fateOf: FateOf,
  signal: AbortSignal,
): Promise<readonly Deletion[]> {
  return inParallel(refs, parallelRequests, async (ref): Promise<Deletion> => {
    try {
      return await deleteOne(client, ref, fateOf, signal);
    } catch (error) {
      if (signal.aborted) throw error;
      return { ref, state: "failed", error };
    }
  });
}

async function deleteOne(client: Client, ref: SyncedRef, fateOf: FateOf, signal: AbortSignal): Promise<Deletion> {
  const live = await observe(client, ref, signal);
  if (live === undefined) return { ref, state: "gone" };
  const fate = await fateOf(ref, live);
  if (fate !== "ours") return { ref, state: fate };
  if (live.metadata.deletionTimestamp === undefined) await deleteLive(client, live, signal);
  const left = await observe(client, ref, signal);
  if (left === undefined || left.metadata.uid !== live.metadata.uid) return { ref, state: "gone" };
  return { ref, state: "leaving", finalizers: left.metadata.finalizers ?? [] };
}

/** Deletes exactly the object that was read; one that vanished meanwhile is fine. */
export async function deleteLive(client: Client, live: AnyObject, signal: AbortSignal): Promise<void> {
  const location = await locate(client, refOf(live), signal);
  if (location === undefined) return;
  const { uid } = live.metadata;
  try {
    await client.delete(location, {
      propagationPolicy: "Background",
      ...(uid === undefined ? {} : { preconditions: { uid } }),
      signal,
    });
  } catch (error) {
    if (!isNotFound(error) && !hasCode(error, "KUBE_CONFLICT")) throw error;
  }
}

/** One error for all failed deletions; the first is named. */
export function deletionFailure(failed: readonly Extract<Deletion, { state: "failed" }>[]): Error | undefined {
  const [first] = failed;
  if (first === undefined) return undefined;
  const detail = { failed: failed.length, first: describeRef(first.ref), problem: textOf(first.error) };
  return manifestErrors.DELETE_FAILED(detail, first.error);
}

/**
 * One error for all failed applies. When every failure says that we are not let in, the error says just that, so that
 * the client of the cluster is renewed.
 */
export function applyFailure(results: readonly Applied[]): Error | undefined {
  const failed = results.flatMap((result) => ("error" in result ? [result] : []));
  const [first] = failed;
  if (first === undefined) return undefined;
  if (failed.every(({ error }) => hasCode(error, "KUBE_UNAUTHORIZED"))) {
    return manifestErrors.APPLY_UNAUTHORIZED(undefined, first.error);
  }
  if (failed.every(({ error }) => isExpiredCertificate(error))) {
    return manifestErrors.CERTIFICATE_EXPIRED(undefined, first.error);
  }
  const detail = {
    failed: failed.length,
    total: results.length,
    first: describeRef(first.item.ref),
    problem: textOf(first.error),
  };
  return manifestErrors.APPLY_FAILED(detail, first.error);
}

function isExpiredCertificate(error: unknown): boolean {
  return hasCode(error, "KUBE_TLS") && /certificate (has )?expired|expired certificate/i.test(textOf(error));
}
