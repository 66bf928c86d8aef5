import { deepEqual, equal, throws } from "node:assert/strict";
import { afterEach, describe, test } from "@jest/globals";
import { kymaObject, type LifecycleWorld, startLifecycleWorld } from "../../testing/index.ts";
import { addPurge } from "./controller.ts";
import { parseVersionMap } from "./stored-versions.ts";

const crds = { apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition" };

let world: LifecycleWorld;
afterEach(async () => world.stop());

async function storedVersions(name: string): Promise<unknown> {
  const found = await world.kcp.list(crds.apiVersion, crds.kind);
  const { status } = (found.find(({ metadata }) => metadata.name === name) ?? {}) as {
    status?: { storedVersions?: unknown };
  };
  return status?.storedVersions;
}

async function setStored(name: string, versions: readonly string[]): Promise<void> {
  const resource = await world.kcp.resource(crds.apiVersion, crds.kind);
  await world.kcp.client.mergePatch(
    { resource, name },
    { status: { storedVersions: versions } },
    { subresource: "status" },
  );
}

describe("former versions of our CRDs", () => {
  test("leave the record after every object was rewritten; the version in use never does (U183)", async () => {
    world = await startLifecycleWorld();
    await world.kcp.apply(kymaObject("runtime-1", { channel: "regular" }));
    await setStored("kymas.operator.kyma-project.io", ["v1beta1", "v1beta2"]);
    await setStored("manifests.operator.kyma-project.io", ["v1beta2"]);
    addPurge(world.context, { dropStoredVersions: "Kyma:v1beta1,Manifest:v1beta2", namespace: "kcp-system" });
    world.start();
    await world.clock.until(
      async () => JSON.stringify(await storedVersions("kymas.operator.kyma-project.io")) === '["v1beta2"]',
    );
    deepEqual(await storedVersions("manifests.operator.kyma-project.io"), ["v1beta2"]);
    equal(world.kcp.writes().filter(({ path }) => path.endsWith("/kymas/runtime-1")).length, 1);
  });

  test("are named as Kind:version (U183)", async () => {
    world = await startLifecycleWorld();
    deepEqual(
      [...parseVersionMap("Kyma:v1beta1, Watcher:v1beta1")],
      [
        ["Kyma", "v1beta1"],
        ["Watcher", "v1beta1"],
      ],
    );
    throws(() => parseVersionMap("Kyma"), /expected Kind:version, found "Kyma"/);
  });
});
