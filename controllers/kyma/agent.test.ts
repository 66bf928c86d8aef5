import { deepEqual, equal, ok } from "node:assert/strict";
import { setImmediate } from "node:timers/promises";
import { afterEach, beforeEach, test } from "@jest/globals";
import { accessSecret, KymaStage, kymaObject, moduleObjects } from "../../testing/index.ts";
import { addKymaController } from "./controller.ts";
import { anyDescriptor, kymaSettings } from "./kyma-stage.ts";
import type { AgentView, WebhookSync } from "./options.ts";

/** Plays the watcher: an agent that a test calls ready, and a certificate. */
class Watcher implements WebhookSync {
  readonly looks: number[] = [];
  /** What each look was told of the one before. */
  readonly told: (AgentView | undefined)[] = [];
  /** What happens while the next look waits for its answer. */
  meanwhile: (() => Promise<void>) | undefined;
  view: AgentView = { digest: "1", ready: false, seenAtMs: 0, changedAtMs: 0 };
  certificates = new Set(["runtime-1"]);

  async sync(...[, , known, { now }]: Parameters<WebhookSync["sync"]>): Promise<AgentView> {
    this.looks.push(now);
    this.told.push(known);
    const happening = this.meanwhile;
    this.meanwhile = undefined;
    await happening?.();
    return known?.ready === this.view.ready && known.digest === this.view.digest ? known : this.view;
  }

  async hasCertificate(name: string): Promise<boolean> {
    return this.certificates.has(name);
  }

  async deleteCertificate(name: string): Promise<void> {
    this.certificates.delete(name);
  }

  async remove(): Promise<boolean> {
    return false;
  }
}

let stage: KymaStage;
let watcher: Watcher;
beforeEach(async () => {
  watcher = new Watcher();
  stage = await KymaStage.open(
    (world) =>
      addKymaController(world.context, {
        settings: { ...kymaSettings, remoteResyncMs: 86_400_000 },
        clusters: world.clusters,
        descriptors: anyDescriptor,
        webhook: watcher,
        random: () => 0,
      }),
    accessSecret("runtime-1"),
    ...moduleObjects("alpha", { regular: "1.0.0" }),
    kymaObject("runtime-1", { channel: "regular", modules: [{ name: "alpha" }] }),
  );
});
afterEach(async () => stage.close());

test("an agent that starts is looked for soon, then less and less often", async () => {
  await stage.until(async () => (await stage.manifests()).length === 1);
  await stage.report("Ready");
  await stage.until(async () => watcher.looks.length > 1);
  watcher.looks.length = 0;
  await stage.world.clock.advance(30_000);
  const waits = watcher.looks.slice(1).map((at, index) => at - (watcher.looks[index] ?? 0));
  ok(waits.length >= 5 && waits.length <= 12, waits.join());
  deepEqual(
    waits,
    waits.toSorted((a, b) => a - b),
  );
  watcher.view = { digest: "1", ready: true, seenAtMs: 0, changedAtMs: 0 };
  await stage.settle("Ready");
});

test("what a user changes while the agent starts is followed once it serves, though nobody has told", async () => {
  await stage.until(async () => (await stage.manifests()).length === 1);
  await stage.report("Ready");
  await stage.until(async () => watcher.looks.length > 1);
  const resource = await stage.world.skr.resource("operator.kyma-project.io/v1beta2", "Kyma");
  const ref = { resource, namespace: "kyma-system", name: "default" };
  await stage.world.skr.client.mergePatch(ref, { spec: { modules: [] } });
  watcher.view = { digest: "1", ready: true, seenAtMs: 0, changedAtMs: 0 };
  await stage.until(async () => (await stage.manifests()).every(({ metadata }) => metadata.deletionTimestamp));
  await stage.world.clock.advance(1_000);
});

test("what a user changes before an agent listens that is called ready is followed, though nobody has told", async () => {
  await stage.until(async () => (await stage.manifests()).length === 1);
  await stage.report("Ready");
  await stage.until(async () => watcher.looks.length > 1);
  watcher.view = { digest: "1", ready: true, seenAtMs: 0, changedAtMs: 0 };
  await stage.settle("Ready");
  const resource = await stage.world.skr.resource("operator.kyma-project.io/v1beta2", "Kyma");
  const ref = { resource, namespace: "kyma-system", name: "default" };
  await stage.world.skr.client.mergePatch(ref, { spec: { modules: [] } });
  await stage.world.clock.advance(6_000);
  ok((await stage.manifests()).every(({ metadata }) => metadata.deletionTimestamp));
  await stage.world.clock.advance(1_000);
  const requests = stage.world.skr.requests.length;
  await stage.world.clock.advance(600_000);
  equal(stage.world.skr.requests.length, requests);
});

/** What a user does on the cluster, without anybody who tells of it. */
async function takeModulesAway(): Promise<void> {
  const resource = await stage.world.skr.resource("operator.kyma-project.io/v1beta2", "Kyma");
  const ref = { resource, namespace: "kyma-system", name: "default" };
  await stage.world.skr.client.mergePatch(ref, { spec: { modules: [] } });
}

async function areModulesTakenAway(): Promise<boolean> {
  return (await stage.manifests()).every(({ metadata }) => metadata.deletionTimestamp);
}

const readsOfRemoteKyma = (): number =>
  stage.world.skr.requests.filter(({ method, path }) => method === "GET" && /\/kymas\/default/.test(path)).length;

test("what a user changes while a new Pod takes the agent's place is followed, though nobody has told", async () => {
  watcher.view = { digest: "1", ready: true, seenAtMs: 0, changedAtMs: 0 };
  await stage.settle("Ready");
  await stage.world.clock.advance(60_000);
  const looks = watcher.looks.length;
  watcher.view = { digest: "2", ready: true, seenAtMs: 0, changedAtMs: 0 };
  await stage.until(async () => watcher.looks.length > looks);
  await stage.world.clock.advance(10_000);
  await takeModulesAway();
  await stage.world.clock.advance(35_000);
  ok(await areModulesTakenAway());
});

for (const [what, happens] of [
  ["the process dies", async () => stage.restart()],
  ["everything is looked at anew", async () => stage.tell()],
] as const)
  test(`what a user changes before the agent listens is followed, also when ${what} meanwhile`, async () => {
    watcher.view = { digest: "1", ready: false, seenAtMs: 0, changedAtMs: 0 };
    await stage.until(async () => watcher.looks.length > 1);
    watcher.view = { digest: "1", ready: true, seenAtMs: 0, changedAtMs: stage.world.clock.now() };
    await stage.settle("Ready");
    await happens();
    await stage.world.clock.advance(1_000);
    await takeModulesAway();
    await stage.world.clock.advance(35_000);
    ok(await areModulesTakenAway());
  });

test("a new process reads the Kyma of a cluster once whose agent has served for long", async () => {
  watcher.view = { digest: "1", ready: true, seenAtMs: 0, changedAtMs: stage.world.clock.now() };
  await stage.settle("Ready");
  await stage.world.clock.advance(120_000);
  const before = readsOfRemoteKyma();
  await stage.restart();
  await stage.world.clock.advance(600_000);
  equal(readsOfRemoteKyma() - before, 1);
});

test("a settled Kyma still has its certificate looked after, and notices an agent that is not as it was", async () => {
  watcher.view = { digest: "1", ready: true, seenAtMs: 0, changedAtMs: 0 };
  await stage.settle("Ready");
  await stage.world.clock.advance(1_000);
  const [looks, requests] = [watcher.looks.length, stage.world.skr.requests.length];
  await stage.world.clock.advance(1_200_000);
  ok(watcher.looks.length >= looks + 3);
  equal(stage.world.skr.requests.length, requests);
  watcher.view = { digest: "2", ready: false, seenAtMs: 0, changedAtMs: 0 };
  watcher.told.length = 0;
  await stage.until(async () => (await stage.status()).state === "Processing");
  deepEqual(
    watcher.told.slice(0, 2).map((told) => told?.digest),
    ["1", "2"],
  );
});

test("a Manifest that fails while the agent is looked after is seen by the next pass", async () => {
  watcher.view = { digest: "1", ready: true, seenAtMs: 0, changedAtMs: 0 };
  await stage.settle("Ready");
  await stage.world.clock.advance(1_000);
  watcher.meanwhile = async () => {
    await stage.report("Error", "the pods crash");
    for (let turn = 0; turn < 50; turn += 1) await setImmediate();
  };
  // A pass that does everything and finds nothing to do.
  await stage.patch("Kyma", "runtime-1", { metadata: { annotations: { "example.org/note": "1" } } });
  await stage.until(async () => (await stage.status()).state === "Error");
});

test("the certificate goes with a Kyma that nobody could take down in order (12.2-24)", async () => {
  watcher.view = { digest: "1", ready: true, seenAtMs: 0, changedAtMs: 0 };
  await stage.settle("Ready");
  const labels = { "operator.kyma-project.io/skip-reconciliation": "true" };
  await stage.patch("Kyma", "runtime-1", { metadata: { labels, finalizers: null } });
  await stage.remove("Kyma", "runtime-1");
  await stage.until(async () => watcher.certificates.size === 0);
});
