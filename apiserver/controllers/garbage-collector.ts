import type { AnyObject, OwnerReference } from "@kyma-operators/kube";
import type { ServedResource } from "../resources/resource.ts";
import type { StoreEvent } from "../storage/store.ts";
import { formatStoreKey, type StoreKey } from "../storage/store-key.ts";
import { KeyLoop } from "./loop.ts";
import type { Objects } from "./objects.ts";

/** Deletes objects whose owners are all gone; carries out `foregroundDeletion` and `orphan`. */
export class GarbageCollector {
  readonly #objects: Objects;
  readonly #loop: KeyLoop;
  readonly #unsubscribe: () => void;

  constructor(objects: Objects) {
    this.#objects = objects;
    this.#loop = new KeyLoop(objects.core, (key) => this.#sync(parseKey(key)));
    const { store, registry } = objects.core;
    for (const collection of new Set(registry.all().map((resource) => resource.collection))) {
      for (const { object } of store.list(collection)) this.#consider(nodeOf(collection, object), object);
    }
    this.#unsubscribe = store.subscribeAll((event) => this.#observe(event));
  }

  stop(): void {
    this.#unsubscribe();
    this.#loop.stop();
  }

  #observe({ collection, namespace, name, type, stored: { object } }: StoreEvent): void {
    if (type !== "DELETED") return this.#consider({ collection, namespace, name }, object);
    // Dependents may have lost their last owner, owners in the foreground their last dependent.
    for (const dependent of this.#dependentsOf(object)) this.#wake(dependent);
    for (const owner of ownersOf(object)) this.#wakeOwner(owner, namespace);
  }

  #consider(node: StoreKey, object: AnyObject): void {
    if (needsWork(object)) this.#wake(node);
  }

  #wake(node: StoreKey): void {
    this.#loop.add(formatStoreKey(node));
  }

  #wakeOwner(reference: OwnerReference, namespace: string): void {
    const resource = this.#resourceOf(reference);
    if (resource !== undefined) this.#wake(ownerNode(resource, reference, namespace));
  }

  async #sync(node: StoreKey): Promise<void> {
    const object = this.#objects.get(node.collection, node.namespace, node.name);
    if (object === undefined) return;
    const { finalizers = [], deletionTimestamp } = object.metadata;
    if (deletionTimestamp !== undefined && finalizers.includes("orphan")) await this.#orphan(node, object);
    else if (deletionTimestamp !== undefined && finalizers.includes("foregroundDeletion"))
      await this.#foreground(node, object);
    else if (deletionTimestamp === undefined) await this.#collect(node, object);
  }

  /** Deletes the object when none of its owners lives; takes dead owners off when another one does. */
  async #collect(node: StoreKey, object: AnyObject): Promise<void> {
    const states = ownersOf(object).map((owner) => ({ uid: owner.uid, state: this.#stateOf(owner, node.namespace) }));
    if (states.length === 0) return;
    const gone = states.filter(({ state }) => state === "absent" || state === "waiting");
    if (states.some(({ state }) => state === "alive")) {
      if (gone.length > 0) await this.#dropOwners(node, object, new Set(gone.map(({ uid }) => uid)));
      return;
    }
    if (gone.length < states.length) return;
    // An owner that goes in the foreground waits for what depends on this object, too.
    const isWaitedFor = gone.some(({ state }) => state === "waiting") && this.#dependentsOf(object).length > 0;
    await this.#objects.delete(node.collection, object, isWaitedFor ? { propagation: "Foreground" } : {});
  }

  #dependentsOf({ metadata }: AnyObject): readonly StoreKey[] {
    return this.#objects.core.store.dependents(metadata.uid ?? "");
  }

  #stateOf(reference: OwnerReference, namespace: string): "alive" | "absent" | "waiting" | "unknown" {
    const resource = this.#resourceOf(reference);
    // A kind that is not served (any more) is no proof that the owner is gone.
    if (resource === undefined) return "unknown";
    const place = ownerNode(resource, reference, namespace);
    const owner = this.#objects.get(place.collection, place.namespace, place.name);
    if (owner?.metadata.uid !== reference.uid) return "absent";
    const isForeground = (owner.metadata.finalizers ?? []).includes("foregroundDeletion");
    return owner.metadata.deletionTimestamp !== undefined && isForeground ? "waiting" : "alive";
  }

  /** Lets an owner go once no dependent blocks it. */
  async #foreground(node: StoreKey, owner: AnyObject): Promise<void> {
    let isBlocked = false;
    for (const dependent of this.#dependentsOf(owner)) {
      const object = this.#objectAt(dependent);
      if (object?.metadata.deletionTimestamp === undefined && object !== undefined)
        await this.#collect(dependent, object);
      const blocker = ownersOf(this.#objectAt(dependent)).find(({ uid }) => uid === owner.metadata.uid);
      isBlocked ||= blocker?.blockOwnerDeletion === true;
    }
    if (!isBlocked) await this.#dropFinalizer(node, owner, "foregroundDeletion");
  }

  #objectAt({ collection, namespace, name }: StoreKey): AnyObject | undefined {
    return this.#objects.get(collection, namespace, name);
  }

  /** Takes the owner off its dependents, then lets it go. */
  async #orphan(node: StoreKey, owner: AnyObject): Promise<void> {
    for (const dependent of this.#dependentsOf(owner)) {
      const object = this.#objectAt(dependent);
      if (object !== undefined) await this.#dropOwners(dependent, object, new Set([owner.metadata.uid ?? ""]));
    }
    await this.#dropFinalizer(node, owner, "orphan");
  }

  async #dropOwners({ collection }: StoreKey, object: AnyObject, uids: ReadonlySet<string>): Promise<void> {
    await this.#objects.change(collection, object, (current) => {
      const kept = (current.metadata.ownerReferences ?? []).filter(({ uid }) => !uids.has(uid));
      const { ownerReferences: _, ...metadata } = current.metadata;
      return { ...current, metadata: kept.length === 0 ? metadata : { ...metadata, ownerReferences: kept } };
    });
  }

  async #dropFinalizer({ collection }: StoreKey, object: AnyObject, finalizer: string): Promise<void> {
    await this.#objects.change(collection, object, (current) => {
      const kept = (current.metadata.finalizers ?? []).filter((name) => name !== finalizer);
      const { finalizers: _, ...metadata } = current.metadata;
      return { ...current, metadata: kept.length === 0 ? metadata : { ...metadata, finalizers: kept } };
    });
  }

  #resourceOf({ apiVersion, kind }: OwnerReference): ServedResource | undefined {
    return this.#objects.core.registry.byKind(apiVersion, kind);
  }
}

const ownersOf = (object: AnyObject | undefined): readonly OwnerReference[] => object?.metadata.ownerReferences ?? [];

function needsWork({ metadata }: AnyObject): boolean {
  if (metadata.deletionTimestamp === undefined) return (metadata.ownerReferences ?? []).length > 0;
  return (metadata.finalizers ?? []).some((name) => name === "orphan" || name === "foregroundDeletion");
}

function ownerNode(resource: ServedResource, { name }: OwnerReference, namespace: string): StoreKey {
  return { collection: resource.collection, namespace: resource.namespaced ? namespace : "", name };
}

function nodeOf(collection: string, { metadata }: AnyObject): StoreKey {
  return { collection, namespace: metadata.namespace ?? "", name: metadata.name ?? "" };
}

function parseKey(key: string): StoreKey {
  const [collection = "", namespace = "", name = ""] = key.split("\u0000");
  return { collection, namespace, name };
}
