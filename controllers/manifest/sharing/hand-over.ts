import type { AnyObject } from "@kyma-operators/kube";
import { annotations } from "../../../apis/operator/annotations.ts";
import { fieldManagers } from "../../../apis/operator/finalizers.ts";
import { locate } from "../apply/remote.ts";
import { isNotFound } from "../clusters/error-classes.ts";
import { identityOf, type SyncedRef } from "../inventory/identity.ts";
import { clusterOf, type Pass } from "../pass.ts";
import { keptForOthers, otherOwnerOf } from "./ownership.ts";

/** Whether an object stays because another Manifest has it. */
export type Leave = (ref: SyncedRef, live: AnyObject) => Promise<boolean>;

/**
 * Leaves objects to the other Manifests that have them. The name on the object becomes theirs before we forget it: they
 * find it there whenever they look, and will delete it one day, even if we are gone by then.
 */
export function leavingToOthers(pass: Pass, refs: readonly SyncedRef[]): Leave {
  const isKept = keptForOthers(pass, refs);
  return async (ref, live) => {
    if (!isKept(ref, live)) return false;
    const [heir] = pass.claims.holdersOf(pass.manifest, [ref]).get(identityOf(ref)) ?? [];
    if (heir !== undefined && otherOwnerOf(live, pass.manifest) === undefined) await rename(pass, ref, heir);
    return true;
  };
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
