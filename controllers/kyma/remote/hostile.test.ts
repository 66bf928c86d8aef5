import { deepEqual, equal, match, ok } from "node:assert/strict";
import { afterEach, describe, test } from "@jest/globals";
import type { AnyObject, TransportRequest } from "@kyma-operators/kube";
import { accessSecret, type FaultPlan, KymaStage, kymaObject, moduleObjects } from "../../../testing/index.ts";
import { addKymaController } from "../controller.ts";
import { anyDescriptor, kymaSettings } from "../kyma-stage.ts";

const api = "operator.kyma-project.io/v1beta2";
const wanted = kymaObject("runtime-1", { channel: "regular", modules: [{ name: "alpha" }] });
const catalog = ["alpha", "bravo", "charlie"].flatMap((module) => moduleObjects(module, { regular: "1.0.0" }));

let stage: KymaStage;
afterEach(async () => stage.close());

/** A settled Kyma; `plan` says what the remote cluster refuses. */
async function open(plan: FaultPlan = {}, ...objects: readonly AnyObject[]): Promise<void> {
  stage = await KymaStage.openWith(
    { skr: plan },
    (world) =>
      addKymaController(world.context, {
        settings: kymaSettings,
        clusters: world.clusters,
        descriptors: anyDescriptor,
        random: () => 0,
      }),
    accessSecret("runtime-1"),
    ...catalog,
    wanted,
    ...objects,
  );
}

/** What somebody stores who has taken our schema away. */
async function storeAnything(change: object): Promise<void> {
  const { skr } = stage.world;
  const name = "kymas.operator.kyma-project.io";
  const crds = await skr.resource("apiextensions.k8s.io/v1", "CustomResourceDefinition");
  const crd = await skr.client.get({ resource: crds, name });
  const { versions } = crd["spec"] as { versions: readonly object[] };
  const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
  const free = versions.map((version) => ({ ...version, schema }));
  await skr.client.mergePatch({ resource: crds, name }, { spec: { versions: free } });
  const resource = await skr.resource(api, "Kyma");
  await skr.client.mergePatch({ resource, namespace: "kyma-system", name: "default" }, change);
  await stage.tell();
}

const operation = async (): Promise<string> => (await stage.status()).lastOperation?.operation ?? "";

describe("a remote Kyma that is none", () => {
  const many = Array.from({ length: 1_001 }, (_, index) => ({ name: `module-${index}` }));
  const cases: readonly (readonly [what: string, spec: unknown, message: RegExp])[] = [
    ["a text instead of a spec", "alpha", /expected spec to be an object, found "alpha"/],
    ["a channel that is a number", { channel: 5 }, /expected spec\.channel to be a text, found 5/],
    ["modules that are no list", { modules: "alpha" }, /expected spec\.modules to be a list, found "alpha"/],
    [
      "a module without a name",
      { modules: [{ channel: "fast" }] },
      /spec\.modules\[0\]\.name to be a text, found nothing/,
    ],
    ["a module that is null", { modules: [{ name: "alpha" }, null] }, /spec\.modules\[1\]\.name to be a text/],
    ["a module twice", { modules: [{ name: "alpha" }, { name: "alpha" }] }, /"alpha" twice/],
    ["more modules than a catalog can have", { modules: many }, /at most 1000 spec\.modules, found 1001/],
    [
      "a policy nobody knows",
      { modules: [{ name: "a", customResourcePolicy: "Burn" }] },
      /CreateAndDelete or Ignore, found "Burn"/,
    ],
    ["a switch that is a text", { modules: [{ name: "a", managed: "no" }] }, /managed to be true or false, found "no"/],
    ["windows that are a text", { skipMaintenanceWindows: "yes" }, /skipMaintenanceWindows to be true or false/],
  ];

  test("is an error that names object, expected and found; nothing is done by it, and it heals", async () => {
    await open();
    await stage.settle("Ready");
    const before = (await stage.manifests()).map(({ metadata }) => metadata.uid);
    for (const [what, spec, message] of cases) {
      await storeAnything({ spec });
      await stage.until(async () => message.test(await operation()));
      match(
        await operation(),
        /^could not replace control plane kyma spec with remote kyma spec: remote Kyma kyma-system\/default: /,
      );
      equal((await stage.status()).state, "Error", what);
      await storeAnything({ spec: null });
      await storeAnything({ spec: { channel: "regular", modules: [{ name: "alpha" }] } });
      await stage.settle("Ready");
    }
    deepEqual(
      (await stage.manifests()).map(({ metadata }) => metadata.uid),
      before,
    );
  }, 60_000);

  test("on its way out is not written to, and comes back when it is gone (12.2-45)", async () => {
    await open();
    await stage.settle("Ready");
    const { skr } = stage.world;
    const ref = { resource: await skr.resource(api, "Kyma"), namespace: "kyma-system", name: "default" };
    await skr.client.mergePatch(ref, { metadata: { finalizers: ["example.org/slow"] } });
    await skr.client.delete(ref);
    const before = skr.writes().length;
    await stage.tell();
    await stage.world.clock.advance(10_000);
    deepEqual(skr.writes().slice(before), []);
    const { uid } = (await skr.client.get(ref)).metadata;
    await skr.client.mergePatch(ref, { metadata: { finalizers: null } });
    await stage.tell();
    await stage.settle("Ready");
    ok((await skr.client.get(ref)).metadata.uid !== uid);
  });
});

test("a catalog entry that the remote cluster does not take keeps no other one away, and is named", async () => {
  const isLarge = ({ method, path }: TransportRequest): boolean =>
    method === "PATCH" && path.includes("/moduletemplates/bravo-1.0.0");
  await open({ request: (request) => (isLarge(request) ? { kind: "answer", status: 500 } : undefined) });
  await stage.until(async () => /could not synchronize the module catalog/.test(await operation()));
  match(await operation(), /bravo-1\.0\.0/);
  deepEqual(await stage.remoteNames("ModuleTemplate"), ["alpha-1.0.0", "charlie-1.0.0"]);
  deepEqual(await stage.remoteNames("ModuleReleaseMeta"), ["alpha", "bravo", "charlie"]);
  equal((await stage.manifests()).length, 1);
});

test("clocks that jump, back and forth, change nothing and keep nothing from being followed", async () => {
  await open();
  await stage.settle("Ready");
  await stage.world.clock.advance(1_000);
  const { kcp, skr, clock } = stage.world;
  const before = [kcp.writes().length, skr.writes().length];
  for (const jump of [-86_400_000, 86_400_000 * 30, -3_600_000]) {
    clock.jump(jump);
    await clock.advance(600_000);
  }
  deepEqual([kcp.writes().length, skr.writes().length], before);
  clock.jump(-86_400_000 * 365);
  await stage.choose({ modules: [{ name: "alpha" }, { name: "bravo" }] });
  await stage.until(async () => (await stage.manifests()).length === 2);
});
