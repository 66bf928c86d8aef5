import type { AnyObject } from "@kyma-operators/kube";
import type { Objects } from "../controllers/objects.ts";
import { type Fields, valueAt } from "../resources/kinds/edit.ts";
import { runController } from "./controller.ts";

const claims = "/persistentvolumeclaims";

/** Binds every claim to a volume of its own that holds nothing. */
export function runClaimController(objects: Objects): () => void {
  return runController(objects, {
    collection: claims,
    kind: "PersistentVolumeClaim",
    owned: [],
    sync: async (claim) => {
      if (claim.metadata.deletionTimestamp === undefined && valueAt(claim, "status", "phase") !== "Bound")
        await bind(objects, claim);
      return undefined;
    },
  });
}

async function bind(objects: Objects, claim: AnyObject): Promise<void> {
  const volumeName = valueAt(claim, "spec", "volumeName") ?? `pvc-${claim.metadata.uid}`;
  await objects.change(claims, claim, (current) => ({ ...current, spec: { ...(current.spec as Fields), volumeName } }));
  await objects.changeStatus(claims, claim, () => ({
    phase: "Bound",
    accessModes: valueAt(claim, "spec", "accessModes") ?? ["ReadWriteOnce"],
    capacity: { storage: valueAt(claim, "spec", "resources", "requests", "storage") ?? "1Gi" },
  }));
}
