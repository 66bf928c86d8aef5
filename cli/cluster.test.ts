import { equal } from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "@jest/globals";
import { withCluster } from "./cluster.ts";
import { fakeIo } from "./testing.ts";

test("a command waits for a server that throttles, and does not fail at its first refusal", async () => {
  let requests = 0;
  const server = createServer((_, response) => {
    requests += 1;
    const headers = { "content-type": "application/json", "retry-after": "1" };
    response.writeHead(requests < 4 ? 429 : 200, headers).end("{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const folder = await mkdtemp(join(tmpdir(), "kyma-cluster-"));
  const kubeconfig = join(folder, "kubeconfig");
  const cluster = { server: `http://127.0.0.1:${port}`, "insecure-skip-tls-verify": true };
  const config = {
    apiVersion: "v1",
    kind: "Config",
    "current-context": "c",
    contexts: [{ name: "c", context: { cluster: "c", user: "c" } }],
    clusters: [{ name: "c", cluster }],
    users: [{ name: "c", user: {} }],
  };
  await writeFile(kubeconfig, JSON.stringify(config));
  try {
    await withCluster(fakeIo(), { kubeconfig }, (client) => client.raw("/version"));
    equal(requests, 4);
  } finally {
    server.closeAllConnections();
    server.close();
    await rm(folder, { recursive: true });
  }
});
