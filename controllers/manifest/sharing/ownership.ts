import type { AnyObject } from "@kyma-operators/kube";
import { annotations } from "../../../apis/operator/annotations.ts";
import { ownedBy } from "../../../apis/operator/manifest.ts";
import { identityOf, type SyncedRef } from "../inventory/identity.ts";
import type { Pass } from "../pass.ts";
import { holdersTold } from "./sharing.ts";

/** The other Manifests (`namespace/name`) that have an object. */
export function holdersOf({ manifest, claims }: Pass, ref: SyncedRef): readonly string[] {
  return claims.holdersOf(manifest, [ref]).get(identityOf(ref)) ?? [];
}

/** Whether an object must not be deleted because another Manifest has it, or may have it where we can't look. */
export function isKeptForOthers(pass: Pass, ref: SyncedRef, live: AnyObject): boolean {
  return holdersOf(pass, ref).length > 0 || isForeign(pass, otherOwnerOf(live, pass.manifest));
}

/**
 * Whether an object must not be restored because another Manifest applied it last. Where that one has let it go, it is
 * ours to apply anew.
 */
export function isAppliedByOthers(pass: Pass, ref: SyncedRef, live: AnyObject): boolean {
  const named = otherOwnerOf(live, pass.manifest);
  return isForeign(pass, named) || (named !== undefined && holdersOf(pass, ref).includes(named));
}

/**
 * Whether the Manifest that an object names is for a cluster of another name, or may be one of another control plane: we
 * don't know it. One that we don't know but that our status still names shared with us and is gone.
 */
function isForeign({ observed, manifest, claims }: Pass, named: string | undefined): boolean {
  if (named === undefined || claims.isPeer(manifest, named)) return false;
  return claims.isKnown(named) || !holdersTold(observed.status).includes(named);
}

/** The Manifest (`namespace/name`) that an object names as its owner, unless it is the given one. */
export function otherOwnerOf(live: AnyObject, manifest: Pass["manifest"]): string | undefined {
  const named = live.metadata.annotations?.[annotations.ownedBy];
  return named === ownedBy(manifest) ? undefined : named;
}
