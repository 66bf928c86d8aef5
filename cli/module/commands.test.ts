import { deepEqual, equal, match } from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, test } from "@jest/globals";
import { Secret } from "@kyma-operators/errors";
import {
  type AnyObject,
  builtIn,
  type Client,
  createClient,
  createHttpTransport,
  systemClock,
} from "@kyma-operators/kube";
import { kymas } from "../../apis/operator/group.ts";
import type { Kyma, ModuleStatus } from "../../apis/operator/kyma.ts";
import { moduleObjects, ourCrds, startEmbeddedServer, type TestServer, tokenKubeconfig } from "../../testing/index.ts";
import { runCli } from "../run.ts";
import { systemFiles } from "../system-files.ts";
import { fakeIo } from "../testing.ts";

let folder = "";
let server: TestServer;
let client: Client;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "kyma-module-"));
  server = await startEmbeddedServer();
  const access = { server: server.url, ca: server.caCertificate, token: new Secret(server.token) };
  client = createClient({ transport: createHttpTransport(access), clock: systemClock, userAgent: "test" });
  await systemFiles(folder).write("kubeconfig", tokenKubeconfig(server));
});
afterAll(async () => {
  await client.close();
  await server.stop();
  await rm(folder, { recursive: true });
});

async function kyma(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const io = { ...fakeIo(), clock: systemClock };
  const code = await runCli([...args, "--kubeconfig", join(folder, "kubeconfig")], io);
  return { code, out: io.out(), err: io.err() };
}
const module = (...args: string[]) => kyma("module", ...args);

test("#73 a cluster without any Kyma is met with a hint and code 1, by every command", async () => {
  for (const args of [
    ["module", "list"],
    ["module", "enable", "alpha"],
    ["module", "wait"],
    ["module", "catalog"],
  ]) {
    const { code, err } = await kyma(...args);
    equal(code, 1, args.join(" "));
    match(err, /^Error: .*kyma deploy/, args.join(" "));
  }
  const { code, out } = await kyma("status");
  deepEqual([code, out], [0, 'nothing is deployed in kcp-system: run "kyma deploy", or choose another --namespace\n']);
});

describe("on a cluster with a Kyma", () => {
  const ref = { resource: kymas, namespace: "kcp-system", name: "demo" };

  beforeAll(async () => {
    const objects: AnyObject[] = [
      ...(await ourCrds()),
      { apiVersion: "v1", kind: "Namespace", metadata: { name: "kcp-system" } },
      ...moduleObjects("alpha", { regular: "1.0.0", fast: "1.1.0" }),
      ...moduleObjects("bravo", { fast: "2.0.0" }),
    ];
    for (const object of objects) {
      const resource = await client.resourceFor(object.apiVersion, object.kind);
      await client.apply(resource, object, { fieldManager: "test", force: true });
    }
  });

  beforeEach(async () => {
    await client.delete(ref).catch(() => undefined);
    const object: Kyma = {
      apiVersion: "operator.kyma-project.io/v1beta2",
      kind: "Kyma",
      metadata: { name: ref.name, namespace: ref.namespace },
      spec: { channel: "regular", modules: [] },
    };
    await client.create<Kyma>(kymas, object);
  });

  const modules = async () => {
    const { spec } = await client.get<Kyma>(ref);
    return (spec.modules ?? []).map(({ name, channel = "", customResourcePolicy: policy = "", managed }) =>
      [name, channel, policy, managed === false ? "unmanaged" : ""].filter((part) => part !== "").join(" "),
    );
  };
  const report = (state: string, ...entries: readonly ModuleStatus[]) => {
    const lastOperation = { operation: "seen", lastUpdateTime: "2026-01-05T08:00:00Z" };
    return client.mergePatch(ref, { status: { state, modules: entries, lastOperation } }, { subresource: "status" });
  };

  test("the status ends with 2 while something is not Ready", async () => {
    equal((await kyma("status")).code, 2);
    await report("Ready", { name: "alpha", state: "Ready" }, { name: "bravo", state: "Unmanaged" });
    equal((await kyma("status")).code, 0);
    await report("Warning", { name: "alpha", state: "Warning" });
    const { code, out, err } = await kyma("status", "-o", "json");
    deepEqual([code, err], [2, ""]);
    deepEqual(
      (JSON.parse(out) as readonly { state: string }[]).map(({ state }) => state),
      ["Warning", "Warning"],
    );
  });

  test("#52 #60 a module that is unknown, or not in the channel, is refused with what there is", async () => {
    match((await module("enable", "alpho")).err, /unknown module "alpho": did you mean "alpha"\?/);
    match((await module("enable", "bravo")).err, /"bravo" is not in channel "regular": it is in fast/);
    match((await module("enable", "alpha", "-c", "slow")).err, /it is in regular, fast/);
    deepEqual(await modules(), []);
  });

  test("#53 a policy that does not exist is refused as usage", async () => {
    const { code, err } = await module("enable", "alpha", "-p", "Sometimes");
    equal(code, 4);
    match(err, /Allowed choices are CreateAndDelete, Ignore/);
  });

  test("#59 enabling adds, changes channel and policy, drops the channel, and says when nothing changes", async () => {
    match((await module("enable", "alpha", "-c", "fast")).out, /^module alpha enabled in kcp-system\/demo\n$/);
    deepEqual(await modules(), ["alpha fast CreateAndDelete"]);
    equal((await module("enable", "alpha", "-p", "Ignore")).code, 0);
    deepEqual(await modules(), ["alpha Ignore"]);
    match((await module("enable", "alpha")).out, /^module alpha unchanged in /);
    const told = JSON.parse((await module("enable", "alpha", "-o", "json")).out) as unknown;
    deepEqual(told, { kyma: "kcp-system/demo", module: "alpha", changed: false });
  });

  test("who changes a Kyma of the control plane is told which one decides; nobody else is", async () => {
    match((await module("enable", "alpha")).err, /^note: .* that one decides: use the runtime's kubeconfig then\n$/);
    equal((await module("enable", "alpha")).err, "");
    const own = { namespace: "kyma-system", name: "default" };
    await client.apply(
      builtIn.namespaces,
      { apiVersion: "v1", kind: "Namespace", metadata: { name: own.namespace } },
      { fieldManager: "test" },
    );
    await client.create<Kyma>(kymas, {
      apiVersion: "operator.kyma-project.io/v1beta2",
      kind: "Kyma",
      metadata: own,
      spec: { channel: "regular", modules: [{ name: "alpha" }] },
    });
    try {
      const { code, out, err } = await module("disable", "alpha");
      deepEqual([code, out, err], [0, "module alpha disabled in kyma-system/default\n", ""]);
      await client.delete(ref);
      const there = "Kymas are in kyma-system: choose with --namespace";
      equal((await kyma("status")).out, `nothing is deployed in kcp-system: ${there}\n`);
      match((await kyma("status", "-n", "kyma-system")).out, /^Kyma +kyma-system\/default /m);
    } finally {
      await client.delete({ resource: kymas, ...own });
    }
  });

  test("#54 #61 disabling removes the entry and nothing else, and names what is enabled when there is none", async () => {
    await module("enable", "alpha");
    await module("enable", "bravo", "-c", "fast");
    equal((await module("disable", "alpha")).code, 0);
    deepEqual(await modules(), ["bravo fast CreateAndDelete"]);
    match((await module("disable", "alpha")).err, /"alpha" is not enabled in Kyma kcp-system\/demo: enabled are bravo/);
  });

  test("#66 unmanaging and managing wait for what they ask for", async () => {
    await module("enable", "alpha");
    await report("Ready", { name: "alpha", state: "Unmanaged", channel: "regular", version: "1.0.0" });
    deepEqual((await module("unmanage", "alpha", "--timeout", "5s")).out.split("\n").at(-2), "Unmanaged");
    deepEqual(await modules(), ["alpha Ignore unmanaged"]);
    await report("Ready", { name: "alpha", state: "Ready", channel: "regular", version: "1.0.0" });
    equal((await module("manage", "alpha", "--timeout", "5s")).code, 0);
    deepEqual(await modules(), ["alpha CreateAndDelete"]);
    match((await module("manage", "bravo")).err, /"bravo" is not enabled/);
  });

  test("#62 waiting ends with 0 when Ready, 2 for Warning, 3 when the time is up, and names who keeps it", async () => {
    await module("enable", "alpha");
    const status = { name: "alpha", channel: "regular", version: "1.0.0" } as const;
    await report("Processing", { ...status, state: "Processing", message: "no image" });
    const late = await module("wait", "alpha", "--timeout", "1s");
    equal(late.code, 3);
    match(late.err, /^alpha: Processing, no image\nError: time is up: alpha: Processing, no image\n$/);
    match((await module("disable", "alpha", "--wait", "--timeout", "1s")).err, /time is up: alpha: Processing/);
    await module("enable", "alpha");
    await report("Warning", { ...status, state: "Warning", message: "no backend" });
    const warned = { code: 2, out: "Warning\n" };
    deepEqual(await module("wait", "--timeout", "5s"), { ...warned, err: "alpha is Warning, no backend\n" });
    deepEqual(await module("wait", "alpha"), { ...warned, err: "alpha: Warning, no backend\n" });
    await report("Ready", { ...status, state: "Ready" });
    deepEqual(await module("wait", "--timeout", "5s"), { code: 0, out: "Ready\n", err: "" });
  });

  test("a list that is empty because of a flag names the flag's value", async () => {
    match((await module("list", "-c", "slow")).out, /^no module is enabled in kcp-system\/demo from channel slow: /);
    match((await module("catalog", "-c", "slow")).out, /^no module is in channel slow: .*without --channel/);
    match((await module("list", "-k", "lost")).err, /no Kyma found in any namespace under the name lost: /);
  });

  test("#55 #56 lists show spec and status together, of one channel when asked", async () => {
    await module("enable", "alpha");
    await module("enable", "bravo", "-c", "fast");
    await report("Ready", { name: "alpha", state: "Ready", channel: "regular", version: "1.0.0" });
    equal(
      (await module("list")).out,
      "NAME    VERSION          CR POLICY         MANAGED   STATUS\nalpha   1.0.0(regular)   CreateAndDelete   true      Ready\nbravo                    CreateAndDelete   true      Pending\n",
    );
    const fast = JSON.parse((await module("list", "-c", "fast", "-o", "json")).out) as { name: string }[];
    deepEqual(
      fast.map(({ name }) => name),
      ["bravo"],
    );
    match(
      (await module("catalog")).out,
      /^NAME +AVAILABLE VERSIONS\nalpha +1\.0\.0\(regular\), 1\.1\.0\(fast\)\nbravo +2\.0\.0\(fast\)\n$/,
    );
    match((await module("list", "-o", "wide")).out, /^NAME +VERSION +CR POLICY +MANAGED +STATUS +MESSAGE\n/);
    equal((await module("list", "-o", "name")).out, "alpha\nbravo\n");
    equal((await module("catalog", "-o", "name", "-c", "fast")).out, "alpha\nbravo\n");
    match((await module("catalog", "-o", "wide")).out, /^NAMESPACE +NAME +AVAILABLE VERSIONS\nkcp-system +alpha /);
    match((await module("catalog", "-c", "regular")).out, /^NAME +AVAILABLE VERSIONS\nalpha +1\.0\.0\(regular\)\n$/);
  });
});
