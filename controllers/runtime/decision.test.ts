import { deepEqual, equal } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import type { Shoot } from "@kyma-operators/gardener";
import { annotations, type Runtime, shootMarks } from "../../apis/infrastructure/index.ts";
import { runtimeObject } from "../../testing/index.ts";
import { decide, isForced, isSuspended } from "./decision.ts";

interface Situation {
  readonly generation?: number;
  readonly applied?: string;
  readonly marks?: Record<string, string>;
  readonly state?: "Ready" | "Pending" | "Failed";
  readonly configuredFor?: number;
  readonly operation?: "Succeeded" | "Processing";
}

function situation({
  generation = 2,
  applied,
  marks = {},
  state = "Ready",
  configuredFor,
  operation = "Succeeded",
}: Situation) {
  const runtime = runtimeObject({ annotations: marks }) as unknown as Runtime;
  runtime.metadata.generation = generation;
  const configured = {
    type: "Configured",
    status: "True",
    reason: "AdministratorsConfigured",
    message: "",
    lastTransitionTime: "",
    ...(configuredFor === undefined ? {} : { observedGeneration: configuredFor }),
  } as const;
  runtime.status = { state, conditions: [configured] };
  const shoot = {
    metadata: {
      generation: 3,
      ...(applied === undefined ? {} : { annotations: { [shootMarks.runtimeGeneration]: applied } }),
    },
    status: { observedGeneration: 3, lastOperation: { type: "Reconcile", state: operation } },
  } as unknown as Shoot;
  return [runtime, shoot] as const;
}

describe("decide", () => {
  const cases: readonly (readonly [string, Situation, string])[] = [
    ["F8: patches when forced", { applied: "2", marks: { [annotations.forcePatch]: "true" } }, "patch"],
    [
      "F9: never patches while suspended, not even when forced",
      { applied: "1", marks: { [annotations.forcePatch]: "true", [annotations.suspendPatch]: "true" } },
      "rest",
    ],
    ["patches a Shoot that says nothing about us", {}, "patch"],
    ["patches when the Runtime is newer than what was applied", { applied: "1" }, "patch"],
    ["patches while an operation runs: Gardener queues", { applied: "1", operation: "Processing" }, "patch"],
    ["patches whatever the state is", { applied: "1", state: "Failed" }, "patch"],
    ["is puzzled by a generation that is no number", { applied: "two" }, "puzzled"],
    ["rests when everything is applied", { applied: "2", configuredFor: 2 }, "rest"],
    ["rests over a Runtime that was taken over", { applied: "2" }, "rest"],
    ["follows a Shoot that Gardener changes by itself", { applied: "2", operation: "Processing" }, "follow"],
    ["follows a Failed Runtime, which may recover", { applied: "2", state: "Failed" }, "follow"],
    ["goes on with the cluster after a crash between patch and status", { applied: "2", configuredFor: 1 }, "follow"],
  ];
  for (const [name, given, kind] of cases) {
    test(name, () => {
      equal(decide(...situation(given)).kind, kind);
    });
  }

  test("F10: only the value true counts", () => {
    const runtimeWith = (marks?: Record<string, string>): Runtime =>
      ({ metadata: marks === undefined ? {} : { annotations: marks } }) as unknown as Runtime;
    const values = [undefined, {}, { [annotations.forcePatch]: "yes", [annotations.suspendPatch]: "1" }];
    deepEqual(
      values.map((marks) => [isForced(runtimeWith(marks)), isSuspended(runtimeWith(marks))]),
      [
        [false, false],
        [false, false],
        [false, false],
      ],
    );
    equal(isForced(runtimeWith({ [annotations.forcePatch]: "true" })), true);
    equal(isSuspended(runtimeWith({ [annotations.suspendPatch]: "true" })), true);
  });
});
