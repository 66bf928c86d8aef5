import { equal, match } from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, test } from "@jest/globals";
import { type ApiServer, startApiServer } from "../apiserver/index.ts";
import { builtProgram, eventually, type Running, start } from "../e2e/programs.ts";
import { ourCrds } from "../testing/index.ts";

let folder: string;
let apiPort: number;
const running = new Set<{ stop(): unknown }>();
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "kyma-start-"));
  const server = await apiServer();
  apiPort = Number(new URL(server.url).port);
  await writeFile(join(folder, "kubeconfig"), await server.kubeconfig());
  await server.stop();
  running.clear();
});
afterAll(async () => {
  for (const part of running) await part.stop();
  await rm(folder, { recursive: true, force: true });
});

/** One server that keeps its keys, its port and its objects. */
async function apiServer(port = 0): Promise<ApiServer> {
  const server = await startApiServer({ workload: false, dataDir: join(folder, "cluster"), port });
  running.add(server);
  return server;
}

interface Operator extends Running {
  /** Status and text of a probe; undefined while nothing listens. */
  probe(path: string): Promise<string | undefined>;
}

async function operator(kubeconfig = join(folder, "kubeconfig")): Promise<Operator> {
  const port = await freePort();
  const args = [
    builtProgram("operator"),
    "--controllers=manifest,watcher",
    `--kubeconfig=${kubeconfig}`,
    "--oci-registry-host=registry.example.test",
    "--metrics-bind-address=0",
    `--health-probe-bind-address=127.0.0.1:${port}`,
  ];
  const started = start(process.execPath, args, { env: { TMPDIR: folder } });
  running.add({ stop: () => started.child.kill("SIGKILL") });
  const probe = async (path: string): Promise<string | undefined> => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`).catch(() => undefined);
    return answer && `${answer.status} ${await answer.text()}`;
  };
  return { ...started, probe };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function told(one: Operator, path: string, text: RegExp): Promise<void> {
  let last: string | undefined;
  await eventually(
    async () => {
      last = await one.probe(path);
      return last !== undefined && text.test(last) ? true : undefined;
    },
    () => `${path}: ${last}\n${one.output()}`,
    { withinMs: 30_000 },
  );
}

describe("an operator that is there before its API server", () => {
  test("lives, says what it waits for, and takes nothing for granted that it could not read", async () => {
    const one = await operator();
    await told(one, "/readyz", /^503 the API server has not answered yet$/);
    await told(one, "/healthz", /^200 ok$/);
    await eventually(
      async () => /no connection to .*ECONNREFUSED/.exec(one.output()) ?? undefined,
      () => one.output(),
    );
    const server = await apiServer(apiPort);
    await told(one, "/readyz", /^503 the first list of manifests is not complete: .*404/m);
    // The gateway was not looked for before somebody could say that it is not there.
    match(one.output(), /the watcher is off/);
    equal(/the watcher is off/.test(one.output().split("ECONNREFUSED")[0] ?? ""), false);
    for (const crd of await ourCrds()) {
      const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
      const request = { method: "POST", path, headers: { "content-type": "application/json" } };
      equal((await server.transport({ ...request, body: JSON.stringify(crd) })).status, 201);
    }
    await told(one, "/readyz", /^200 ok$/);
    one.child.kill("SIGTERM");
    equal((await one.finished).code, 0, one.output());
    await server.stop();
  }, 90_000);

  test("tells its own setting up from an API server that does not answer", async () => {
    // It says its version, and is silent about everything else.
    const server = createHttpServer(({ url }, response) => {
      if (url === "/version") response.setHeader("content-type", "application/json").end(`{"major":"1","minor":"35"}`);
    });
    running.add({ stop: () => server.close().closeAllConnections() });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const kubeconfig = join(folder, "silent");
    const cluster = { server: `http://127.0.0.1:${port}`, "insecure-skip-tls-verify": true };
    const config = {
      clusters: [{ name: "silent", cluster }],
      contexts: [{ name: "silent", context: { cluster: "silent", user: "nobody" } }],
      users: [{ name: "nobody", user: {} }],
      "current-context": "silent",
    };
    await writeFile(kubeconfig, JSON.stringify(config));
    const one = await operator(kubeconfig);
    await told(one, "/readyz", /^503 the controllers are being set up$/);
  }, 60_000);

  test("ends at once and in peace when it is told to", async () => {
    const one = await operator();
    await told(one, "/readyz", /^503/);
    one.child.kill("SIGTERM");
    const { code, stderr, stdout } = await one.finished;
    equal(code, 0, stdout);
    equal(stderr, "");
  }, 60_000);
});
