import { finalizers } from "../../../apis/operator/finalizers.ts";
import { labels } from "../../../apis/operator/labels.ts";
import { isUnmanaged, type Manifest } from "../../../apis/operator/manifest.ts";
import { identityOf, type SyncedRef, splitApiVersion } from "../inventory/identity.ts";
import { isProtected } from "../inventory/plan.ts";

/** Everything that a Manifest has on its cluster and that could be another's too. */
export function refsOf(manifest: Manifest): readonly SyncedRef[] {
  const refs = (manifest.status?.synced ?? []).filter((ref) => !isProtected(ref));
  const moduleCR = hasModuleCR(manifest) ? moduleCRRef(manifest) : undefined;
  return moduleCR === undefined ? refs : [...refs, moduleCR];
}

/** Identities of {@link refsOf}, each once. */
export function claimedBy(manifest: Manifest): ReadonlySet<string> {
  return new Set(refsOf(manifest).map(identityOf));
}

/** Of a default CR that names none; the same for all that leave it out. */
const defaultNamespace = "default";

/** How Manifests may have an object of the cluster: in their inventory, or as the default CR. */
export function claimsOn(ref: SyncedRef): readonly SyncedRef[] {
  return ref.namespace === "" ? [ref, { ...ref, namespace: defaultNamespace }] : [ref];
}

/** The default CR that a Manifest asks for. */
export function moduleCRRef(manifest: Manifest): SyncedRef | undefined {
  const { resource } = manifest.spec;
  if (resource === undefined || resource === null) return undefined;
  const { namespace = defaultNamespace, name = "" } = resource.metadata ?? {};
  return { ...splitApiVersion(resource.apiVersion), kind: resource.kind, namespace, name };
}

/** Whether a Manifest is not about to let everything go. */
export function keepsItsObjects(manifest: Manifest): boolean {
  return manifest.metadata.deletionTimestamp === undefined || isUnmanaged(manifest);
}

/** True when what a Manifest has, or where, is not what it was, or it is about to let it go. */
export function claimsChanged(before: Manifest, now: Manifest): boolean {
  return (
    keepsItsObjects(before) !== keepsItsObjects(now) ||
    isUnmanaged(before) !== isUnmanaged(now) ||
    before.metadata.labels?.[labels.kymaName] !== now.metadata.labels?.[labels.kymaName] ||
    !isSameList(before.status?.synced, now.status?.synced) ||
    moduleCRChanged(before, now)
  );
}

/** The finalizer is on record before the CR exists: without it, nothing of the kind was ever installed. */
function hasModuleCR({ metadata }: Manifest): boolean {
  return metadata.finalizers?.includes(finalizers.moduleResource) === true;
}

function moduleCRChanged(before: Manifest, now: Manifest): boolean {
  if (hasModuleCR(before) !== hasModuleCR(now)) return true;
  const isSameSpec = before.metadata.generation !== undefined && before.metadata.generation === now.metadata.generation;
  if (isSameSpec || !hasModuleCR(now)) return false;
  const [old, present] = [moduleCRRef(before), moduleCRRef(now)];
  return (old && identityOf(old)) !== (present && identityOf(present));
}

/** Asked for every status write of a fleet: no text is made of what is equal. */
function isSameList(before: readonly SyncedRef[] = [], now: readonly SyncedRef[] = []): boolean {
  if (before === now) return true;
  return before.length === now.length && before.every((ref, index) => isSameRef(ref, now[index]));
}

function isSameRef(ref: SyncedRef, other: SyncedRef | undefined): boolean {
  return (
    ref.name === other?.name &&
    ref.kind === other.kind &&
    ref.namespace === other.namespace &&
    ref.group === other.group &&
    ref.version === other.version
  );
}
