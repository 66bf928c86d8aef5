import { deepEqual, equal, ok } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import { type Clock, createClient, transportFrom } from "@kyma-operators/kube";
import { fakeIo } from "../testing.ts";
import { awaitDeployment, failureOf } from "./rollout.ts";

const waiting = { reason: "CrashLoopBackOff", message: "back-off 10s" };

/** Messages of the failures of a Pod whose container ended before. */
function messages(terminated?: object): readonly string[] {
  const lastState = terminated === undefined ? {} : { terminated };
  const status = { containerStatuses: [{ state: { waiting }, lastState }] };
  return failureOf({ apiVersion: "v1", kind: "Pod", metadata: { name: "a" }, status }).map(({ message }) => message);
}

describe("a container that crashes is told with its cause", () => {
  test("as its last line says it", () => {
    const message = "starting\nError: unknown flag --x\n";
    deepEqual(messages({ exitCode: 4, reason: "Error", message }), [
      "back-off 10s; exit code 4: Error: unknown flag --x",
    ]);
  });

  test("as the line says it that names the error, before what tells where it came from", () => {
    const message = "a.js:1\n\nTypeError: x is no function\n    at onError (a.js:1)\n\nNode.js v24.0.0\n";
    deepEqual(messages({ exitCode: 1, reason: "Error", message }), [
      "back-off 10s; exit code 1: TypeError: x is no function",
    ]);
  });

  test("with the reason of a kubelet that ended it", () => {
    deepEqual(messages({ exitCode: 137, reason: "OOMKilled" }), ["back-off 10s; exit code 137 (OOMKilled)"]);
  });

  test("without secrets, and not longer than a terminal can bear", () => {
    deepEqual(messages({ exitCode: 1, message: "Error: https://user:hunter2@example.org refused, token=abc" }), [
      "back-off 10s; exit code 1: Error: https://[redacted]@example.org refused, token=[redacted]",
    ]);
    deepEqual(messages({ exitCode: 1, message: `error ${"word ".repeat(300)}` }), [
      `back-off 10s; exit code 1: error ${"word ".repeat(300).slice(0, 494)}…`,
    ]);
  });

  test("or as the kubelet alone says it before a run has ended", () => {
    deepEqual(messages(), ["back-off 10s"]);
  });
});

/** Waits for a Deployment on a clock that moves by the waiting alone; answers after how many milliseconds it ended. */
async function waitFor(at: (now: number) => { readonly pods: readonly object[]; readonly status?: object }) {
  let now = 0;
  const sleep = async (delayMs: number): Promise<void> => {
    now += delayMs;
  };
  const clock: Clock = { now: () => now, sleep, after: () => () => undefined };
  const transport = transportFrom(async ({ path }) => ({
    status: 200,
    headers: { "content-type": "application/json" },
    body: bodyOf(path.includes("/pods") ? podList(at(now).pods) : { ...deployment, status: at(now).status ?? {} }),
  }));
  const client = createClient({ clock, userAgent: "test", transport });
  const world = { io: { ...fakeIo(), clock }, client, deadline: 600_000 };
  const failure = await awaitDeployment(world, { namespace: "a", name: "b" }, () => undefined).catch(
    (error: unknown) => error as { readonly code?: string },
  );
  return { code: failure?.code, afterMs: now };
}

test("a container that runs for a moment between its crashes is given up as soon as one that never runs", async () => {
  const { code, afterMs } = await waitFor((now) => ({ pods: [crashing(now)] }));
  deepEqual([code, afterMs], ["DEPLOY_POD_FAILED", 62_000]);
});

test("Pods of the template before may crash while new ones come up", async () => {
  const { code, afterMs } = await waitFor((now) => ({
    pods: [
      { ...crashing(now), metadata: podMetadata("old", "2026-01-01T00:00:00Z") },
      { metadata: podMetadata("new", "2026-01-01T01:00:00Z"), status: {} },
    ],
    status: now < 90_000 ? {} : { updatedReplicas: 1, availableReplicas: 1 },
  }));
  equal(code, undefined);
  ok(afterMs >= 90_000);
});

const deployment = { apiVersion: "apps/v1", kind: "Deployment", metadata: { namespace: "a", name: "b" } };

/** A Pod whose container runs for two seconds of twelve. */
function crashing(now: number): object {
  const state = now % 12_000 < 2_000 ? { running: {} } : { waiting };
  const lastState = now === 0 ? {} : { terminated: { exitCode: 1 } };
  return { metadata: { name: "b-1" }, status: { containerStatuses: [{ ready: false, state, lastState }] } };
}

const podMetadata = (template: string, creationTimestamp: string): object => ({
  name: `b-${template}`,
  labels: { "pod-template-hash": template },
  creationTimestamp,
});

const podList = (items: readonly object[]): object => ({ apiVersion: "v1", kind: "PodList", metadata: {}, items });

async function* bodyOf(object: object): AsyncIterable<Uint8Array> {
  yield Buffer.from(JSON.stringify(object));
}
