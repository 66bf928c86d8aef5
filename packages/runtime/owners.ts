import type { KubeObject, ObjectKey, OwnerReference } from "@kyma-operators/kube";
import { jsonEqual } from "./merge-patch.ts";
import type { Change } from "./types.ts";

/** The owner reference to put on what `owner` controls. The owner must have been read from the server. */
export function ownerReferenceTo(
  owner: KubeObject,
  options: { readonly blockDeletion?: boolean } = {},
): OwnerReference {
  return {
    apiVersion: owner.apiVersion,
    kind: owner.kind,
    name: owner.metadata.name ?? "",
    uid: owner.metadata.uid ?? "",
    controller: true,
    blockOwnerDeletion: options.blockDeletion ?? true,
  };
}

/** Map function of a watch: wakes the controlling owner of that group and kind. */
export function toOwner(owner: {
  readonly group: string;
  readonly kind: string;
}): (change: Change<KubeObject>) => readonly ObjectKey[] {
  return ({ object }) => {
    const reference = object.metadata.ownerReferences?.find((candidate) => candidate.controller === true);
    if (reference === undefined || reference.kind !== owner.kind) return [];
    const slash = reference.apiVersion.indexOf("/");
    const group = slash < 0 ? "" : reference.apiVersion.slice(0, slash);
    return group === owner.group ? [{ namespace: object.metadata.namespace ?? "", name: reference.name }] : [];
  };
}

/** Predicate of a watch: drops updates of the status alone, which are mostly our own. */
export function specChanged(change: Change<KubeObject>): boolean {
  if (change.type !== "updated") return true;
  const [a, b] = [change.old.metadata, change.object.metadata];
  return (
    a.generation !== b.generation ||
    a.deletionTimestamp !== b.deletionTimestamp ||
    !jsonEqual(a.labels, b.labels) ||
    !jsonEqual(a.annotations, b.annotations) ||
    !jsonEqual(a.finalizers, b.finalizers)
  );
}
