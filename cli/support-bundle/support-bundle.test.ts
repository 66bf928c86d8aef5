import { deepEqual, equal, match, ok } from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { Readable } from "node:stream";
import { gunzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, test } from "@jest/globals";
import { type AnyObject, builtIn, createClient, transportFrom } from "@kyma-operators/kube";
import { manifests } from "../../apis/operator/group.ts";
import { serveControl } from "../../local/control.ts";
import { WorldFolder } from "../../local/state-files.ts";
import { FakeClock, ourCrds, startCluster, type TestCluster } from "../../testing/index.ts";
import type { Files } from "../io.ts";
import { type FakeIo, fakeIo } from "../testing.ts";
import { limits } from "./collector.ts";
import { bundle } from "./support-bundle.ts";

const namespace = "kcp-system";
const canary = "c4na2y-S3cretValue";
const { secrets, deployments } = builtIn;

let cluster: TestCluster;
let written: Map<string, Uint8Array>;
let io: FakeIo;
beforeEach(async () => {
  cluster = await startCluster({ clock: new FakeClock(), crds: await ourCrds() });
  await cluster.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
  written = new Map();
  const write: Files["write"] = async (path, data) => void written.set(path, Buffer.from(data));
  io = fakeIo({ files: { write } as Files });
});
afterEach(() => cluster.stop());

const run = (client = cluster.clientFor("kyma")): Promise<void> =>
  bundle(io, client, { namespace: [namespace], output: "bundle.tgz" });

const text = (): string => gunzipSync(written.get("bundle.tgz") ?? new Uint8Array()).toString("utf8");

function manifest(name: string): AnyObject {
  const source = { type: "oci-ref", repo: "registry.example.org", name: "m", ref: `sha256:${"a".repeat(64)}` };
  const spec = { remote: true, install: { name: "raw-manifest", source } };
  return { apiVersion: "operator.kyma-project.io/v1beta2", kind: "Manifest", metadata: { name, namespace }, spec };
}

async function addFailing(name: string, operation: string): Promise<void> {
  await cluster.apply(manifest(name));
  const status = { state: "Error", lastOperation: { operation, lastUpdateTime: "2026-01-05T08:00:00Z" } };
  await cluster.client.mergePatch({ resource: manifests, namespace, name }, { status }, { subresource: "status" });
}

describe("kyma support-bundle", () => {
  test("names what is in the way, first of all", async () => {
    await addFailing("alpha", "the registry refused the pull");
    await run();
    match(text(), /In the way:\n- Manifest kcp-system\/alpha is Error: the registry refused the pull\n/);
    match(io.out(), /first in the way: Manifest kcp-system\/alpha is Error/);
    match(text(), /objects\/manifests\.operator\.kyma-project\.io\.yaml/);
  });

  test("says so when all is Ready", async () => {
    await run();
    match(text(), /In the way:\n- nothing: all is Ready\n/);
  });

  test("never reads a Secret, and shows none that stands elsewhere", async () => {
    await cluster.client.create(secrets, {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "s", namespace },
      stringData: { config: canary },
    });
    await cluster.client.create(deployments, {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "d", namespace, annotations: { "example.org/token": canary } },
      spec: {
        selector: { matchLabels: { app: "d" } },
        template: {
          metadata: { labels: { app: "d" } },
          spec: {
            containers: [
              { name: "c", image: "c:1", args: ["--password", canary], env: [{ name: "API_KEY", value: canary }] },
            ],
          },
        },
      },
    });
    await addFailing("alpha", `pull failed: https://robot:${canary}@registry.example.org`);
    await run();
    ok(text().includes("name: API_KEY"), "the Deployment is in the bundle");
    ok(!`${text()}${io.out()}${io.err()}`.includes(canary));
    equal(cluster.requests.filter(({ resource }) => resource === "secrets").length, 0);
    deepEqual(cluster.writes(), []);
  });

  test("goes on without what the user may not read, and says what is missing", async () => {
    await cluster.stop();
    const clock = new FakeClock();
    cluster = await startCluster({ clock, crds: await ourCrds(), authorizationMode: "RBAC" });
    const transport = transportFrom(cluster.server.transportFor({ user: "nobody" }));
    await run(createClient({ transport, clock, userAgent: "kyma" }));
    match(text(), /- pods in kcp-system: .*forbidden/i);
    match(io.err(), /not in it: manifests in kcp-system/);
  });

  test("keeps and names the worst when there is too much", async () => {
    for (let index = 0; index <= limits.objectsPerKind; index += 1) await cluster.apply(manifest(`pending-${index}`));
    await addFailing("zulu", "no");
    await run();
    match(text(), /manifests: the worst 500 of 502/);
    match(text(), /In the way:\n- Manifest kcp-system\/zulu is Error: no\n/);
  });

  test("masks a secret at the place where a long log is cut", async () => {
    // All but the last bytes of the secret are beyond the limit.
    const rest = `\nended\n${".".repeat(limits.textBytes - 20)}`;
    const metadata = { name: "p", namespace };
    await cluster.apply({
      apiVersion: "v1",
      kind: "Pod",
      metadata,
      spec: { containers: [{ name: "c", image: "c:1" }] },
    });
    const transport = transportFrom(async (request) => {
      if (!request.path.includes("/pods/p/log")) return cluster.server.transport(request);
      const headers = { "content-type": "text/plain" };
      return { status: 200, headers, body: Readable.from([Buffer.from(`token=${canary}${rest}`)]) };
    });
    await run(createClient({ transport, clock: new FakeClock(), userAgent: "kyma" }));
    match(text(), /logs\/kcp-system\/p\/c\.log/);
    match(text(), /\nended\n\.{100}/);
    ok(!text().includes(canary.slice(-8)));
  });

  test("takes the logs of a local world, and goes on when its operator does not answer", async () => {
    const folder = await mkdtemp(join(tmpdir(), "kyma-bundle-"));
    const token = "a-token-of-some-length";
    const status = { addresses: { metrics: "http://127.0.0.1:1/metrics" } };
    const control = await serveControl({ status: async () => status, stop: () => undefined }, token);
    try {
      const world = new WorldFolder(folder);
      await world.writeState({ pid: 1, startedAt: "2026-01-05T08:00:00Z", control: control.url, token });
      await world.write("operator.log", `started\nlogin with password=${canary}\n`);
      io = { ...io, cwd: dirname(folder) };
      await bundle(io, cluster.clientFor("kyma"), {
        namespace: [namespace],
        output: "bundle.tgz",
        dataDir: basename(folder),
      });
      match(text(), /local\/operator\.log[^]*started\nlogin with password=\[redacted\]\n/);
      match(io.err(), /not in it: local\/metrics\.txt: http:\/\/127\.0\.0\.1:1\/metrics: no answer/);
    } finally {
      control.close();
      await rm(folder, { recursive: true });
    }
  });

  test("gives the same bytes for the same cluster", async () => {
    await addFailing("alpha", "no");
    await run();
    const first = written.get("bundle.tgz");
    await run();
    deepEqual(written.get("bundle.tgz"), first);
  });
});
