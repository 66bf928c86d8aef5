import type { AnyObject } from "@kyma-operators/kube";
import { type FieldProblem, fieldProblem } from "../../api-error.ts";
import { timestamp } from "../../system-clock.ts";
import type { Strategy } from "../resource.ts";
import { problemsOf } from "./checks.ts";
import { valueAt } from "./edit.ts";
import { claim as claimFields } from "./policy-checks.ts";

/** Keeps a claim while a Pod uses it. */
export const claimFinalizer = "kubernetes.io/pvc-protection";
/** Keeps a volume while a claim is bound to it. */
export const volumeFinalizer = "kubernetes.io/pv-protection";

function withFinalizer(object: AnyObject, finalizer: string): AnyObject {
  const { finalizers = [] } = object.metadata;
  if (finalizers.includes(finalizer)) return object;
  return { ...object, metadata: { ...object.metadata, finalizers: [...finalizers, finalizer] } };
}

/** The problems of a claim's spec, also inside a StatefulSet. */
export function claimProblems(spec: unknown, path: string): readonly FieldProblem[] {
  return [
    ...problemsOf(claimFields, spec ?? {}, path),
    ...(valueAt(spec, "resources", "requests", "storage") === undefined
      ? [fieldProblem("FieldValueRequired", `${path}.resources[storage]`, "")]
      : []),
  ];
}

/** Claims and volumes start Pending, and are not taken away from those who use them. */
export const storageStrategies: Readonly<Record<string, Partial<Strategy>>> = {
  "/persistentvolumeclaims": {
    prepareCreate: (claim) => ({ ...withFinalizer(claim, claimFinalizer), status: { phase: "Pending" } }),
    validate: (claim) => claimProblems(claim.spec, "spec"),
  },
  "/persistentvolumes": {
    prepareCreate: (volume, { now }) => ({
      ...withFinalizer(volume, volumeFinalizer),
      status: { phase: "Pending", lastPhaseTransitionTime: timestamp(now) },
    }),
  },
};
