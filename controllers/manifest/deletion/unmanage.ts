import { annotations } from "../../../apis/operator/annotations.ts";
import { fieldManagers, finalizers } from "../../../apis/operator/finalizers.ts";
import { labels } from "../../../apis/operator/labels.ts";
import { isUnmanaged } from "../../../apis/operator/manifest.ts";
import { locate, observe, parallelRequests } from "../apply/remote.ts";
import { isNotFound } from "../clusters/error-classes.ts";
import type { SyncedRef } from "../inventory/identity.ts";
import { inParallel } from "../parallel.ts";
import { clusterOf, done, next, type Pass, type Step, syncedOf } from "../pass.ts";
import { leaveToOthers } from "../sharing/hand-over.ts";
import type { ManifestStore } from "../store.ts";

/**
 * Hands everything over to the user: takes our marks from the objects, then deletes the Manifest, which leaves them
 * where they are. Objects that are gone, or that another Manifest has too, need nothing.
 */
export async function unmanage(pass: Pass, store: ManifestStore): Promise<Step> {
  if (!isUnmanaged(pass.manifest)) return next;
  await inParallel(syncedOf(pass), parallelRequests, (ref) => removeMarks(pass, ref));
  pass.manifest = await store.dropFinalizers(pass.manifest, [finalizers.labelRemoval], pass.ctx.signal);
  await store.delete(pass.manifest, pass.ctx.signal);
  return done;
}

async function removeMarks(pass: Pass, ref: SyncedRef): Promise<void> {
  const { client } = clusterOf(pass);
  const { signal } = pass.ctx;
  const live = await observe(client, ref, signal);
  const location = await locate(client, ref, signal);
  if (live === undefined || location === undefined || (await leaveToOthers(pass, ref, live))) return;
  const marks = [live.metadata.labels?.[labels.managedBy], live.metadata.annotations?.[annotations.ownedBy]];
  if (marks.every((mark) => mark === undefined)) return;
  const patch = { metadata: { labels: { [labels.managedBy]: null }, annotations: { [annotations.ownedBy]: null } } };
  try {
    await client.mergePatch(location, patch, { fieldManager: fieldManagers.manifestApplier, signal });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
