import {
  codesOf,
  isRetryable,
  type LastError,
  type LastOperation,
  type OperationType,
  type Shoot,
} from "@kyma-operators/gardener";
import type { RuntimeReason } from "../../apis/infrastructure/index.ts";

/** Longest times of an operation before the Runtime says that it is stuck, in milliseconds. */
export interface Timeouts {
  readonly provisioningMs: number;
  readonly updateMs: number;
}

export interface OperationInput {
  readonly shoot: Shoot;
  /** When the operation began, in milliseconds since the epoch. */
  readonly startedAt: number;
  readonly now: number;
  readonly timeouts: Timeouts;
  /** Retries that were asked for since `startedAt`. */
  readonly retries: number;
}

/** What an operation of Gardener means for its Runtime. */
export type Verdict =
  | { readonly kind: "succeeded"; readonly type: "Create" | "Reconcile" }
  | {
      readonly kind: "pending";
      readonly reason: RuntimeReason;
      readonly message: string;
      /** Ask Gardener to try again now. */
      readonly retry?: true;
      /** When to look again although nothing changed, in milliseconds since the epoch. */
      readonly lookAt: number;
    }
  | {
      readonly kind: "failed";
      readonly reason: "CreationErr" | "ProcessingErr";
      readonly message: string;
      /** Nothing gets better until a person acts; otherwise Gardener goes on, and a late success still counts. */
      readonly isFinal: boolean;
    }
  /** Nothing that this manager started: a deletion by somebody else. */
  | { readonly kind: "foreign" };

const minuteMs = 60_000;
/** Pauses before the first, second, … request to try again. */
const retryPausesMs = [1, 2, 5, 10, 20].map((minutes) => minutes * minuteMs);
/** A Shoot that no Seed takes is called a failure after this time. */
const schedulingMs = 10 * minuteMs;
const schedulingPrefix = "Failed to schedule Shoot:";
const noProvider = /^Failed to schedule Shoot: none out of the \d+ seeds has a matching provider for /;

/** Words and reasons of the two operations that a Runtime goes through. */
const wordings = {
  Create: {
    pending: { reason: "Pending", message: "Shoot creation in progress" },
    retryable: { reason: "Pending", message: "Retryable gardener errors during cluster provisioning" },
    failed: "CreationErr",
    noun: "Shoot creation",
  },
  Reconcile: {
    pending: { reason: "Processing", message: "Shoot update is in progress" },
    retryable: { reason: "Pending", message: "Retryable gardener errors during cluster reconcile" },
    failed: "ProcessingErr",
    noun: "Shoot update",
  },
} as const;

const kinds: ReadonlyMap<OperationType, keyof typeof wordings> = new Map([
  ["Create", "Create"],
  ["Reconcile", "Reconcile"],
  ["Migrate", "Reconcile"],
  ["Restore", "Reconcile"],
  ["LiveMigrate", "Reconcile"],
]);

/** True while Gardener has not looked at the newest generation of a Shoot. */
export function isAhead({ metadata, status }: Shoot): boolean {
  const observed = status?.observedGeneration;
  return observed !== undefined && (metadata.generation ?? 0) > observed;
}

/**
 * Judges the last operation of a Shoot by what is written there and by the time, never by what was judged before: so a
 * restart changes nothing, and a Shoot that recovers takes its Runtime along.
 */
export function judgeOperation(input: OperationInput): Verdict {
  const operation = input.shoot.status?.lastOperation;
  const kind = operation === undefined ? "Create" : kinds.get(operation.type);
  if (kind === undefined) return { kind: "foreign" };
  const verdict = operation === undefined || isAhead(input.shoot) ? undefined : judgeState(kind, operation, input);
  const pending = { kind: "pending", ...wordings[kind].pending, lookAt: deadlineOf(kind, input) } as const;
  return verdict ?? withinDeadline(kind, input) ?? pending;
}

function judgeState(kind: Kind, operation: LastOperation, input: OperationInput): Verdict | undefined {
  if (operation.state === "Succeeded") return { kind: "succeeded", type: kind };
  if (operation.state === "Failed") return judgeFailure(kind, operation, input);
  const isScheduling = kind === "Create" && operation.description.startsWith(schedulingPrefix);
  return isScheduling ? judgeScheduling(operation, input) : undefined;
}

type Kind = keyof typeof wordings;

function judgeScheduling({ description }: LastOperation, input: OperationInput): Verdict {
  if (noProvider.test(description)) return failed("Create", "Shoot creation failed, no matching seeds");
  const giveUpAt = Math.min(deadlineOf("Create", input), input.startedAt + schedulingMs);
  if (input.now >= giveUpAt) return failed("Create", `Shoot creation failed: ${description}`);
  return { kind: "pending", reason: "Pending", message: `Shoot is pending: ${description}`, lookAt: giveUpAt };
}

function judgeFailure(kind: Kind, operation: LastOperation, input: OperationInput): Verdict {
  const errors = input.shoot.status?.lastErrors ?? [];
  if (!isRetryable(errors)) return failed(kind, failureText(kind, errors), true);
  const pause = retryPausesMs[input.retries];
  const deadline = deadlineOf(kind, input);
  const retryAt = pause === undefined ? deadline : Date.parse(operation.lastUpdateTime) + pause;
  const isDue = input.now >= retryAt;
  const pending = { kind: "pending", ...wordings[kind].retryable } as const;
  const next = isDue
    ? { ...pending, retry: true as const, lookAt: deadline }
    : { ...pending, lookAt: Math.min(retryAt, deadline) };
  return withinDeadline(kind, input) ?? next;
}

function failureText(kind: Kind, errors: readonly LastError[]): string {
  return kind === "Create" ? "Shoot creation failed" : codesOf(errors).join(", ") || "Shoot update failed";
}

function deadlineOf(kind: Kind, { startedAt, timeouts }: OperationInput): number {
  return startedAt + (kind === "Create" ? timeouts.provisioningMs : timeouts.updateMs);
}

/** Undefined while there is time; otherwise the failure that names the time and what Gardener said last. */
function withinDeadline(kind: Kind, input: OperationInput): Verdict | undefined {
  const deadline = deadlineOf(kind, input);
  if (input.now < deadline) return undefined;
  const minutes = Math.round((deadline - input.startedAt) / minuteMs);
  const description = input.shoot.status?.lastOperation?.description ?? "nothing";
  return failed(kind, `${wordings[kind].noun} did not end within ${minutes}m, Gardener says: ${description}`);
}

function failed(kind: Kind, message: string, isFinal = false): Verdict {
  return { kind: "failed", reason: wordings[kind].failed, message, isFinal };
}
