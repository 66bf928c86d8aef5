import { equal, match, rejects } from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "@jest/globals";
import { FakeClock, patiently, startCluster, type TestCluster } from "../../testing/index.ts";
import { checkRegistrySecret } from "./preflight.ts";
import { DeployStage } from "./testing.ts";

const namespace = "kcp-system";
const flags = { namespace, registrySecret: "regcred" };
const { signal } = new AbortController();

let clock: FakeClock;
let cluster: TestCluster;
beforeEach(async () => {
  clock = new FakeClock();
  cluster = await startCluster({ clock });
});
afterEach(() => cluster.stop());

describe("the Secret of the operator's registry", () => {
  test("has to be there before anything is written", async () => {
    const stage = new DeployStage({ clock, cluster, patiently: (condition) => patiently(clock, condition) });
    const { code, err } = await stage.deploy(["--registry-secret", "regcred"]);
    equal(code, 1);
    match(err, /Secret kcp-system\/regcred is missing.*kubectl create secret docker-registry regcred/);
    equal(
      (await cluster.list("v1", "Namespace")).some(({ metadata }) => metadata.name === namespace),
      false,
    );
  });

  test("is looked for in the operator's namespace, and only where a flag names it", async () => {
    await rejects(checkRegistrySecret(cluster.client, flags, signal), { code: "DEPLOY_NO_REGISTRY_SECRET" });
    await checkRegistrySecret(cluster.client, { namespace }, signal);
    await cluster.apply(
      { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } },
      { apiVersion: "v1", kind: "Secret", metadata: { name: "regcred", namespace } },
    );
    await checkRegistrySecret(cluster.client, flags, signal);
  });
});
