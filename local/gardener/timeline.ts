import type { LastError, OperationState, OperationType } from "@kyma-operators/gardener";

/** One step of an operation. */
export interface Step {
  readonly progress: number;
  readonly description: string;
  /** Share of the operation's duration that passes before the next step. */
  readonly share: number;
  /** The API server of the Shoot answers from here on. */
  readonly hasApiServer?: boolean;
}

/** How long Gardener takes, in milliseconds; 0 does not wait at all. */
export interface Timings {
  readonly scheduleMs: number;
  readonly createMs: number;
  readonly reconcileMs: number;
  readonly deleteMs: number;
  /** From a failed attempt to the next one. */
  readonly retryMs: number;
}

export const noDelays: Timings = { scheduleMs: 0, createMs: 0, reconcileMs: 0, deleteMs: 0, retryMs: 0 };

const succeeded = "Shoot cluster has been successfully reconciled.";
const deleted = "Shoot cluster has been successfully deleted.";

const create: readonly Step[] = [
  { progress: 0, description: "Reconciliation of Shoot cluster initialized.", share: 0.05 },
  { progress: 9, description: "Deploying Shoot namespace, internal and external DNS records in progress", share: 0.2 },
  { progress: 40, description: "Waiting until shoot infrastructure has been reconciled in progress", share: 0.3 },
  {
    progress: 74,
    description: "Waiting until Kubernetes API server is up in progress",
    share: 0.25,
    hasApiServer: true,
  },
  { progress: 93, description: "Waiting until shoot worker nodes have been reconciled in progress", share: 0.2 },
];

const reconcile: readonly Step[] = [
  { progress: 0, description: "Reconciliation of Shoot cluster initialized.", share: 0.3 },
  { progress: 60, description: "Waiting until shoot worker nodes have been reconciled in progress", share: 0.7 },
];

const remove: readonly Step[] = [
  { progress: 0, description: "Deletion of Shoot cluster in progress.", share: 0.3 },
  { progress: 45, description: "Cleaning kubernetes resources in progress", share: 0.5 },
  { progress: 90, description: "Destroying shoot infrastructure in progress", share: 0.2 },
];

/** Steps, end and duration of an operation. */
export function timelineOf(type: OperationType, timings: Timings): Timeline {
  if (type === "Create") return { steps: create, success: succeeded, durationMs: timings.createMs };
  if (type === "Delete") return { steps: remove, success: deleted, durationMs: timings.deleteMs };
  return { steps: reconcile, success: succeeded, durationMs: timings.reconcileMs };
}

export interface Timeline {
  readonly steps: readonly Step[];
  /** Description of the end. */
  readonly success: string;
  readonly durationMs: number;
}

/** A failure to play instead of the success of one attempt. */
export interface Failure {
  /** Codes of the one error; absent: an error without a code. */
  readonly codes?: readonly string[];
  readonly description?: string;
  /** Errors as a whole, instead of `codes` and `description`. */
  readonly errors?: readonly LastError[];
  /** Absent: Failed for the codes with which Gardener gives up, Error for the others. */
  readonly state?: Extract<OperationState, "Error" | "Failed" | "Aborted">;
  /** Where the operation stops. Default 43. */
  readonly progress?: number;
}
