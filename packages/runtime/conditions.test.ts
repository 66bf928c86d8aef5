import { deepEqual, equal } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import { type Condition, conditionOf, setCondition } from "./conditions.ts";

const [then, now] = ["2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"];
const ready: Condition = {
  type: "Ready",
  status: "False",
  reason: "Waiting",
  message: "for a",
  lastTransitionTime: then,
};
const other: Condition = { ...ready, type: "Other" };

describe("setCondition", () => {
  const next = { type: "Ready", status: "False", reason: "Waiting", message: "for a" } as const;
  const cases = [
    { name: "appends a new type with the time of the pass", set: { ...next, type: "New" }, at: 2, time: now },
    {
      name: "keeps the transition time when only the message changes",
      set: { ...next, message: "for b" },
      at: 1,
      time: then,
    },
    { name: "keeps it when only the reason changes", set: { ...next, reason: "Slow" }, at: 1, time: then },
    { name: "moves it when the status changes", set: { ...next, status: "True" as const }, at: 1, time: now },
    { name: "keeps it when only the generation changes", set: { ...next, observedGeneration: 2 }, at: 1, time: then },
  ];
  for (const { name, set, at, time } of cases) {
    test(name, () => {
      const before = [other, ready];
      const after = setCondition(before, set, now);
      deepEqual(after[at], { ...set, lastTransitionTime: time });
      equal(after[0], other);
      deepEqual(before, [other, ready]);
    });
  }

  test("gives the same array when nothing differs", () => {
    const conditions = [other, ready];
    equal(setCondition(conditions, next, now), conditions);
  });
});

test("conditionOf finds by type", () => {
  equal(conditionOf([other, ready], "Ready"), ready);
  equal(conditionOf([other], "Ready"), undefined);
});
