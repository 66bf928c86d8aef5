import type { AnyObject } from "@kyma-operators/kube";
import { annotations } from "../../../apis/operator/annotations.ts";
import { fieldManagers } from "../../../apis/operator/finalizers.ts";
import { locate } from "../apply/remote.ts";
import { isNotFound } from "../clusters/error-classes.ts";
import type { SyncedRef } from "../inventory/identity.ts";
import { clusterOf, type Pass } from "../pass.ts";
import { holdersOf, isKeptForOthers, otherOwnerOf } from "./ownership.ts";

/**
 * Leaves an object to another Manifest that has it; false when nobody has. The name on the object becomes that of the
 * heir before we forget it: it finds it there whenever it looks, and will delete it one day, even if we are gone by then.
 */
export async function leaveToOthers(pass: Pass, ref: SyncedRef, live: AnyObject): Promise<boolean> {
  const [heir] = holdersOf(pass, ref).toSorted();
  if (heir === undefined) return isKeptForOthers(pass, ref, live);
  if (otherOwnerOf(live, pass.manifest) === undefined) await rename(pass, ref, heir);
  return true;
}

async function rename(pass: Pass, ref: SyncedRef, owner: string): Promise<void> {
  const { client } = clusterOf(pass);
  const { signal } = pass.ctx;
  const location = await locate(client, ref, signal);
  if (location === undefined) return;
  const patch = { metadata: { annotations: { [annotations.ownedBy]: owner } } };
  try {
    await client.mergePatch(location, patch, { fieldManager: fieldManagers.manifestApplier, signal });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
