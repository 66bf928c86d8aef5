import { deepEqual, equal, match, ok } from "node:assert/strict";
import { afterAll, beforeAll, describe, test } from "@jest/globals";
import type { SampleModule } from "./module-layers.ts";
import { ModuleStage, type StoryClusters } from "./module-stage.ts";

/** Modules are installed from a private registry, upgraded and removed by the built operator. */
export function tellModuleStory(
  title: string,
  modules: readonly SampleModule[],
  startClusters: () => Promise<StoryClusters>,
): void {
  const images = (version: string): readonly string[] =>
    modules.map(({ name }) => `example.org/${name}:${version}`).toSorted();
  let stage: ModuleStage;

  describe(title, () => {
    beforeAll(async () => {
      stage = await ModuleStage.start(modules, await startClusters());
    }, 180_000);
    afterAll(async () => stage.stop(), 60_000);

    test("modules are installed and become Ready (E120)", async () => {
      await stage.install("1.0.0");

      deepEqual(await stage.images(), images("1.0.0"));
      match(await stage.kubectl("remote", "get", "collectors", "-A"), /kyma-system +default/);
      ok(!stage.output().includes(stage.password), "the log shows no password");
    }, 240_000);

    test("a new version changes what is different, prunes what is gone, and runs hooks", async () => {
      const before = await stage.names("configmaps");
      await stage.install("2.0.0");

      deepEqual(await stage.images(), images("2.0.0"));
      const after = await stage.names("configmaps");
      for (const name of before) ok(!after.includes(name), `${name} is of the old version`);
      if (!modules.some(({ name }) => name === "scaler")) return;
      const hook = ["-n", "kyma-system", "get", "configmap", "scaler-checked", "-o", "jsonpath={.data.version}"];
      equal(await stage.kubectl("remote", ...hook), "2.0.0");
    }, 240_000);

    test("they are removed without the registry, once no resource of a user is in the way", async () => {
      await stage.registry.stop();
      const mine = {
        apiVersion: "sample.example.org/v1",
        kind: "Collector",
        metadata: { name: "mine", namespace: "default" },
      };
      await stage.apply("remote", mine);
      await stage.kubectl("controlPlane", "-n", "kcp-system", "delete", "manifests", "--all", "--wait=false");
      await stage.untilManifests((found) => {
        const operation = found[0]?.status?.lastOperation?.operation ?? "";
        return found.length === 1 && operation.includes("Collector default/mine");
      });
      await stage.kubectl("remote", "-n", "default", "delete", "collector", "mine");
      await stage.untilManifests((found) => found.length === 0);

      const kinds = "deployments,configmaps,serviceaccounts,clusterroles,clusterrolebindings,crds";
      deepEqual(await stage.names(kinds), []);
    }, 300_000);
  });
}
