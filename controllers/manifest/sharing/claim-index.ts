import { LRUCache } from "lru-cache";
import { type Manifest, ownedBy } from "../../../apis/operator/manifest.ts";
import { claimedBy } from "./claimed-refs.ts";

/** Where Manifests put their objects. */
export interface Clusterings {
  /** Names the cluster of a Manifest. */
  clusterOf(manifest: Manifest): string;
  /** The Manifests for the cluster of this one, itself among them. */
  of(manifest: Manifest): readonly Manifest[];
}

/** A fleet is looked at cluster after cluster; an index of all of them would take 500 bytes per object. */
const maxClusters = 100;

/**
 * Who has which object of a cluster. Made from the inventories when a cluster is asked about, and kept up to date by what
 * changes, so that a question costs the same however many Manifests there are.
 */
export class ClaimIndex {
  readonly #peers: Clusterings;
  readonly #clusters = new LRUCache<string, Claimants>({ max: maxClusters });
  /** Clusters without any shared object, as nearly all are; known for far more of them than have an index. */
  readonly #unshared = new Set<string>();

  constructor(peers: Clusterings) {
    this.#peers = peers;
  }

  /** The objects of the cluster of a Manifest. */
  around(manifest: Manifest): Pick<Claimants, "get" | "anyShared"> {
    const cluster = this.#peers.clusterOf(manifest);
    const present = this.#clusters.get(cluster);
    if (present !== undefined) return present;
    const claimants = new Claimants();
    for (const member of this.#peers.of(manifest)) claimants.add(member);
    this.#clusters.set(cluster, claimants);
    return claimants;
  }

  /** False when no two Manifests of the cluster have the same object. */
  anyShared(manifest: Manifest): boolean {
    const cluster = this.#peers.clusterOf(manifest);
    if (this.#unshared.has(cluster)) return false;
    const { anyShared } = this.around(manifest);
    if (!anyShared) this.#unshared.add(cluster);
    return anyShared;
  }

  /** A Manifest has come, or is no longer what it was. */
  put(before: Manifest | undefined, now: Manifest): void {
    if (before !== undefined) this.#changing(before)?.remove(before, claimedBy(before));
    this.#changing(now)?.add(now);
  }

  /** A Manifest is gone. Its last state need not be the one that came in. */
  delete(manifest: Manifest): void {
    this.#changing(manifest)?.remove(manifest);
  }

  /** Manifests may be for other clusters than before. */
  clear(): void {
    this.#clusters.clear();
    this.#unshared.clear();
  }

  #changing(manifest: Manifest): Claimants | undefined {
    const cluster = this.#peers.clusterOf(manifest);
    this.#unshared.delete(cluster);
    return this.#clusters.peek(cluster);
  }
}

/** The Manifests (`namespace/name`) of one cluster, by what they have. */
class Claimants {
  readonly #owners = new Map<string, Set<string>>();
  #shared = 0;

  get anyShared(): boolean {
    return this.#shared > 0;
  }

  /** Who has the object of an identity. */
  get(identity: string): ReadonlySet<string> | undefined {
    return this.#owners.get(identity);
  }

  add(manifest: Manifest): void {
    const owner = ownedBy(manifest);
    for (const identity of claimedBy(manifest)) {
      const owners = this.#owners.get(identity) ?? new Set();
      if (owners.size === 0) this.#owners.set(identity, owners);
      if (owners.size === 1 && !owners.has(owner)) this.#shared += 1;
      owners.add(owner);
    }
  }

  /** @param identities - what it may have had; by default, everything that anybody has. */
  remove(manifest: Manifest, identities: Iterable<string> = this.#owners.keys()): void {
    const owner = ownedBy(manifest);
    for (const identity of identities) {
      const owners = this.#owners.get(identity);
      if (owners?.delete(owner) !== true) continue;
      if (owners.size === 1) this.#shared -= 1;
      if (owners.size === 0) this.#owners.delete(identity);
    }
  }
}
