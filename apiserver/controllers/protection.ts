import type { AnyObject } from "@kyma-operators/kube";
import { listAt, valueAt } from "../resources/kinds/edit.ts";
import { claimFinalizer, volumeFinalizer } from "../resources/kinds/storage.ts";
import { runController } from "../workload/controller.ts";
import { isFinished } from "../workload/pod-state.ts";
import type { Objects } from "./objects.ts";

/** Lets go of deleted claims that no Pod uses, and of deleted volumes that no claim is bound to. */
export function runProtectionController(objects: Objects): () => void {
  const stopClaims = runController(objects, {
    collection: "/persistentvolumeclaims",
    kind: "PersistentVolumeClaim",
    owned: [],
    related: { collection: "/pods", isFor: isUsedBy },
    sync: async (claim) => {
      if (isLeaving(claim) && !isInUse(objects, claim))
        await release(objects, "/persistentvolumeclaims", claim, claimFinalizer);
      return undefined;
    },
  });
  const stopVolumes = runController(objects, {
    collection: "/persistentvolumes",
    kind: "PersistentVolume",
    owned: [],
    related: { collection: "/persistentvolumeclaims", isFor: isBoundTo },
    sync: async (volume) => {
      const claims = objects.list("/persistentvolumeclaims");
      if (isLeaving(volume) && !claims.some((claim) => isBoundTo(volume, claim)))
        await release(objects, "/persistentvolumes", volume, volumeFinalizer);
      return undefined;
    },
  });
  return () => {
    stopClaims();
    stopVolumes();
  };
}

const isLeaving = ({ metadata }: AnyObject): boolean => metadata.deletionTimestamp !== undefined;

function isInUse(objects: Objects, claim: AnyObject): boolean {
  return objects.list("/pods", claim.metadata.namespace).some((pod) => !isFinished(pod) && isUsedBy(claim, pod));
}

function isBoundTo({ metadata: { name } }: AnyObject, claim: AnyObject): boolean {
  return valueAt(claim, "spec", "volumeName") === name;
}

function isUsedBy({ metadata: { name } }: AnyObject, pod: AnyObject): boolean {
  return listAt(pod, "spec", "volumes").some(
    (volume) => valueAt(volume, "persistentVolumeClaim", "claimName") === name,
  );
}

async function release(objects: Objects, collection: string, object: AnyObject, finalizer: string): Promise<void> {
  await objects.change(collection, object, (current) => {
    const { finalizers = [], ...metadata } = current.metadata;
    if (!finalizers.includes(finalizer)) return current;
    const kept = finalizers.filter((name) => name !== finalizer);
    return { ...current, metadata: kept.length === 0 ? metadata : { ...metadata, finalizers: kept } };
  });
}
