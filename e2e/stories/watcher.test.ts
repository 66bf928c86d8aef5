import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { connect } from "node:tls";
import { afterAll, beforeAll, describe, test } from "@jest/globals";
import { LocalWorld } from "../local-world.ts";
import { eventually } from "../programs.ts";

let world: LocalWorld;
beforeAll(async () => {
  world = await LocalWorld.start();
  await world.ready();
}, 180_000);
afterAll(async () => {
  await world.stop();
}, 30_000);

const onPlane = (...args: readonly string[]) => world.onPlane(...args);
const onRuntime = (...args: readonly string[]) => world.onRuntime(...args);

const manifestOfMetering = async (): Promise<string> =>
  onPlane("get", "manifests", "-l", "operator.kyma-project.io/module-name=metering", "-o", "name");

/** What the user wants to have besides the first module. */
async function choose(...others: readonly object[]): Promise<void> {
  const modules = JSON.stringify({ spec: { modules: [{ name: "greeter" }, ...others] } });
  await onRuntime("patch", "kyma", "default", "--type=merge", "-p", modules);
}

/** Milliseconds from the end of the user's command to the Manifest of the module. */
async function timeToManifest(manifest: string): Promise<number> {
  await choose();
  await onPlane("wait", "--for=delete", manifest, "--timeout=60s");
  const created = onPlane("wait", "--for=create", manifest, "--timeout=60s").then(() => performance.now());
  // Long enough for kubectl to have begun to watch.
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  await choose({ name: "metering", channel: "fast" });
  const done = performance.now();
  const milliseconds = (await created) - done;
  await onPlane("wait", "--for=jsonpath={.status.state}=Ready", manifest, "--timeout=60s");
  return milliseconds;
}

describe("the agent on a runtime: API server, webhook, listener, Kyma controller, each a program of its own", () => {
  test("it runs, and the Kyma says so", async () => {
    const conditions = 'jsonpath={.status.conditions[?(@.type=="SKRWebhook")].status}';
    equal(await onPlane("get", "kyma", "demo", "-o", conditions), "True");
    match(await onRuntime("logs", "-l", "app=skr-webhook"), /the watcher agent is started/);
  });

  test("a user's choice reaches the control plane within a second", async () => {
    const manifest = (await manifestOfMetering()).trim();
    const times: number[] = [];
    for (let round = 0; round < 3; round += 1) times.push(await timeToManifest(manifest));
    const median = times.toSorted((a, b) => a - b)[1] ?? Number.NaN;
    ok(median <= 1_000, `median of ${times.map(Math.round).join(", ")} ms`);
  }, 120_000);

  test("a change while the agent is away waits for the safety net, and none is refused", async () => {
    await onRuntime("scale", "deployment", "skr-webhook", "--replicas=0");
    await eventually(
      async () => ((await onRuntime("get", "pods", "-l", "app=skr-webhook", "-o", "name")) === "" ? true : undefined),
      () => world.output(),
    );
    await choose({ name: "metering", channel: "fast" }, { name: "unknown" });
    await onRuntime("scale", "deployment", "skr-webhook", "--replicas=1");
    await onRuntime("rollout", "status", "deployment", "skr-webhook", "--timeout=60s");
    await choose({ name: "metering", channel: "fast" });
    const names = "jsonpath={.spec.modules[*].name}";
    deepEqual(await onRuntime("get", "kyma", "default", "-o", names), "greeter metering");
  }, 120_000);

  test("the listener hears nobody who has no certificate of the CA", async () => {
    const address = 'jsonpath={.spec.template.spec.containers[0].env[?(@.name=="KCP_ADDR")].value}';
    const [host = "", port = ""] = (await onRuntime("get", "deployment", "skr-webhook", "-o", address)).split(":");
    await rejects(answerTo(host, Number(port)), /certificate required|ECONNRESET|alert/i);
  });
});

/** What is answered to a caller without a certificate. */
function answerTo(host: string, port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, rejectUnauthorized: false }, () => {
      socket.write("POST /v2/lifecycle-manager/event HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}");
    });
    socket.once("data", (data) => resolve(data.toString()));
    socket.once("error", reject);
    socket.once("close", () => reject(new Error("ECONNRESET: the connection was closed")));
  });
}
