import { deepEqual, equal, ok } from "node:assert/strict";
import { afterEach, describe, test } from "@jest/globals";
import type { AnyObject, TransportRequest } from "@kyma-operators/kube";
import type { ModuleReleaseMeta } from "../../apis/operator/module-release-meta.ts";
import { accessSecret, KymaStage, kymaObject, moduleObjects, Refusals } from "../../testing/index.ts";
import { addKymaController } from "./controller.ts";
import { anyDescriptor, kymaSettings } from "./kyma-stage.ts";
import type { KymaSettings } from "./options.ts";

const hourMs = 3_600_000;
const api = "operator.kyma-project.io/v1beta2";

/** Counts what is asked of the remote cluster, and refuses what a test wants refused. */
class Watched extends Refusals {
  requests = 0;

  override request(request: TransportRequest) {
    this.requests += 1;
    return super.request(request);
  }
}

let stage: KymaStage;
let skr: Watched;
afterEach(async () => {
  skr.refused = undefined;
  await stage.close();
});

/** Nobody looks at a settled Kyma again for an hour. */
async function begin(changed: Partial<KymaSettings> = {}): Promise<void> {
  const settings = {
    ...kymaSettings,
    ...changed,
    intervals: { ...kymaSettings.intervals, successMs: hourMs },
    remoteResyncMs: 24 * hourMs,
  };
  skr = new Watched();
  stage = await KymaStage.openWith(
    { skr },
    (world) =>
      addKymaController(world.context, {
        settings,
        clusters: world.clusters,
        descriptors: anyDescriptor,
        random: () => 0.5,
      }),
    accessSecret("runtime-1"),
    ...moduleObjects("alpha", { regular: "1.0.0" }),
    kymaObject("runtime-1", { channel: "regular", modules: [{ name: "alpha" }] }),
  );
  await stage.settle("Ready");
  await stage.world.clock.advance(10_000);
  skr.requests = 0;
}

const release = async (...objects: readonly AnyObject[]): Promise<unknown> => stage.world.kcp.apply(...objects);

async function versionThere(module: string): Promise<string | undefined> {
  const metas = (await stage.world.skr.list(api, "ModuleReleaseMeta")) as unknown as readonly ModuleReleaseMeta[];
  return metas.find(({ metadata }) => metadata.name === module)?.spec.channels?.[0]?.version;
}

describe("a changed catalog", () => {
  test("reaches the clusters that show another one within seconds, by one write per object", async () => {
    await begin();
    await release(...moduleObjects("bravo", { regular: "2.0.0" }));
    await stage.world.clock.advance(2_000);
    equal(await versionThere("bravo"), "2.0.0");
    deepEqual(await stage.remoteNames("ModuleTemplate"), ["alpha-1.0.0", "bravo-2.0.0"]);
    equal(skr.requests, 4, "two lists, two writes");
  });

  test("costs nothing where it shows nothing new", async () => {
    await begin();
    const beta = { "operator.kyma-project.io/beta": "true" };
    const [template, meta] = moduleObjects("bravo", { regular: "2.0.0" }) as [AnyObject, AnyObject];
    await release({ ...template, metadata: { ...template.metadata, labels: beta } }, meta);
    await stage.world.clock.advance(10_000);
    equal(skr.requests, 0);
  });

  test("does not bring an upgrade before its time", async () => {
    await begin({ rolloutMaxDelayMs: 300_000 });
    await release(...moduleObjects("alpha", { regular: "1.1.0" }));
    await stage.world.clock.advance(2_000);
    equal(await versionThere("alpha"), "1.1.0");
    await stage.world.clock.advance(100_000);
    equal((await stage.manifest("alpha"))?.spec.version, "1.0.0");
    await stage.world.clock.advance(60_000);
    equal((await stage.manifest("alpha"))?.spec.version, "1.1.0");
  });

  test("that cannot be brought there is reported by the Kyma, and comes later", async () => {
    await begin();
    skr.refused = /v1beta2\/.*moduletemplates/;
    await release(...moduleObjects("bravo", { regular: "2.0.0" }));
    await stage.world.clock.advance(20_000);
    const { state, conditions = [] } = await stage.status();
    equal(state, "Error");
    equal(conditions.find(({ type }) => type === "ModuleCatalog")?.status, "False");
    skr.refused = undefined;
    await stage.settle("Ready");
    equal(await versionThere("bravo"), "2.0.0");
  });

  test("is not brought to the cluster of a Kyma that is paused", async () => {
    await begin();
    const label = { "operator.kyma-project.io/skip-reconciliation": "true" };
    await stage.patch("Kyma", "runtime-1", { metadata: { labels: label } });
    await stage.world.clock.advance(2_000);
    skr.requests = 0;
    await release(...moduleObjects("bravo", { regular: "2.0.0" }));
    await stage.world.clock.advance(10_000);
    equal(skr.requests, 0);
    ok((await versionThere("bravo")) === undefined);
  });
});
