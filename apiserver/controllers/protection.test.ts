import { deepEqual, equal } from "node:assert/strict";
import { setImmediate } from "node:timers/promises";
import { afterEach, test } from "@jest/globals";
import type { AnyObject } from "@kyma-operators/kube";
import { type ApiServer, startApiServer } from "../index.ts";

let server: ApiServer | undefined;
afterEach(async () => server?.stop());

async function send(method: string, path: string, body?: object): Promise<{ status: number; body: AnyObject }> {
  const { status, body: chunks } = await (server as ApiServer).transport({
    method,
    path: path.startsWith("/persistentvolumes") ? `/api/v1${path}` : `/api/v1/namespaces/default${path}`,
    headers: { "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const parts: Uint8Array[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  return { status, body: JSON.parse(Buffer.concat(parts).toString()) as AnyObject };
}

test("a deleted claim stays until the last Pod that uses it is gone", async () => {
  server = await startApiServer({ listen: false });
  const spec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
  const claim = await send("POST", "/persistentvolumeclaims", { metadata: { name: "data" }, spec });
  deepEqual(claim.body.metadata.finalizers, ["kubernetes.io/pvc-protection"]);
  await send("POST", "/pods", {
    metadata: { name: "user" },
    spec: {
      containers: [{ name: "c", image: "i" }],
      volumes: [{ name: "v", persistentVolumeClaim: { claimName: "data" } }],
    },
  });
  await send("DELETE", "/persistentvolumeclaims/data");
  for (let turn = 0; turn < 50; turn += 1) await setImmediate();
  equal(typeof (await send("GET", "/persistentvolumeclaims/data")).body.metadata.deletionTimestamp, "string");
  await send("DELETE", "/pods/user?gracePeriodSeconds=0");
  await untilGone("/persistentvolumeclaims/data");
});

test("a deleted volume stays until the claim that is bound to it is gone", async () => {
  server = await startApiServer({ listen: false });
  const accessModes = ["ReadWriteOnce"];
  const capacity = { storage: "1Gi" };
  const volume = { accessModes, capacity, hostPath: { path: "/data" } };
  await send("POST", "/persistentvolumes", { metadata: { name: "v" }, spec: volume });
  const spec = { accessModes, resources: { requests: capacity }, volumeName: "v" };
  await send("POST", "/persistentvolumeclaims", { metadata: { name: "data" }, spec });
  await send("DELETE", "/persistentvolumes/v");
  for (let turn = 0; turn < 50; turn += 1) await setImmediate();
  equal(typeof (await send("GET", "/persistentvolumes/v")).body.metadata.deletionTimestamp, "string");
  await send("DELETE", "/persistentvolumeclaims/data");
  await untilGone("/persistentvolumes/v");
});

async function untilGone(path: string): Promise<void> {
  for (let turn = 0; turn < 500; turn += 1) {
    if ((await send("GET", path)).status === 404) return;
    await setImmediate();
  }
  throw new Error(`${path} stays`);
}
