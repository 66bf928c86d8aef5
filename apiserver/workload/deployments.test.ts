import { deepEqual } from "node:assert/strict";
import { afterEach, test } from "@jest/globals";
import type { AnyObject } from "@kyma-operators/kube";
import { type ApiServer, startApiServer } from "../index.ts";
import { valueAt } from "../resources/kinds/edit.ts";
import { simulateAnnotation } from "./simulation.ts";

const apps = "/apis/apps/v1/namespaces/default";
let server: ApiServer | undefined;
afterEach(async () => server?.stop());

async function send(method: string, path: string, body?: object): Promise<AnyObject & { items: AnyObject[] }> {
  const { body: chunks } = await (server as ApiServer).transport({
    method,
    path,
    headers: { "content-type": method === "PATCH" ? "application/merge-patch+json" : "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const parts: Uint8Array[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  return JSON.parse(Buffer.concat(parts).toString());
}

/** Wanted replicas of all ReplicaSets, the largest first. */
async function replicas(): Promise<readonly unknown[]> {
  const { items } = await send("GET", `${apps}/replicasets`);
  return items.map((set) => Number(valueAt(set, "spec", "replicas"))).sort((a, b) => b - a);
}

async function untilReplicas(...wanted: readonly number[]): Promise<void> {
  for (let turn = 0; turn < 200; turn += 1) {
    if ((await replicas()).join() === wanted.join()) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  deepEqual(await replicas(), wanted);
}

test("a rollout that is paused half-way stays where it is, and goes on later", async () => {
  server = await startApiServer({ listen: false, workload: { readyDelayMs: 0 } });
  const labels = { app: "web" };
  const template = { metadata: { labels }, spec: { containers: [{ name: "c", image: "i:1" }] } };
  const strategy = (maxSurge: number) => ({ type: "RollingUpdate", rollingUpdate: { maxSurge, maxUnavailable: 0 } });
  const spec = { replicas: 4, selector: { matchLabels: labels }, template, strategy: strategy(1) };
  await send("POST", `${apps}/deployments`, { metadata: { name: "web" }, spec });
  await untilReplicas(4);
  const stuck = { metadata: { annotations: { [simulateAnnotation]: "image-pull-error" } } };
  await send("PATCH", `${apps}/deployments/web`, { spec: { template: stuck } });
  await untilReplicas(4, 1);
  await send("PATCH", `${apps}/deployments/web`, { spec: { paused: true, strategy: strategy(3) } });
  await new Promise((resolve) => setTimeout(resolve, 200));
  await untilReplicas(4, 1);
  await send("PATCH", `${apps}/deployments/web`, { spec: { paused: false } });
  await untilReplicas(4, 3);
});
