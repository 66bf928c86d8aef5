import type { AnyObject } from "@kyma-operators/kube";
import { annotations } from "../../../apis/operator/annotations.ts";
import { ownedBy } from "../../../apis/operator/manifest.ts";
import { identityOf, type SyncedRef } from "../inventory/identity.ts";
import type { Pass } from "../pass.ts";
import { sharingIn } from "./sharing.ts";

/** Whether a live object is as another Manifest wants it. */
export type IsOthers = (ref: SyncedRef, live: AnyObject) => boolean;

/**
 * Which objects must not be deleted because another Manifest has them, or is named on them. A Manifest of ours that is
 * named but does not have the object any more is no reason; one that we don't know may belong to another control plane.
 */
export function keptForOthers({ manifest, claims }: Pass, refs: readonly SyncedRef[]): IsOthers {
  const holders = claims.holdersOf(manifest, refs);
  return (ref, live) => {
    if (holders.has(identityOf(ref))) return true;
    const other = otherOwnerOf(live, manifest);
    return other !== undefined && !claims.isPeer(manifest, other);
  };
}

/**
 * Which objects must not be restored because another Manifest applied them last. Where it has let them go, they are ours
 * to apply anew; so they are when it is gone and our status still tells of shared objects.
 */
export function appliedByOthers({ observed, manifest, claims }: Pass, refs: readonly SyncedRef[]): IsOthers {
  const holders = claims.holdersOf(manifest, refs);
  const sharedOnce = sharingIn(observed.status) !== undefined;
  return (ref, live) => {
    const other = otherOwnerOf(live, manifest);
    if (other === undefined) return false;
    const isHolder = holders.get(identityOf(ref))?.includes(other) === true;
    return isHolder || (!sharedOnce && !claims.isPeer(manifest, other));
  };
}

/** The Manifest (`namespace/name`) that an object names as its owner, unless it is the given one. */
export function otherOwnerOf(live: AnyObject, manifest: Pass["manifest"]): string | undefined {
  const named = live.metadata.annotations?.[annotations.ownedBy];
  return named === ownedBy(manifest) ? undefined : named;
}
