import { deepEqual, equal, match } from "node:assert/strict";
import { request } from "node:https";
import { type ConnectionOptions, connect } from "node:tls";
import { describe, test } from "@jest/globals";
import type { JsonObject } from "@kyma-operators/gardener";
import type { AnyObject } from "@kyma-operators/kube";
import { makeKeyPair, runtimeObject } from "../../../testing/index.ts";
import { reviewRuntime } from "./review.ts";
import { serveRuntimeWebhook, webhookPath } from "./server.ts";

const profile: JsonObject = {
  spec: {
    kubernetes: { versions: [{ version: "1.31.9" }] },
    machineTypes: [{ name: "m6i.large" }, { name: "old", usable: false }],
    machineImages: [{ name: "gardenlinux" }],
    volumeTypes: [{ name: "gp3" }],
    regions: [{ name: "eu-central-1", zones: ["a", "b", "c"].map((zone) => ({ name: `eu-central-1${zone}` })) }],
  },
};
const context = { projectName: "kyma-dev", profileFor: async () => profile };
const [worker] = (runtimeObject()["spec"] as { shoot: { provider: { workers: readonly object[] } } }).shoot.provider
  .workers;
const withWorker = (edit: object): AnyObject =>
  runtimeObject({ shoot: { provider: { type: "aws", workers: [{ ...worker, ...edit }] } } });

async function review(object: AnyObject, old?: AnyObject) {
  const operation = old === undefined ? "CREATE" : "UPDATE";
  const { response } = await reviewRuntime({ request: { uid: "u", operation, object, oldObject: old } }, context);
  return response.allowed ? "allowed" : (response.status?.message ?? "");
}

describe("the webhook of Runtimes", () => {
  test("lets a valid Runtime through, and names the request it answers", async () => {
    const { response } = await reviewRuntime(
      { request: { uid: "u", operation: "CREATE", object: runtimeObject() } },
      context,
    );
    deepEqual(response, { uid: "u", allowed: true });
  });

  const refused: readonly (readonly [string, AnyObject, string])[] = [
    [
      "networks that overlap",
      runtimeObject({
        shoot: {
          networking: { type: "calico", nodes: "10.250.0.0/16", pods: "10.250.0.0/20", services: "10.104.0.0/13" },
        },
      }),
      "spec.shoot.networking.pods: overlaps spec.shoot.networking.nodes",
    ],
    [
      "a machine type that is not offered",
      withWorker({ machine: { type: "x1" } }),
      'spec.shoot.provider.workers[0].machine.type: "x1" is not offered',
    ],
    [
      "a machine type that is retired",
      withWorker({ machine: { type: "old" } }),
      'spec.shoot.provider.workers[0].machine.type: "old" is not offered',
    ],
    [
      "a zone of another region",
      withWorker({ zones: ["us-east-1a"] }),
      'spec.shoot.provider.workers[0].zones: zone "us-east-1a" is not in region eu-central-1',
    ],
    [
      "a volume type that is not offered",
      withWorker({ volume: { type: "io9", size: "50Gi" } }),
      'spec.shoot.provider.workers[0].volume.type: "io9" is not offered',
    ],
    [
      "a version that is not offered",
      runtimeObject({ shoot: { kubernetes: { version: "1.20.0" } } }),
      'spec.shoot.kubernetes.version: "1.20.0" is not offered',
    ],
    [
      "a region that is not offered",
      runtimeObject({ shoot: { region: "mars-1" } }),
      'spec.shoot.region: "mars-1" is not offered',
    ],
    [
      "what is no Runtime",
      { apiVersion: "v1", kind: "Secret", metadata: {} },
      'object: Runtime: kind: Invalid input: expected "Runtime"; spec: Invalid input: expected object, received undefined',
    ],
  ];
  for (const [name, object, message] of refused) {
    test(`refuses ${name}`, async () => {
      equal(await review(object), message);
    });
  }

  test("refuses a change of what is fixed", async () => {
    equal(
      await review(runtimeObject({ shoot: { purpose: "testing" } }), runtimeObject()),
      'spec.shoot.purpose: cannot be changed from "production" to "testing"',
    );
  });

  test("does not hold a cluster to offers that are gone, nor to old mistakes", async () => {
    const old = withWorker({ machine: { type: "gone" }, minimum: 30 });
    equal(await review({ ...old, metadata: { ...old.metadata, annotations: { a: "b" } } }, old), "allowed");
  });

  test("lets everything through that is being deleted", async () => {
    const object = withWorker({ zones: [] });
    object.metadata.deletionTimestamp = "2026-01-05T10:00:00Z";
    equal(await review(object, runtimeObject()), "allowed");
    const { response } = await reviewRuntime(
      { request: { uid: "u", operation: "DELETE", oldObject: object } },
      context,
    );
    equal(response.allowed, true);
  });

  test("without a catalogue checks what it can", async () => {
    const blind = { projectName: "kyma-dev", profileFor: async () => undefined };
    const { response } = await reviewRuntime(
      { request: { operation: "CREATE", object: withWorker({ machine: { type: "x1" } }) } },
      blind,
    );
    equal(response.allowed, true);
  });
});

test("the webhook answers over TLS, and only its own path", async () => {
  const { certificate, key } = await makeKeyPair({ name: "localhost" });
  const server = await serveRuntimeWebhook({ host: "127.0.0.1", port: 0, certificate, key, context });
  const send = (path: string, body: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const outgoing = request(
        { host: "127.0.0.1", port: server.port, path, method: "POST", ca: certificate, servername: "localhost" },
        (incoming) => {
          let text = `${incoming.statusCode} `;
          incoming.on("data", (chunk: Buffer) => (text += chunk.toString()));
          incoming.on("end", () => resolve(text));
        },
      );
      outgoing.on("error", reject).end(body);
    });
  try {
    const body = JSON.stringify({ request: { uid: "u", operation: "CREATE", object: runtimeObject() } });
    match(await send(webhookPath, body), /^200 .*"allowed":true/);
    match(await send("/other", body), /^404 /);
    match(await send(webhookPath, "{"), /^400 /);
  } finally {
    await server.close();
  }
});

test("the webhook speaks TLS of today only, and shows a renewed certificate without a restart", async () => {
  const [first, second] = await Promise.all([makeKeyPair({ name: "localhost" }), makeKeyPair({ name: "localhost" })]);
  const { certificate, key } = first;
  const server = await serveRuntimeWebhook({ host: "127.0.0.1", port: 0, certificate, key, context });
  const handshake = (options: ConnectionOptions): Promise<string> =>
    new Promise((resolve) => {
      const socket = connect({ host: "127.0.0.1", port: server.port, servername: "localhost", ...options }, () => {
        resolve(socket.getProtocol() ?? "");
        socket.destroy();
      });
      socket.on("error", (error: Error & { code?: string }) => resolve(error.code ?? error.message));
    });
  try {
    equal(await handshake({ ca: certificate }), "TLSv1.3");
    match(await handshake({ ca: certificate, minVersion: "TLSv1.1", maxVersion: "TLSv1.1" }), /^ERR_|ECONNRESET/);
    match(await handshake({ ca: second.certificate }), /SIGNED|VERIFY/);
    const plain = await fetch(`http://127.0.0.1:${server.port}${webhookPath}`).catch(() => undefined);
    equal(plain?.ok ?? false, false);

    server.renew(second.certificate, second.key);
    equal(await handshake({ ca: second.certificate }), "TLSv1.3");
    match(await handshake({ ca: certificate }), /SIGNED|VERIFY/);
  } finally {
    await server.close();
  }
});
