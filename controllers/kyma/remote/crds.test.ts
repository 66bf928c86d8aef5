import { equal, notEqual } from "node:assert/strict";
import { test } from "@jest/globals";
import { builtIn, optional, systemClock } from "@kyma-operators/kube";
import { crdName, kymas } from "../../../apis/operator/group.ts";
import { ourCrds, startCluster } from "../../../testing/index.ts";
import { crdRevision, deleteCrd } from "./crds.ts";

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

test("a CRD that was deleted and made anew is another revision, though its generation is the same", async () => {
  const [made] = await ourCrds();
  const revisionOf = (uid: string): string =>
    crdRevision((name) => made && { ...made, metadata: { name, uid, generation: 1 } });
  equal(revisionOf("a"), revisionOf("a"));
  notEqual(revisionOf("a"), revisionOf("b"));
});
