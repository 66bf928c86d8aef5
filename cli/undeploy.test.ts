import { deepEqual, equal, match, ok } from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "@jest/globals";
import { kymas } from "../apis/operator/group.ts";
import { FakeClock, moduleObjects, patiently, startCluster, type TestCluster } from "../testing/index.ts";
import { DeployStage, type Ended } from "./deploy/testing.ts";
import { readStatus } from "./status.ts";
import { undeployCommand, undeployFrom } from "./undeploy.ts";

let clock: FakeClock;
let cluster: TestCluster;
let stage: DeployStage;
beforeEach(async () => {
  clock = new FakeClock();
  cluster = await startCluster({ clock });
  stage = new DeployStage({ clock, cluster, patiently: (condition) => patiently(clock, condition) });
});
afterEach(() => cluster.stop());

const undeploy = (...args: string[]): Promise<Ended> =>
  stage.run((io, client) =>
    undeployCommand((flags) => undeployFrom(io, client, flags))
      .exitOverride()
      .parseAsync(args, { from: "user" }),
  );
const status = () => readStatus(cluster.client, "kcp-system", new AbortController().signal);
const crdNames = async () =>
  (await cluster.list("apiextensions.k8s.io/v1", "CustomResourceDefinition")).map(({ metadata }) => metadata.name);

describe("kyma undeploy", () => {
  test("removes Kymas, releases, operator, CRDs and namespace, in this order", async () => {
    equal((await stage.deploy([])).code, 0);
    await cluster.apply(...moduleObjects("alpha", { regular: "1.0.0" }));
    const { code, out, err } = await undeploy();
    deepEqual([code, err], [0, ""]);
    const done = out.split("\n").filter((line) => line.startsWith("- "));
    deepEqual(
      done.map((line) => line.slice(2, line.indexOf(" ("))),
      ["preflight", "modules", "Kymas", "releases", "templates", "operator", "CRDs"],
    );
    deepEqual(await crdNames(), []);
    const namespaces = (await cluster.list("v1", "Namespace")).map(({ metadata }) => metadata.name);
    ok(!namespaces.includes("kcp-system"));
    const roles = await cluster.list("rbac.authorization.k8s.io/v1", "ClusterRole");
    ok(!roles.some(({ metadata }) => metadata.name === "kyma-cli-provisioned-wildcard"));
  });

  test("can be run again, and on a cluster that never had anything", async () => {
    equal((await undeploy()).code, 0);
    equal((await undeploy()).code, 0);
  });

  test("keeps the CRDs when told to", async () => {
    equal((await stage.deploy([])).code, 0);
    equal((await undeploy("--keep-crds")).code, 0);
    ok((await crdNames()).includes("kymas.operator.kyma-project.io"));
  });

  test("a Kyma that nobody cleans up ends with code 3 and its name, and the operator stays", async () => {
    equal((await stage.deploy([])).code, 0);
    const ref = { resource: kymas, namespace: "kcp-system", name: "default" };
    await cluster.client.mergePatch(ref, { metadata: { finalizers: ["operator.kyma-project.io/Kyma"] } });
    const { code, err } = await undeploy("--timeout", "20s");
    equal(code, 3);
    match(err, /Kyma not gone yet: default \(Ready: kyma reconciled\)/);
    equal((await status())[0]?.kind, "Operator");
  });
});

describe("kyma status", () => {
  test("is empty where nothing is deployed", async () => {
    deepEqual(await status(), []);
  });

  test("#73 says what runs, and why something does not", async () => {
    await cluster.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name: "kcp-system" } });
    equal((await stage.deploy(["--version", "1.2.3"])).code, 0);
    deepEqual(await status(), [
      { kind: "Operator", name: "kcp-system/kyma-operator", version: "1.2.3", state: "Ready", reason: "" },
      { kind: "Kyma", name: "kcp-system/default", version: "", state: "Ready", reason: "" },
    ]);
    const ref = { resource: kymas, namespace: "kcp-system", name: "default" };
    const module = { name: "alpha", state: "Error", version: "1.0.0", message: "no such layer" };
    const lastOperation = { operation: "alpha is in Error", lastUpdateTime: "2026-01-05T08:00:00Z" };
    const broken = { status: { state: "Error", modules: [module], lastOperation } };
    await cluster.client.mergePatch(ref, broken, { subresource: "status" });
    deepEqual((await status()).slice(1), [
      { kind: "Kyma", name: "kcp-system/default", version: "", state: "Error", reason: "alpha is in Error" },
      { kind: "Module", name: "default/alpha", version: "1.0.0", state: "Error", reason: "no such layer" },
    ]);
  });
});
