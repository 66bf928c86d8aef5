import type { AnyObject } from "@kyma-operators/kube";
import type { InventoryEntry, ManifestInventory, ManifestStatus } from "../../../apis/operator/manifest.ts";
import { ownedDigest } from "../drift/owned-fields.ts";
import { operations, withOperation } from "../status.ts";
import { identityOf, type SyncedRef, versionedIdOf } from "./identity.ts";
import { hasSyncedDiff, type Rendered, unionOfRefs } from "./plan.ts";

/** `status.inventory`, never absent. */
export function inventoryOf(status: ManifestStatus): ManifestInventory {
  return status.inventory ?? {};
}

/** A status with some fields of its inventory replaced; `undefined` removes a field. */
export function withInventory(
  status: ManifestStatus,
  change: { readonly [K in keyof ManifestInventory]?: ManifestInventory[K] | undefined },
): ManifestStatus {
  const merged = { ...status.inventory, ...change };
  const inventory = Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== undefined));
  return { ...status, inventory };
}

/**
 * Puts on record what is about to exist, before it exists, so that a crash leaves nothing that no inventory mentions.
 * Returns the same status when nothing is new.
 */
export function withIntent(status: ManifestStatus, wanted: readonly Rendered[]): ManifestStatus {
  const synced = status.synced ?? [];
  const union = unionOfRefs(
    synced,
    wanted.map(({ ref }) => ref),
  );
  if (union === synced) return status;
  return withOperation({ ...status, synced: union }, "Processing", operations.syncedChanged);
}

/** Remembers the content of objects that were applied. */
export function withApplied(
  status: ManifestStatus,
  applied: readonly { readonly item: Rendered; readonly object: AnyObject }[],
): ManifestStatus {
  if (applied.length === 0) return status;
  const entries = new Map((inventoryOf(status).objects ?? []).map((entry) => [entry.id, entry]));
  for (const { item, object } of applied) {
    const id = versionedIdOf(item.ref);
    const owned = ownedDigest(object);
    entries.set(id, { id, digest: item.digest, ...(owned === undefined ? {} : { owned }) });
  }
  return withInventory(status, { objects: [...entries.values()] });
}

/** Takes deleted objects out of the inventory. */
export function withoutRefs(status: ManifestStatus, gone: readonly SyncedRef[]): ManifestStatus {
  if (gone.length === 0) return status;
  const ids = new Set(gone.map(identityOf));
  const synced = (status.synced ?? []).filter((ref) => !ids.has(identityOf(ref)));
  return withoutStaleEntries({ ...status, synced });
}

/** The inventory of a complete installation: exactly what is wanted, in the order it was rendered. */
export function withComplete(status: ManifestStatus, wanted: readonly Rendered[]): ManifestStatus {
  const refs = wanted.map(({ ref }) => ref);
  const synced = status.synced ?? [];
  return withoutStaleEntries(hasSyncedDiff(synced, refs) ? { ...status, synced: refs } : status);
}

/** Whether we applied this very object before: its content is on record, or upstream's list names it. */
export function isKnown(status: ManifestStatus, item: Rendered): boolean {
  const objects = status.inventory?.objects;
  if (objects !== undefined) return objects.some(({ id }) => id === versionedIdOf(item.ref));
  return (status.synced ?? []).some((ref) => identityOf(ref) === identityOf(item.ref));
}

function withoutStaleEntries(status: ManifestStatus): ManifestStatus {
  const { objects } = inventoryOf(status);
  if (objects === undefined) return status;
  const ids = new Set((status.synced ?? []).map(versionedIdOf));
  const left: readonly InventoryEntry[] = objects.filter(({ id }) => ids.has(id));
  return left.length === objects.length ? status : withInventory(status, { objects: left });
}
