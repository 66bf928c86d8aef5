import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import { afterEach, describe, test } from "@jest/globals";
import type { AnyObject, Client, TransportRequest } from "@kyma-operators/kube";
import { type ControllerDefinition, type ManagerContext, silentLogger } from "@kyma-operators/runtime";
import type { Kyma } from "../../apis/operator/kyma.ts";
import type { ModuleReleaseMeta } from "../../apis/operator/module-release-meta.ts";
import {
  accessSecret,
  FakeClock,
  KymaStage,
  kymaObject,
  moduleObjects,
  Refusals,
  type RequestFault,
} from "../../testing/index.ts";
import { CatalogIndex } from "./catalog-index.ts";
import { CatalogRollout } from "./catalog-rollout.ts";
import { addKymaController } from "./controller.ts";
import { anyDescriptor, kymaSettings } from "./kyma-stage.ts";
import type { KymaSettings } from "./options.ts";
import { AccessSecrets } from "./remote/access-secrets.ts";
import { RemoteViews } from "./remote/views.ts";

const hourMs = 3_600_000;
const api = "operator.kyma-project.io/v1beta2";

/** Counts what is asked of the remote cluster; refuses what a test wants refused, and keeps one request waiting. */
class Watched extends Refusals {
  requests = 0;
  /** The next request that matches arrives ten seconds late. */
  late: RegExp | undefined;

  override request(request: TransportRequest): RequestFault | undefined {
    this.requests += 1;
    if (this.late?.test(`${request.method} ${request.path}`) !== true) return super.request(request);
    this.late = undefined;
    return { kind: "delay", delayMs: 10_000 };
  }
}

let stage: KymaStage;
let skr: Watched;

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
  await settled();
}

/** Until nothing happens any more. */
async function settled(): Promise<void> {
  await stage.settle("Ready");
  await stage.world.clock.advance(10_000);
  skr.requests = 0;
}

/** Makes a pass over the Kyma that looks at everything but what is known of its cluster. */
const touch = async (note: string): Promise<void> =>
  stage.patch("Kyma", "runtime-1", { metadata: { annotations: { "example.org/note": note } } });

const release = async (...objects: readonly AnyObject[]): Promise<unknown> => stage.world.kcp.apply(...objects);

async function versionThere(module: string): Promise<string | undefined> {
  const metas = (await stage.world.skr.list(api, "ModuleReleaseMeta")) as unknown as readonly ModuleReleaseMeta[];
  return metas.find(({ metadata }) => metadata.name === module)?.spec.channels?.[0]?.version;
}

describe("a changed catalog", () => {
  afterEach(async () => {
    skr.refused = undefined;
    await stage.close();
  });

  test("reaches the clusters that show another one within seconds, by one write per object", async () => {
    await begin();
    await release(...moduleObjects("bravo", { regular: "2.0.0" }));
    await stage.world.clock.advance(2_000);
    equal(await versionThere("bravo"), "2.0.0");
    deepEqual(await stage.remoteNames("ModuleTemplate"), ["alpha-1.0.0", "bravo-2.0.0"]);
    equal(skr.requests, 4, "two lists, two writes");
  });

  test("costs nothing where it shows nothing new, and later only what is new", async () => {
    await begin();
    const beta = { "operator.kyma-project.io/beta": "true" };
    const [template, meta] = moduleObjects("bravo", { regular: "2.0.0" }) as [AnyObject, AnyObject];
    await release({ ...template, metadata: { ...template.metadata, labels: beta } }, meta);
    await stage.world.clock.advance(10_000);
    equal(skr.requests, 0);
    await release(...moduleObjects("charlie", { regular: "2.0.0" }));
    await stage.world.clock.advance(10_000);
    equal(skr.requests, 4, "two lists, two writes");
    equal(await versionThere("bravo"), undefined);
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

  const leftAlone = [
    ["is paused", { metadata: { labels: { "operator.kyma-project.io/skip-reconciliation": "true" } } }, undefined],
    ["nobody manages", { status: { state: "Unmanaged" } }, "status"],
  ] as const;

  for (const [what, patch, subresource] of leftAlone)
    test(`is not brought any more to the cluster of a Kyma that ${what}`, async () => {
      await begin();
      await release(...moduleObjects("bravo", { regular: "2.0.0" }));
      await stage.world.clock.advance(2_000);
      equal(await versionThere("bravo"), "2.0.0");
      await stage.patch("Kyma", "runtime-1", patch, subresource);
      await stage.world.clock.advance(2_000);
      skr.requests = 0;
      await release(...moduleObjects("charlie", { regular: "2.0.0" }));
      await stage.world.clock.advance(10_000);
      equal(skr.requests, 0);
      equal(await versionThere("charlie"), undefined);
    });

  test("replaces an older one that a pass was about to show", async () => {
    await begin();
    skr.late = /^GET .*v1beta2\/modulereleasemetas/;
    await release(...moduleObjects("bravo", { regular: "2.0.0" }));
    await touch("1");
    await stage.world.clock.advance(100);
    equal(skr.late, undefined, "the pass is on its way");
    await release(...moduleObjects("bravo", { regular: "2.1.0" }));
    await stage.world.clock.advance(20_000);
    equal(await versionThere("bravo"), "2.1.0");
    deepEqual(await stage.remoteNames("ModuleTemplate"), ["alpha-1.0.0", "bravo-2.1.0"]);
    await settled();
    await touch("2");
    await stage.world.clock.advance(10_000);
    equal(skr.requests, 0);
  });

  test("replaces one that is on its way to a cluster that is looked at anew", async () => {
    await begin();
    skr.late = /^GET .*v1beta2\/modulereleasemetas/;
    await stage.tell();
    await stage.world.clock.advance(100);
    equal(skr.late, undefined, "the pass is on its way");
    await release(...moduleObjects("bravo", { regular: "2.0.0" }));
    await stage.world.clock.advance(20_000);
    equal(await versionThere("bravo"), "2.0.0");
  });

  test("of which some objects have no spec shows all others", async () => {
    await begin();
    const [template, meta] = moduleObjects("broken", { regular: "2.0.0" }) as [AnyObject, AnyObject];
    const bare = [template, meta].map(({ apiVersion, kind, metadata }) => ({ apiVersion, kind, metadata }));
    await release(...bare, { ...kymaObject("runtime-2", { channel: "regular" }), spec: undefined });
    await release(...moduleObjects("bravo", { regular: "2.0.0" }));
    await stage.world.clock.advance(10_000);
    equal(await versionThere("bravo"), "2.0.0");
    deepEqual(await stage.remoteNames("ModuleReleaseMeta"), ["alpha", "bravo"]);
    await settled();
    await stage.remove("ModuleReleaseMeta", "broken");
    await touch("1");
    await settled();
  });
});

test("a rollout that is broken off blames nobody: it is begun again where it may go on", async () => {
  let definition: ControllerDefinition | undefined;
  const clock = new FakeClock();
  const context = { clock, log: silentLogger, addController: (one: ControllerDefinition) => (definition = one) };
  const stop = new AbortController();
  const list = async (): Promise<never> => {
    stop.abort(new Error("the lease is lost"));
    throw stop.signal.reason;
  };
  const kyma = kymaObject("runtime-1", { channel: "regular" }) as unknown as Kyma;
  const storeOf = (object: unknown) => ({ get: () => object, list: () => [object], byIndex: () => [object] }) as never;
  const access = new AccessSecrets({} as Client, storeOf(accessSecret("runtime-1")), {
    open: () => ({ list }) as unknown as Client,
    evict: () => undefined,
  });
  const views = new RemoteViews();
  const { id } = await access.connect(kyma);
  views.renew("runtime-1", id, 0).catalog = "another";
  const woken: unknown[] = [];
  const catalog = new CatalogIndex("kcp-system", { metas: () => [], templates: () => [] }, kymaSettings);
  const wakeKyma = (key: unknown) => void woken.push(key);
  const deps = { access, catalog, views, kymas: storeOf(kyma), wakeKyma };
  ok(new CatalogRollout(context as unknown as ManagerContext, deps));
  const key = { namespace: "kcp-system", name: "runtime-1" };
  const pass = { now: 0, log: silentLogger, signal: stop.signal };
  await rejects(async () => definition?.reconcile(key, pass), /the lease is lost/);
  deepEqual(woken, []);
});
