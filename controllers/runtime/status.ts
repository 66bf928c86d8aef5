import { timeText } from "@kyma-operators/kube";
import { type Condition, setCondition } from "@kyma-operators/runtime";
import type {
  Runtime,
  RuntimeConditionType,
  RuntimeReason,
  RuntimeStatus,
  ShootError,
} from "../../apis/infrastructure/index.ts";

/** One step as a condition says it. */
export interface Report {
  readonly type: RuntimeConditionType;
  readonly status: Condition["status"];
  readonly reason: RuntimeReason;
  readonly message: string;
}

/** The status of one Runtime during one pass: begins as observed, written at the end if it differs. */
export class StatusDraft {
  readonly #runtime: Runtime;
  readonly #now: number;
  #status: RuntimeStatus;

  constructor(runtime: Runtime, now: number) {
    this.#runtime = runtime;
    this.#now = now;
    this.#status = runtime.status ?? { state: "Pending" };
  }

  get value(): RuntimeStatus {
    return this.#status;
  }

  /** Work goes on: Pending, or Failed when the report is False. */
  pending(report: Report): void {
    this.#set(report, report.status === "False" ? "Failed" : "Pending");
  }

  /** The deletion goes on: Terminating, or Failed when the report is False. */
  deleting(report: Report): void {
    this.#set(report, report.status === "False" ? "Failed" : "Terminating");
  }

  /** Everything is applied. Only the last step says so. */
  ready(report: Report): void {
    this.#set(report, "Ready");
    this.#status = { ...this.#status, provisioningCompleted: true };
  }

  /** Only tried out: nothing is applied, so nothing is completed. */
  triedOut(report: Report): void {
    this.#set(report, report.status === "False" ? "Failed" : "Ready");
  }

  has(report: Pick<Report, "type" | "status" | "reason">): boolean {
    const found = this.#status.conditions?.find(({ type }) => type === report.type);
    return found?.status === report.status && found.reason === report.reason;
  }

  /** Notes when the running operation began, unless it runs already. */
  operationBegan(): void {
    this.#status = { ...this.#status, operationStartedAt: this.#status.operationStartedAt ?? timeText(this.#now) };
  }

  /** Forgets the running operation and answers when it began, in milliseconds since the epoch. */
  operationEnded(): number | undefined {
    const { operationStartedAt, ...rest } = this.#status;
    this.#status = rest;
    return operationStartedAt === undefined ? undefined : Date.parse(operationStartedAt);
  }

  /** Shows Gardener's errors, or none. */
  showErrors(errors: readonly ShootError[]): void {
    const { shootLastErrors: _, ...rest } = this.#status;
    this.#status = errors.length === 0 ? rest : { ...rest, shootLastErrors: errors };
  }

  #set(report: Report, state: RuntimeStatus["state"]): void {
    const generation = this.#runtime.metadata.generation;
    const next = { ...report, ...(generation === undefined ? {} : { observedGeneration: generation }) };
    const conditions = setCondition(this.#status.conditions ?? [], next, timeText(this.#now));
    this.#status = { ...this.#status, state, conditions };
  }
}

/** Conditions that say something new: each becomes an event. A new generation alone is no news. */
export function changedConditions(before: RuntimeStatus | undefined, after: RuntimeStatus): readonly Condition[] {
  const known = new Map((before?.conditions ?? []).map((condition) => [condition.type, condition]));
  return (after.conditions ?? []).filter((condition) => {
    const old = known.get(condition.type);
    return old?.status !== condition.status || old.reason !== condition.reason || old.message !== condition.message;
  });
}
