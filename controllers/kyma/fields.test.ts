import { deepEqual, equal, match, ok } from "node:assert/strict";
import { afterEach, describe, test } from "@jest/globals";
import type { AnyObject } from "@kyma-operators/kube";
import { createMetrics } from "@kyma-operators/runtime";
import type { Kyma } from "../../apis/operator/kyma.ts";
import { accessSecret, KymaStage, kymaObject, moduleObjects } from "../../testing/index.ts";
import { addKymaController } from "./controller.ts";
import { anyDescriptor, kymaSettings } from "./kyma-stage.ts";
import { KymaMetrics } from "./metrics.ts";

const api = "operator.kyma-project.io/v1beta2";
const kyma = kymaObject(
  "runtime-1",
  { channel: "regular", modules: [{ name: "alpha" }] },
  {
    labels: { "kyma-project.io/instance-id": "inst-1" },
    annotations: { "skr-domain": "shoot.project.example.org" },
  },
);

let stage: KymaStage;
let metrics: () => Promise<readonly string[]>;
afterEach(async () => stage.close());

async function open(...objects: readonly AnyObject[]): Promise<void> {
  stage = await KymaStage.open(
    (world) => {
      const { context } = world;
      metrics = async () => (await (context.metrics as ReturnType<typeof createMetrics>).scrape()).text.split("\n");
      return addKymaController(context, {
        settings: kymaSettings,
        clusters: world.clusters,
        descriptors: anyDescriptor,
        random: () => 0,
      });
    },
    accessSecret("runtime-1"),
    kyma,
    ...objects,
  );
}

const alpha = moduleObjects("alpha", { regular: "1.0.0", fast: "1.1.0" });

describe("what is written", () => {
  test("the Kyma carries our name as its field manager (I001)", async () => {
    await open(...alpha);
    await stage.settle("Ready");
    const [stored] = await stage.world.kcp.list(api, "Kyma");
    ok(stored?.metadata.managedFields?.some(({ manager }) => manager === "lifecycle-manager"));
  });

  test("a Manifest that somebody edits is put right, what others add to it stays (I061, I062, I063)", async () => {
    await open(...alpha);
    await stage.settle("Ready");
    const { name = "" } = (await stage.manifest("alpha"))?.metadata ?? {};
    const before = (await stage.manifest("alpha"))?.spec;
    const skip = { "operator.kyma-project.io/skip-reconciliation": "true" };
    await stage.patch("Manifest", name, {
      metadata: { labels: skip },
      spec: { version: "9.9.9", install: { source: { repo: "elsewhere.example.org" } } },
    });
    await stage.until(async () => (await stage.manifest("alpha"))?.spec.version === "1.0.0");
    deepEqual((await stage.manifest("alpha"))?.spec, before);
    equal((await stage.manifest("alpha"))?.metadata.labels?.["operator.kyma-project.io/skip-reconciliation"], "true");
  });

  test("a change on the control plane is followed at once (I002, I003)", async () => {
    await open(...alpha);
    await stage.settle("Ready");
    const begun = stage.world.clock.now();
    await stage.patch("Kyma", "runtime-1", { metadata: { labels: { "kyma-project.io/region": "eu" } } });
    const { channel } = (await stage.kyma())?.spec ?? {};
    equal(channel, "regular");
    await stage.patch("ModuleTemplate", "alpha-1.0.0", {
      metadata: { labels: { "operator.kyma-project.io/beta": "true" } },
    });
    await stage.until(async () => (await stage.manifests()).length === 0);
    ok(stage.world.clock.now() - begun < 10_000);
  });

  test("the resource of a cluster-scoped module has no namespace in the status (I055)", async () => {
    const objects = alpha.map((object) =>
      object.kind === "ModuleTemplate"
        ? {
            ...object,
            metadata: { ...object.metadata, annotations: { "operator.kyma-project.io/is-cluster-scoped": "true" } },
          }
        : object,
    );
    await open(...objects);
    await stage.settle("Ready");
    for (const cluster of ["kcp", "skr"] as const) {
      equal((await stage.module("alpha", cluster))?.resource?.metadata?.namespace ?? "", "");
    }
  });
});

describe("what is shown as metrics", () => {
  const seriesOf = async (name: string, state: string): Promise<readonly string[]> =>
    (await metrics()).filter((line) => line.startsWith(`${name}{`) && line.includes(`state="${state}"`));

  test("follows a Kyma and its modules until they are gone (E180, E181, E182)", async () => {
    await open(...alpha);
    await stage.settle("Ready");
    const [own] = await seriesOf("lifecycle_mgr_kyma_state", "Ready");
    match(own ?? "", /instance_id="inst-1".* 1$/);
    match(own ?? "", /shoot="shoot"/);
    match((await seriesOf("lifecycle_mgr_module_state", "Ready"))[0] ?? "", /module_name="alpha".* 1$/);
    await stage.choose({ modules: [] });
    await stage.until(async () => (await stage.module("alpha")) === undefined);
    await stage.settle("Ready");
    deepEqual(await seriesOf("lifecycle_mgr_module_state", "Ready"), []);
    await stage.remove("Kyma", "runtime-1");
    await stage.until(async () => (await stage.kyma()) === undefined);
    await stage.world.clock.advance(1_000);
    deepEqual(await seriesOf("lifecycle_mgr_kyma_state", "Ready"), []);
    ok((await metrics()).some((line) => line.includes('requeue_reason="kyma_deletion"') && line.endsWith(" 1")));
  });

  test("one that cannot be told from others is named once and has no series (U181)", async () => {
    const registry = createMetrics();
    const shown = new KymaMetrics(registry);
    const nameless = { apiVersion: api, kind: "Kyma", metadata: { name: "k" }, spec: { channel: "regular" } } as Kyma;
    match(shown.show(nameless, { state: "Ready" }) ?? "", /skr-domain must have more than two parts/);
    equal(shown.show(nameless, { state: "Error" }), undefined);
    const named = { ...kyma, metadata: { ...kyma.metadata, name: "k" } } as unknown as Kyma;
    const unmanaged = { name: "alpha", state: "Unmanaged" } as const;
    equal(shown.show(named, { state: "Ready", modules: [unmanaged] }), undefined);
    match((await registry.scrape()).text, /state="Unmanaged"} 1/);
    shown.sweep(new Set());
    equal((await registry.scrape()).text.includes("kyma_name"), false);
  });
});
