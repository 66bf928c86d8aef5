import { deepEqual, rejects } from "node:assert/strict";
import { test } from "@jest/globals";
import { runtimeErrors } from "@kyma-operators/runtime";
import { tellFailure } from "./warning-event.ts";

const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "settings" } };

async function failing(error: unknown): Promise<never> {
  throw error;
}

async function toldOf(error: unknown): Promise<readonly unknown[]> {
  const told: unknown[] = [];
  const events = { event: (_: unknown, event: unknown) => void told.push(event) };
  await rejects(
    tellFailure(failing(error), { events, regarding: object, reason: "PatchStatus" }),
    (thrown) => thrown === error,
  );
  return told;
}

test("a failure is told with the end of its text", async () => {
  deepEqual(await toldOf(new Error("x".repeat(200) + "the end")), [
    { type: "Warning", reason: "PatchStatus", note: `${"x".repeat(93)}the end` },
  ]);
});

test("what comes right by itself is no failure that people are told of", async () => {
  deepEqual(await toldOf(runtimeErrors.CHANGED({ kind: "ConfigMap", key: "settings" })), []);
  deepEqual(await toldOf(runtimeErrors.LEASE_LOST({ lease: "kyma" })), []);
  deepEqual(await toldOf(runtimeErrors.STOPPED({ what: "the manager" })), []);
});
