import { deepEqual, equal } from "node:assert/strict";
import { afterEach, describe, test } from "@jest/globals";
import type { AnyObject } from "@kyma-operators/kube";
import { FakeClock } from "../../testing/index.ts";
import { type ApiServer, startApiServer } from "../index.ts";
import { valueAt } from "../resources/kinds/edit.ts";

let server: ApiServer | undefined;
afterEach(async () => server?.stop());

const batch = "/apis/batch/v1/namespaces/default";

async function send(method: string, path: string, body?: object): Promise<AnyObject> {
  const { status, body: chunks } = await (server as ApiServer).transport({
    method,
    path: batch + path,
    headers: { "content-type": method === "PATCH" ? "application/merge-patch+json" : "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const parts: Uint8Array[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  const answer = JSON.parse(Buffer.concat(parts).toString()) as AnyObject;
  if (status >= 400) throw new Error(`${method} ${path}: ${String(answer.message)}`);
  return answer;
}

const minute = 60_000;

/** A clock at the start of a minute, a server, and a CronJob of every minute. */
async function started(spec: object, completeDelayMs = 0): Promise<FakeClock> {
  const clock = new FakeClock("2026-01-05T08:00:30Z");
  server = await startApiServer({ listen: false, clock, workload: { completeDelayMs } });
  await send("POST", "/cronjobs", {
    metadata: { name: "tick" },
    spec: {
      schedule: "* * * * *",
      ...spec,
      jobTemplate: {
        metadata: { labels: { by: "tick" } },
        spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } } },
      },
    },
  });
  return clock;
}

const names = async (): Promise<readonly unknown[]> =>
  ((await send("GET", "/jobs")).items as readonly AnyObject[]).map(({ metadata }) => metadata.name);
const firstDue = Date.parse("2026-01-05T08:01:00Z") / minute;
const jobAt = (index: number): string => `tick-${firstDue + index}`;

describe("a CronJob", () => {
  test("counts no Job that somebody made of it by hand", async () => {
    const clock = await started({ concurrencyPolicy: "Forbid" }, 10 * minute);
    const { uid = "" } = (await send("GET", "/cronjobs/tick")).metadata;
    await send("POST", "/jobs", {
      metadata: {
        name: "by-hand",
        ownerReferences: [{ apiVersion: "batch/v1", kind: "CronJob", name: "tick", uid, controller: true }],
      },
      spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } } },
    });
    await clock.advance(minute);
    deepEqual(await names(), ["by-hand", jobAt(0)]);
    const active = valueAt(await send("GET", "/cronjobs/tick"), "status", "active") as readonly { name: string }[];
    deepEqual(
      active.map(({ name }) => name),
      [jobAt(0)],
    );
  });

  test("starts a Job each time, named by the time, and keeps the last three", async () => {
    const clock = await started({});
    await clock.advance(minute);
    const job = await send("GET", `/jobs/${jobAt(0)}`);
    equal(job.metadata.labels?.by, "tick");
    equal(job.metadata.annotations?.["batch.kubernetes.io/cronjob-scheduled-timestamp"], "2026-01-05T08:01:00Z");
    equal(job.metadata.ownerReferences?.[0]?.kind, "CronJob");
    await clock.advance(4 * minute);
    deepEqual(await names(), [jobAt(2), jobAt(3), jobAt(4)]);
    const { status } = await send("GET", "/cronjobs/tick");
    deepEqual(
      [valueAt(status, "lastScheduleTime"), valueAt(status, "lastSuccessfulTime"), valueAt(status, "active")],
      ["2026-01-05T08:05:00Z", "2026-01-05T08:05:00Z", undefined],
    );
  });

  test("starts none while it is suspended, and one for the time that was missed", async () => {
    const clock = await started({ suspend: true });
    await clock.advance(3 * minute);
    deepEqual(await names(), []);
    await send("PATCH", "/cronjobs/tick", { spec: { suspend: false } });
    await clock.advance(1_000);
    deepEqual(await names(), [jobAt(2)]);
  });

  test("forgets a time whose deadline is over", async () => {
    const clock = await started({ suspend: true, startingDeadlineSeconds: 10 });
    await clock.advance(3 * minute);
    await send("PATCH", "/cronjobs/tick", { spec: { suspend: false } });
    await clock.advance(1_000);
    deepEqual(await names(), []);
    await clock.advance(minute);
    deepEqual(await names(), [jobAt(3)]);
  });

  const policies = [
    { concurrencyPolicy: "Allow", after: [jobAt(0), jobAt(1)] },
    { concurrencyPolicy: "Forbid", after: [jobAt(0)] },
    { concurrencyPolicy: "Replace", after: [jobAt(1)] },
  ];
  for (const { concurrencyPolicy, after } of policies) {
    test(`with ${concurrencyPolicy} has ${after.length} Jobs while the first still runs`, async () => {
      const clock = await started({ concurrencyPolicy }, 3 * minute);
      await clock.advance(2 * minute);
      deepEqual(await names(), after);
      const active = valueAt(await send("GET", "/cronjobs/tick"), "status", "active") as readonly { name: string }[];
      deepEqual(
        active.map(({ name }) => name),
        after,
      );
    });
  }
});
