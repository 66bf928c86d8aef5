import type { AnyObject, Client } from "@kyma-operators/kube";
import { fieldManagers } from "../../../apis/operator/finalizers.ts";
import { deleteLive, observe } from "../apply/remote.ts";
import { apiVersionOf, describeRef, refOf } from "../inventory/identity.ts";
import { readinessOf } from "../readiness/readiness.ts";

/** On objects that run once: which run they are of. */
export const runAnnotation = "operator.kyma-project.io/run";

/** How far a run is. */
export type RunState =
  | { readonly state: "succeeded"; readonly object: AnyObject }
  | { readonly state: "running"; readonly why: string }
  | { readonly state: "failed"; readonly why: string; readonly object: AnyObject };

/**
 * Lets an object run once: creates it unless this very run is there already, and says how far it is. Jobs and Pods run
 * to their end, any other object is done once it exists. May be called again after a crash at any point.
 *
 * @param run - names the run; an object of an earlier run is deleted first.
 */
export async function runOnce(client: Client, object: AnyObject, run: string, signal: AbortSignal): Promise<RunState> {
  const ref = refOf(object);
  const live = await observe(client, ref, signal);
  if (live === undefined) return judge(await create(client, object, { run, signal }));
  if (live.metadata.annotations?.[runAnnotation] === run && live.metadata.deletionTimestamp === undefined) {
    return judge(live);
  }
  await deleteLive(client, live, signal);
  return { state: "running", why: `${describeRef(ref)} of an earlier run is being deleted` };
}

/** Deletes the object of a run, whichever run it is of. */
export async function deleteRun(client: Client, object: AnyObject, signal: AbortSignal): Promise<void> {
  const live = await observe(client, refOf(object), signal);
  if (live !== undefined) await deleteLive(client, live, signal);
}

async function create(
  client: Client,
  object: AnyObject,
  { run, signal }: { readonly run: string; readonly signal: AbortSignal },
): Promise<AnyObject> {
  const resource = await client.resourceFor(apiVersionOf(refOf(object)), object.kind, { signal });
  const annotations = { ...object.metadata.annotations, [runAnnotation]: run };
  const marked = { ...object, metadata: { ...object.metadata, annotations } };
  return client.create(resource, marked, { fieldManager: fieldManagers.manifestApplier, signal });
}

function judge(live: AnyObject): RunState {
  const runsToItsEnd = live.kind === "Job" || live.kind === "Pod";
  const readiness = runsToItsEnd ? endOf(live) : ({ state: "ready" } as const);
  if (readiness.state === "ready") return { state: "succeeded", object: live };
  const why = `${describeRef(refOf(live))}: ${readiness.why}`;
  return readiness.state === "failed" ? { state: "failed", why, object: live } : { state: "running", why };
}

/** A Pod that runs once is done when it has succeeded, not when it is ready. */
function endOf(live: AnyObject): ReturnType<typeof readinessOf> {
  const readiness = readinessOf(live);
  const { phase } = (live["status"] ?? {}) as { readonly phase?: string };
  if (live.kind !== "Pod" || readiness.state !== "ready" || phase === "Succeeded") return readiness;
  return { state: "progressing", why: `phase is ${phase ?? "unknown"}` };
}
