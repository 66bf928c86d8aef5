import type { KubeObject } from "@kyma-operators/kube";
import type { Change } from "@kyma-operators/runtime";
import { LRUCache } from "lru-cache";
import type { Condition } from "../apis/operator/object.ts";

/** An object of ours as far as its conditions go. */
interface Conditioned extends KubeObject {
  readonly status?: { readonly conditions?: readonly Condition[] };
}

const mostObjects = 2000;
const mostPerObject = 30;

/**
 * The conditions that objects have had since this process watches them.
 *
 * An object only carries the last transition of each condition; this remembers the ones before, for a bounded number
 * of objects, those that changed last.
 */
export class ConditionHistory {
  readonly #past = new LRUCache<string, readonly Condition[]>({ max: mostObjects });

  /** Takes the conditions that a change has replaced. */
  record(change: Change<KubeObject>): void {
    if (change.type === "added") return;
    const key = keyOf(change.object.kind, change.object.metadata.name ?? "");
    if (change.type === "deleted") this.#past.delete(key);
    else this.#replaced(key, change.old, change.object);
  }

  /** Past conditions of an object, the oldest first. */
  of(kind: string, name: string): readonly Condition[] {
    return this.#past.get(keyOf(kind, name)) ?? [];
  }

  #replaced(key: string, old: Conditioned, next: Conditioned): void {
    const before = old.status?.conditions;
    const now = next.status?.conditions ?? [];
    if (before === undefined || before === now) return;
    const gone = before.filter(
      ({ type, status }) => now.find((condition) => condition.type === type)?.status !== status,
    );
    if (gone.length > 0) this.#past.set(key, [...(this.#past.get(key) ?? []), ...gone].slice(-mostPerObject));
  }
}

function keyOf(kind: string, name: string): string {
  return `${kind}/${name}`;
}
