import type { ObjectKey } from "@kyma-operators/kube";
import type { Change } from "@kyma-operators/runtime";
import { isUnmanaged, type Manifest, ownedBy } from "../../../apis/operator/manifest.ts";
import { identityOf, type SyncedRef } from "../inventory/identity.ts";
import { ClaimIndex, type Clusterings } from "./claim-index.ts";
import { claimedBy, claimsChanged, keepsItsObjects } from "./claimed-refs.ts";

/** By identity, the other Manifests (`namespace/name`) that have an object too; never empty lists. */
export type Holders = ReadonlyMap<string, readonly string[]>;

/** The Manifests that are known, and where they put their objects. */
export interface KnownManifests extends Clusterings {
  get(key: ObjectKey): Manifest | undefined;
}

/**
 * Tells which objects of a Manifest are in the inventories of others on the same cluster. Answered from the store, so it
 * costs no request.
 */
export class Claims {
  readonly #peers: KnownManifests;
  readonly #index: ClaimIndex;
  /** By Manifest, what its pass lets go at the moment, while its inventory still names it. */
  readonly #letting = new Map<string, ReadonlySet<string>>();

  constructor(peers: KnownManifests) {
    this.#peers = peers;
    this.#index = new ClaimIndex(peers);
  }

  /** Who else has these objects of a Manifest, and will go on having them. */
  holdersOf(manifest: Manifest, refs: readonly SyncedRef[]): Holders {
    const index = this.#index.around(manifest);
    const self = ownedBy(manifest);
    const holders = new Map<string, readonly string[]>();
    for (const identity of refs.map(identityOf)) {
      const others = [...(index.get(identity) ?? [])].filter((owner) => owner !== self);
      const owners = others.filter((owner) => this.#keeps(owner, identity, manifest));
      if (owners.length > 0) holders.set(identity, owners);
    }
    return holders;
  }

  /** False when no two Manifests of the cluster have the same object: the usual answer, and a cheap one. */
  anyShared(manifest: Manifest): boolean {
    return this.#index.anyShared(manifest);
  }

  /** Whether there is a Manifest of this name (`namespace/name`), for whatever cluster. */
  isKnown(owner: string): boolean {
    return this.#peers.get(keyOf(owner)) !== undefined;
  }

  /** Whether a Manifest of this name (`namespace/name`) is known on the same cluster. */
  isPeer(manifest: Manifest, owner: string): boolean {
    const named = this.#peers.get(keyOf(owner));
    return named !== undefined && this.#peers.clusterOf(named) === this.#peers.clusterOf(manifest);
  }

  /** The other Manifests that have an object which this one has, in either of its two forms. */
  neighbours(before: Manifest, now: Manifest): readonly Manifest[] {
    const owners = new Set([...this.#claimants(before), ...this.#claimants(now)]);
    owners.delete(ownedBy(now));
    return [...owners].flatMap((owner) => this.#peers.get(keyOf(owner)) ?? []);
  }

  /**
   * From now on a Manifest does not have these objects any more, whatever its inventory says. Two that let the same object
   * go at the same moment would leave it to each other otherwise.
   */
  letGo(manifest: Manifest, refs: readonly SyncedRef[]): void {
    if (refs.length > 0) this.#letting.set(ownedBy(manifest), new Set(refs.map(identityOf)));
  }

  /** What a Manifest has is what its inventory says: a pass begins, or it is gone. */
  reset(owner: string): void {
    this.#letting.delete(owner);
  }

  /** Has to be told of every Manifest that comes, changes or goes, before anybody asks. */
  follow(change: Change<Manifest>): void {
    if (change.type === "deleted") this.#index.delete(change.object);
    else if (change.type === "added") this.#index.put(undefined, change.object);
    else if (claimsChanged(change.old, change.object)) this.#index.put(change.old, change.object);
  }

  /** Has to be told when Manifests may be for other clusters than before. */
  clustersChanged(): void {
    this.#index.clear();
  }

  #claimants(manifest: Manifest): readonly string[] {
    const index = this.#index.around(manifest);
    return [...claimedBy(manifest)].flatMap((identity) => [...(index.get(identity) ?? [])]);
  }

  #keeps(owner: string, identity: string, self: Manifest): boolean {
    const other = this.#peers.get(keyOf(owner));
    if (other === undefined || !keepsItsObjects(other)) return false;
    if (isUnmanaged(other) && isUnmanaged(self)) return false;
    return this.#letting.get(owner)?.has(identity) !== true;
  }
}

function keyOf(owner: string): ObjectKey {
  const [namespace = "", name = ""] = owner.split("/");
  return { namespace, name };
}
