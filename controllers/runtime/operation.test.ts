import { deepEqual, equal, match } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import type { LastError, LastOperation, Shoot } from "@kyma-operators/gardener";
import { judgeOperation, type OperationInput, type Verdict } from "./operation.ts";

const minute = 60_000;
const now = Date.parse("2026-01-05T10:00:00Z");
const timeouts = { provisioningMs: 60 * minute, updateMs: 120 * minute };

interface Given {
  readonly operation?: Partial<LastOperation>;
  readonly errors?: readonly LastError[];
  /** Generations that Gardener has not looked at. */
  readonly ahead?: number;
  readonly minutes?: number;
  readonly retries?: number;
}

function judge({ operation, errors = [], ahead = 0, minutes = 1, retries = 0 }: Given): Verdict {
  const lastOperation = operation && {
    type: "Create",
    state: "Processing",
    progress: 1,
    description: "works",
    lastUpdateTime: new Date(now - minute).toISOString(),
    ...operation,
  };
  const shoot = {
    metadata: { generation: 2 + ahead },
    status: { observedGeneration: 2, lastErrors: errors, lastOperation },
  };
  const input: Omit<OperationInput, "shoot"> = { startedAt: now - minutes * minute, now, timeouts, retries };
  return judgeOperation({ ...input, shoot: shoot as unknown as Shoot });
}

const summaryOf = (verdict: Verdict): string =>
  verdict.kind === "pending" || verdict.kind === "failed"
    ? `${verdict.kind} ${verdict.reason}: ${verdict.message}`
    : verdict.kind;

const quota: LastError = { description: "quota", codes: ["ERR_INFRA_QUOTA_EXCEEDED"] };
const unauthorized: LastError = { description: "denied", codes: ["ERR_INFRA_UNAUTHORIZED"] };

describe("judgeOperation", () => {
  const creating = "pending Pending: Shoot creation in progress";
  const updating = "pending Processing: Shoot update is in progress";
  const reconcile = "Reconcile" as const;
  const cases: readonly (readonly [string, Given, string])[] = [
    ["a Shoot without an operation is being created", {}, creating],
    ["creation: Processing", { operation: {} }, creating],
    ["creation: Pending", { operation: { state: "Pending" } }, creating],
    ["creation: Aborted", { operation: { state: "Aborted" } }, creating],
    ["creation: Error, which Gardener retries by itself", { operation: { state: "Error" } }, creating],
    ["creation: Succeeded", { operation: { state: "Succeeded" } }, "succeeded"],
    [
      "creation: Failed for good",
      { operation: { state: "Failed" }, errors: [unauthorized] },
      "failed CreationErr: Shoot creation failed",
    ],
    [
      "creation: Failed without any error",
      { operation: { state: "Failed" } },
      "failed CreationErr: Shoot creation failed",
    ],
    [
      "creation: Failed, but another try may help",
      { operation: { state: "Failed" }, errors: [quota], minutes: 0 },
      "pending Pending: Retryable gardener errors during cluster provisioning",
    ],
    ["update: Processing", { operation: { type: reconcile } }, updating],
    ["update: Error", { operation: { type: reconcile, state: "Error" } }, updating],
    ["update: Succeeded", { operation: { type: reconcile, state: "Succeeded" } }, "succeeded"],
    [
      "update: Failed for good names all codes",
      { operation: { type: reconcile, state: "Failed" }, errors: [unauthorized, quota] },
      "failed ProcessingErr: ERR_INFRA_UNAUTHORIZED, ERR_INFRA_QUOTA_EXCEEDED",
    ],
    ["a migration counts as an update", { operation: { type: "Migrate" } }, updating],
    ["a deletion by somebody else is not ours", { operation: { type: "Delete" } }, "foreign"],
    [
      "an end of an older generation is none",
      { operation: { type: reconcile, state: "Succeeded" }, ahead: 1 },
      updating,
    ],
    [
      "a failure of an older generation is none",
      { operation: { type: reconcile, state: "Failed" }, ahead: 1 },
      updating,
    ],
    [
      "no seed of the provider fails at once",
      {
        operation: {
          state: "Pending",
          description: 'Failed to schedule Shoot: none out of the 3 seeds has a matching provider for "aws"',
        },
      },
      "failed CreationErr: Shoot creation failed, no matching seeds",
    ],
    [
      "any other scheduling problem is shown",
      { operation: { state: "Pending", description: "Failed to schedule Shoot: none has 3 zones" } },
      "pending Pending: Shoot is pending: Failed to schedule Shoot: none has 3 zones",
    ],
    [
      "and a failure after ten minutes",
      { operation: { state: "Pending", description: "Failed to schedule Shoot: none has 3 zones" }, minutes: 10 },
      "failed CreationErr: Shoot creation failed: Failed to schedule Shoot: none has 3 zones",
    ],
    [
      "a creation that takes too long",
      { operation: {}, minutes: 60 },
      "failed CreationErr: Shoot creation did not end within 60m, Gardener says: works",
    ],
    [
      "an update that takes too long",
      { operation: { type: reconcile }, minutes: 120 },
      "failed ProcessingErr: Shoot update did not end within 120m, Gardener says: works",
    ],
    ["a late success is a success", { operation: { state: "Succeeded" }, minutes: 600 }, "succeeded"],
  ];
  for (const [name, given, summary] of cases) {
    test(name, () => {
      equal(summaryOf(judge(given)), summary);
    });
  }

  test("retries wait 1, 2, 5, 10 and 20 minutes after the failure", () => {
    const asks = [1, 2, 5, 10, 20].map((pause, retries) => {
      const failedAt = (ago: number): Given => ({
        operation: { state: "Failed", lastUpdateTime: new Date(now - ago * minute).toISOString() },
        errors: [quota],
        retries,
      });
      const [early, due] = [judge(failedAt(pause - 0.1)), judge(failedAt(pause))];
      return [early, due].map((verdict) => verdict.kind === "pending" && verdict.retry === true);
    });
    deepEqual(
      asks,
      Array.from({ length: 5 }, () => [false, true]),
    );
  });

  test("no sixth retry is asked for; the time that is left runs out", () => {
    const given: Given = {
      operation: { state: "Failed", lastUpdateTime: new Date(now - 50 * minute).toISOString() },
      errors: [quota],
      retries: 5,
    };
    const waiting = judge({ ...given, minutes: 55 });
    equal(waiting.kind === "pending" && waiting.retry, undefined);
    match(summaryOf(judge({ ...given, minutes: 60 })), /^failed CreationErr: Shoot creation did not end within 60m/);
  });
});
