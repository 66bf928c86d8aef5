import { deepEqual, equal } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import type { Runtime } from "../../apis/infrastructure/index.ts";
import { changedConditions, StatusDraft } from "./status.ts";

const runtime = { metadata: { generation: 2 } } as unknown as Runtime;
const now = Date.parse("2026-01-05T10:00:00Z");
const report = { type: "Provisioned", reason: "Processing", message: "m" } as const;

describe("StatusDraft", () => {
  test("False fails a Runtime, anything else leaves it Pending", () => {
    const draft = new StatusDraft(runtime, now);
    draft.pending({ ...report, status: "Unknown" });
    equal(draft.value.state, "Pending");
    draft.pending({ ...report, status: "True" });
    equal(draft.value.state, "Pending");
    draft.pending({ ...report, status: "False" });
    equal(draft.value.state, "Failed");
  });

  test("a deletion is Terminating until it fails", () => {
    const draft = new StatusDraft(runtime, now);
    draft.deleting({ ...report, type: "Deprovisioned", status: "Unknown" });
    equal(draft.value.state, "Terminating");
    draft.deleting({ ...report, type: "Deprovisioned", status: "False" });
    equal(draft.value.state, "Failed");
  });

  test("provisioningCompleted comes with the first Ready and stays", () => {
    const draft = new StatusDraft(runtime, now);
    draft.ready({ ...report, type: "Configured", status: "True" });
    draft.pending({ ...report, status: "False" });
    equal(draft.value.provisioningCompleted, true);
  });

  test("says for which generation a step was done", () => {
    const draft = new StatusDraft(runtime, now);
    draft.pending({ ...report, status: "True" });
    deepEqual(draft.value.conditions, [
      { ...report, status: "True", observedGeneration: 2, lastTransitionTime: "2026-01-05T10:00:00Z" },
    ]);
  });

  test("an operation keeps its begin until it has ended", () => {
    const draft = new StatusDraft(
      { ...runtime, status: { state: "Pending", operationStartedAt: "2026-01-05T09:00:00Z" } },
      now,
    );
    draft.operationBegan();
    equal(draft.value.operationStartedAt, "2026-01-05T09:00:00Z");
    equal(draft.operationEnded(), now - 3_600_000);
    equal(draft.operationEnded(), undefined);
  });

  test("Gardener's errors come and go", () => {
    const draft = new StatusDraft(runtime, now);
    draft.showErrors([{ description: "d" }]);
    deepEqual(draft.value.shootLastErrors, [{ description: "d" }]);
    draft.showErrors([]);
    equal("shootLastErrors" in draft.value, false);
  });
});

test("only conditions that say something new become events", () => {
  const before = new StatusDraft(runtime, now);
  before.pending({ ...report, status: "True" });
  const after = new StatusDraft({ metadata: { generation: 3 }, status: before.value } as unknown as Runtime, now);
  after.pending({ ...report, status: "True" });
  deepEqual(changedConditions(before.value, after.value), []);
  after.pending({ ...report, status: "Unknown" });
  deepEqual(
    changedConditions(before.value, after.value).map(({ status }) => status),
    ["Unknown"],
  );
});
