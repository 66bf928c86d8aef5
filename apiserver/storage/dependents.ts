import type { AnyObject } from "@kyma-operators/kube";
import { formatStoreKey, type StoreKey } from "./store-key.ts";

/** Which objects name an owner, by the owner's uid: so that a look at one owner costs its dependents only. */
export class Dependents {
  readonly #byOwner = new Map<string, Map<string, StoreKey>>();

  /** Follows one write: `object` is the new state, absent when it was removed. */
  track(key: StoreKey, object: AnyObject | undefined, previous: AnyObject | undefined): void {
    const owners = ownersOf(object);
    for (const uid of ownersOf(previous)) if (!owners.has(uid)) this.#forget(uid, key);
    for (const uid of owners) {
      const dependents = this.#byOwner.get(uid) ?? new Map<string, StoreKey>();
      this.#byOwner.set(uid, dependents.set(formatStoreKey(key), key));
    }
  }

  /** Where the objects that name this owner are kept. */
  of(uid: string): readonly StoreKey[] {
    return [...(this.#byOwner.get(uid)?.values() ?? [])];
  }

  #forget(uid: string, key: StoreKey): void {
    const dependents = this.#byOwner.get(uid);
    dependents?.delete(formatStoreKey(key));
    if (dependents?.size === 0) this.#byOwner.delete(uid);
  }
}

function ownersOf(object: AnyObject | undefined): ReadonlySet<string> {
  return new Set((object?.metadata.ownerReferences ?? []).map(({ uid }) => uid));
}
