import { equal } from "node:assert/strict";
import { test } from "@jest/globals";
import { builtIn, optional, systemClock } from "@kyma-operators/kube";
import { crdName, kymas } from "../../../apis/operator/group.ts";
import { ourCrds, startCluster } from "../../../testing/index.ts";
import { deleteCrd } from "./crds.ts";

const { customResourceDefinitions } = builtIn;

const { signal } = new AbortController();
const ref = { resource: customResourceDefinitions, name: crdName(kymas) };

test("the CRDs of the control plane stay where it is its own runtime", async () => {
  const [plane, runtime] = await Promise.all([
    startCluster({ clock: systemClock }),
    startCluster({ clock: systemClock }),
  ]);
  for (const cluster of [plane, runtime]) await cluster.apply(...(await ourCrds()));
  const own = await plane.client.get(ref);

  equal(await deleteCrd({ id: "plane", client: plane.client }, ref.name, own, signal), false);
  equal((await plane.client.get(ref)).metadata.uid, own.metadata.uid);

  equal(await deleteCrd({ id: "runtime", client: runtime.client }, ref.name, own, signal), true);
  while ((await optional(runtime.client.get(ref))) !== undefined) await systemClock.sleep(10);
  equal(await deleteCrd({ id: "runtime", client: runtime.client }, ref.name, own, signal), false);
  await Promise.all([plane.stop(), runtime.stop()]);
});
