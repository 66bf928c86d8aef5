import type { AnyObject } from "@kyma-operators/kube";
import { fieldProblem } from "../../api-error.ts";
import { timestamp } from "../../system-clock.ts";
import type { Strategy } from "../resource.ts";
import { valueAt } from "./edit.ts";

/** Keeps a claim while a Pod uses it. */
export const claimFinalizer = "kubernetes.io/pvc-protection";
/** Keeps a volume while a claim is bound to it. */
export const volumeFinalizer = "kubernetes.io/pv-protection";

function withFinalizer(object: AnyObject, finalizer: string): AnyObject {
  const { finalizers = [] } = object.metadata;
  if (finalizers.includes(finalizer)) return object;
  return { ...object, metadata: { ...object.metadata, finalizers: [...finalizers, finalizer] } };
}

/** Claims and volumes start Pending, and are not taken away from those who use them. */
export const storageStrategies: Readonly<Record<string, Partial<Strategy>>> = {
  "/persistentvolumeclaims": {
    prepareCreate: (claim) => ({ ...withFinalizer(claim, claimFinalizer), status: { phase: "Pending" } }),
    validate: (claim) =>
      valueAt(claim, "spec", "resources", "requests", "storage") === undefined
        ? [fieldProblem("FieldValueRequired", "spec.resources[storage]", "")]
        : [],
  },
  "/persistentvolumes": {
    prepareCreate: (volume, { now }) => ({
      ...withFinalizer(volume, volumeFinalizer),
      status: { phase: "Pending", lastPhaseTransitionTime: timestamp(now) },
    }),
  },
};
