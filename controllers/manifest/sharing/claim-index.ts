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

/** By identity, the Manifests (`namespace/name`) that have an object. */
type Claimants = Map<string, Set<string>>;

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
  around(manifest: Manifest): ReadonlyMap<string, ReadonlySet<string>> {
    const cluster = this.#peers.clusterOf(manifest);
    const present = this.#clusters.get(cluster);
    if (present !== undefined) return present;
    const claimants: Claimants = new Map();
    for (const member of this.#peers.of(manifest)) add(claimants, member);
    this.#clusters.set(cluster, claimants);
    return claimants;
  }

  /** False when no two Manifests of the cluster have the same object. */
  anyShared(manifest: Manifest): boolean {
    const cluster = this.#peers.clusterOf(manifest);
    if (this.#unshared.has(cluster)) return false;
    const isShared = this.around(manifest)
      .values()
      .some(({ size }) => size > 1);
    if (!isShared) this.#unshared.add(cluster);
    return isShared;
  }

  /** A Manifest has come, or is no longer what it was. */
  put(before: Manifest | undefined, now: Manifest): void {
    if (before !== undefined) remove(this.#changing(before), before, claimedBy(before));
    add(this.#changing(now), now);
  }

  /** A Manifest is gone. Its last state need not be the one that came in. */
  delete(manifest: Manifest): void {
    const claimants = this.#changing(manifest);
    remove(claimants, manifest, claimants?.keys() ?? []);
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

function add(claimants: Claimants | undefined, manifest: Manifest): void {
  if (claimants === undefined) return;
  for (const identity of claimedBy(manifest)) {
    const owners = claimants.get(identity);
    if (owners === undefined) claimants.set(identity, new Set([ownedBy(manifest)]));
    else owners.add(ownedBy(manifest));
  }
}

function remove(claimants: Claimants | undefined, manifest: Manifest, identities: Iterable<string>): void {
  const owner = ownedBy(manifest);
  for (const identity of identities) {
    const owners = claimants?.get(identity);
    if (owners?.delete(owner) === true && owners.size === 0) claimants?.delete(identity);
  }
}
