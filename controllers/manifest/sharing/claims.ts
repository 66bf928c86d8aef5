import { isUnmanaged, type Manifest, ownedBy } from "../../../apis/operator/manifest.ts";
import { identityOf, type SyncedRef, splitApiVersion } from "../inventory/identity.ts";
import { isProtected } from "../inventory/plan.ts";

/** By identity, the other Manifests (`namespace/name`, sorted) that have an object too; never empty lists. */
export type Holders = ReadonlyMap<string, readonly string[]>;

/** Whether the Manifests of one cluster share anything, as long as none of them changes. */
interface Snapshot {
  readonly members: readonly Manifest[];
  readonly anyShared: boolean;
}

/**
 * Tells which objects of a Manifest are in the inventories of others on the same cluster. Answered from the store, so it
 * costs no request.
 */
export class Claims {
  readonly #peersOf: (manifest: Manifest) => readonly Manifest[];
  /** By the first of the members: it goes with them. */
  readonly #snapshots = new WeakMap<Manifest, Snapshot>();

  /** @param peersOf - the Manifests for the cluster of this one, itself among them. */
  constructor(peersOf: (manifest: Manifest) => readonly Manifest[]) {
    this.#peersOf = peersOf;
  }

  /** Who else has these objects of a Manifest, and will go on having them. */
  holdersOf(manifest: Manifest, refs: readonly SyncedRef[]): Holders {
    const wanted = new Set(refs.filter((ref) => !isProtected(ref)).map(identityOf));
    const holders = new Map<string, string[]>();
    for (const other of this.#othersOf(manifest).filter(keepsItsObjects)) {
      const both = new Set(
        refsOf(other)
          .map(identityOf)
          .filter((identity) => wanted.has(identity)),
      );
      for (const identity of both) holders.set(identity, [...(holders.get(identity) ?? []), ownedBy(other)].toSorted());
    }
    return holders;
  }

  /** False when no two Manifests of the cluster have the same object. Remembered, so that the usual answer is cheap. */
  anyShared(manifest: Manifest): boolean {
    const members = this.#peersOf(manifest);
    const [first] = members;
    if (first === undefined || members.length === 1) return false;
    const present = this.#snapshots.get(first);
    if (present !== undefined && isSameList(present.members, members)) return present.anyShared;
    const snapshot = { members, anyShared: hasShared(members) };
    this.#snapshots.set(first, snapshot);
    return snapshot.anyShared;
  }

  /** Whether a Manifest of this name (`namespace/name`) is known on the same cluster. */
  isPeer(manifest: Manifest, owner: string): boolean {
    return this.#peersOf(manifest).some((peer) => ownedBy(peer) === owner);
  }

  /** The other Manifests that have an object which this one has, in either of its two forms. */
  neighbours(before: Manifest, now: Manifest): readonly Manifest[] {
    const others = this.#othersOf(now);
    if (others.length === 0) return [];
    const touched = new Set([...refsOf(before), ...refsOf(now)].map(identityOf));
    return others.filter((peer) => refsOf(peer).some((ref) => touched.has(identityOf(ref))));
  }

  #othersOf(manifest: Manifest): readonly Manifest[] {
    const self = ownedBy(manifest);
    return this.#peersOf(manifest).filter((peer) => ownedBy(peer) !== self);
  }
}

/** True when what a Manifest has is not what it had, or it is about to let it go. */
export function claimsChanged(before: Manifest, now: Manifest): boolean {
  return (
    keepsItsObjects(before) !== keepsItsObjects(now) ||
    JSON.stringify(before.status?.synced) !== JSON.stringify(now.status?.synced) ||
    JSON.stringify(before.spec.resource) !== JSON.stringify(now.spec.resource)
  );
}

/** Everything that a Manifest has on its cluster and that could be another's too. */
export function refsOf(manifest: Manifest): readonly SyncedRef[] {
  const moduleCR = moduleCRRef(manifest);
  const refs = (manifest.status?.synced ?? []).filter((ref) => !isProtected(ref));
  return moduleCR === undefined ? refs : [...refs, moduleCR];
}

/** The default CR of a Manifest; a missing namespace is the same for all that leave it out. */
export function moduleCRRef(manifest: Manifest): SyncedRef | undefined {
  const { resource } = manifest.spec;
  if (resource === undefined || resource === null) return undefined;
  const { namespace = "default", name = "" } = resource.metadata ?? {};
  return { ...splitApiVersion(resource.apiVersion), kind: resource.kind, namespace, name };
}

function keepsItsObjects(manifest: Manifest): boolean {
  return manifest.metadata.deletionTimestamp === undefined || isUnmanaged(manifest);
}

function hasShared(members: readonly Manifest[]): boolean {
  const seen = new Set<string>();
  for (const member of members) {
    const own = [...new Set(refsOf(member).map(identityOf))];
    if (own.some((identity) => seen.has(identity))) return true;
    for (const identity of own) seen.add(identity);
  }
  return false;
}

function isSameList(left: readonly Manifest[], right: readonly Manifest[]): boolean {
  return left.length === right.length && left.every((entry, index) => entry === right[index]);
}
