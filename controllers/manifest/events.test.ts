import { equal, ok } from "node:assert/strict";
import { afterEach, describe, test } from "@jest/globals";
import { ManifestWorld, Refusals, sampleVersions } from "../../testing/index.ts";
import { addManifestController, type ManifestController } from "./controller.ts";

const kcp = new Refusals();
let world: ManifestWorld<ManifestController>;
afterEach(async () => {
  kcp.refused = undefined;
  await world.stop();
});

async function begin(refused?: RegExp): Promise<void> {
  kcp.refused = undefined;
  world = await ManifestWorld.start(({ context, ...options }) => addManifestController(context, options), {}, { kcp });
  kcp.refused = refused;
  await world.install(world.layer(sampleVersions["1"]));
}

async function told(reason: string): Promise<void> {
  await world.world.clock.until(async () => {
    const events = await world.world.kcp.list("events.k8s.io/v1", "Event");
    const event = events.find((one) => one["reason"] === reason);
    if (event === undefined) return false;
    equal(event["action"], reason);
    equal((event["regarding"] as { kind: string }).kind, "Manifest");
    ok(String(event["note"]).length <= 100, String(event["note"]));
    return event["type"] === "Warning";
  });
  kcp.refused = undefined;
}

describe("the events of a Manifest that cannot be written, by the reasons that people know", () => {
  test("PatchObject: its finalizers could not be added", async () => {
    await begin(/^PATCH .*\/manifests\/one-alpha\?/);
    await told("PatchObject");
    await world.until("Ready");
  });

  test("PatchStatus: its status could not be written", async () => {
    await begin(/^PATCH .*\/manifests\/one-alpha\/status/);
    await told("PatchStatus");
    await world.until("Ready");
  });

  test("UpdateObject: its finalizers could not be taken off", async () => {
    await begin();
    await world.until("Ready");
    kcp.refused = /^PATCH .*\/manifests\/one-alpha(\?|$)/;
    await world.delete();
    await told("UpdateObject");
    await world.gone();
  });
});
