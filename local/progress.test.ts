import { deepEqual, equal } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import type { Observed } from "../apis/progress.ts";
import { firstBlocker, progressRows } from "./progress.ts";

const now = Date.parse("2026-01-01T00:00:10Z");
const kyma = (status: Observed["status"], deletionTimestamp?: string): Observed => ({
  kind: "Kyma",
  metadata: {
    name: "demo",
    namespace: "kcp-system",
    creationTimestamp: "2026-01-01T00:00:00Z",
    ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
  },
  ...(status === undefined ? {} : { status }),
});
const note = (text: string, time: string) => ({
  kind: "Kyma",
  namespace: "kcp-system",
  name: "demo",
  note: text,
  time,
});

describe("progress", () => {
  const cases = [
    { name: "an object without status is Pending", object: kyma(undefined), state: "Pending", blocker: "" },
    {
      name: "Ready has no blocker",
      object: kyma({ state: "Ready", lastOperation: { operation: "kyma is ready" } }),
      state: "Ready",
      blocker: "",
    },
    {
      name: "a module's message comes before a condition",
      object: kyma({
        state: "Error",
        modules: [{ name: "a", state: "Error", message: "not\n found" }],
        conditions: [{ type: "Modules", status: "False", message: "not all" }],
      }),
      state: "Error",
      blocker: "a: not found",
    },
    {
      name: "the first open condition is named",
      object: kyma({
        state: "Processing",
        conditions: [
          { type: "A", status: "True", message: "x" },
          { type: "B", status: "Unknown", message: "y" },
        ],
      }),
      state: "Processing",
      blocker: "B: y",
    },
    {
      name: "deletion wins over the state",
      object: kyma({ state: "Ready" }, "2026-01-01T00:00:05Z"),
      state: "Deleting",
      blocker: "",
    },
  ];
  for (const { name, object, state, blocker } of cases) {
    test(name, () => {
      deepEqual(progressRows([object], [], now), [
        { kind: "Kyma", name: "demo", state, ready: state === "Ready", ageSeconds: 10, blocker },
      ]);
    });
  }

  test("the newest warning event is the blocker", () => {
    const warnings = [note("old", "2026-01-01T00:00:01Z"), note("new", "2026-01-01T00:00:02Z")];
    equal(progressRows([kyma({ state: "Error" })], warnings, now)[0]?.blocker, "new");
  });

  test("the first blocker names kind, name, state and cause", () => {
    const rows = progressRows([kyma({ state: "Ready" }), kyma({ state: "Error" })], [note("no template", "")], now);
    equal(firstBlocker(rows), "Kyma demo is Error: no template");
    equal(firstBlocker(rows.slice(0, 1)), undefined);
  });
});
