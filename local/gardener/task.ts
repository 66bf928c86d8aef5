import {
  gardenerAnnotations,
  type OperationState,
  type OperationType,
  type Shoot,
  type ShootStatus,
} from "@kyma-operators/gardener";
import type { AnyObject } from "@kyma-operators/kube";

export const shootFinalizer = "gardener";

export type GardenShoot = Shoot & AnyObject;

/** One thing to do with a Shoot; afterwards it is looked at again. */
export type Task =
  | { readonly kind: "schedule" | "claim" | "maintain" | "forget" }
  | { readonly kind: "operate"; readonly type: OperationType };

/** What a Shoot needs next; undefined when it needs nothing. */
export function nextTask(shoot: GardenShoot): Task | undefined {
  const { metadata, spec, status } = shoot;
  const hasFinalizer = metadata.finalizers?.includes(shootFinalizer) === true;
  if (metadata.deletionTimestamp !== undefined) return deletionTask(shoot, hasFinalizer);
  if (spec.seedName === undefined) return { kind: "schedule" };
  if (!hasFinalizer) return { kind: "claim" };
  if (metadata.annotations?.[gardenerAnnotations.operation] === "maintain") return { kind: "maintain" };
  const type = isCreated(status) ? "Reconcile" : "Create";
  return isDue(shoot) ? { kind: "operate", type } : undefined;
}

function deletionTask(shoot: GardenShoot, hasFinalizer: boolean): Task | undefined {
  if (!hasFinalizer) return undefined;
  const operation = shoot.status?.lastOperation;
  const isForced = shoot.metadata.annotations?.[gardenerAnnotations.confirmForceDeletion] === "true";
  if (isForced) return { kind: "forget" };
  if (operation?.type !== "Delete" || isDue(shoot)) return { kind: "operate", type: "Delete" };
  return operation.state === "Succeeded" ? { kind: "forget" } : undefined;
}

const unfinished: ReadonlySet<OperationState> = new Set(["Processing", "Pending", "Error", "Aborted"]);

/** A new generation, or an operation that did not come to its end. */
function isDue({ metadata, status }: GardenShoot): boolean {
  const state = status?.lastOperation?.state;
  return metadata.generation !== status?.observedGeneration || state === undefined || unfinished.has(state);
}

/** The type is Create until a creation has succeeded. */
function isCreated(status: ShootStatus | undefined): boolean {
  const operation = status?.lastOperation;
  return operation !== undefined && (operation.type !== "Create" || operation.state === "Succeeded");
}
