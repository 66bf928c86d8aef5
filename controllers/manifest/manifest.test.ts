import { deepEqual, equal, match, ok } from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "@jest/globals";
import type { Manifest } from "../../apis/operator/manifest.ts";
import { ManifestWorld, sampleModule, sampleVersions } from "../../testing/index.ts";
import { addManifestController, type ManifestController } from "./controller.ts";

let world: ManifestWorld<ManifestController>;
beforeEach(async () => {
  world = await ManifestWorld.start(({ context, ...options }) => addManifestController(context, options));
});
afterEach(async () => world.stop());

const resource = sampleModule.customResource;
const conditions = (manifest: Manifest | undefined): string[] =>
  (manifest?.status?.conditions ?? []).map(({ type, status, message }) => `${type}=${status}: ${message}`);

describe("installing", () => {
  test("brings a raw layer to the remote cluster and becomes Ready (I080, I084, 16.2-5)", async () => {
    await world.install(world.layer(sampleVersions[1]), { resource });
    const manifest = await world.until("Ready");
    const { metadata, status } = manifest;

    deepEqual(metadata.finalizers, [
      "declarative.kyma-project.io/finalizer",
      "label-removal-finalizer",
      "resource.kyma-project.io/finalizer",
    ]);
    deepEqual(conditions(manifest), [
      "Resources=True: resources are parsed and ready for use",
      "Installation=True: installation is ready and resources can be used",
      "ModuleCR=True: module CR was created",
    ]);
    equal(status?.lastOperation?.operation, "resources are ready");
    equal(status?.synced?.length, sampleVersions[1].length);
    match(metadata.annotations?.["sync-oci-ref"] ?? "", /^sha256:/);
    deepEqual(await world.names("apps/v1", "Deployment"), ["alpha"]);
    deepEqual(await world.names("demo.example.org/v1", "Alpha"), ["default"]);
  });

  test("a second pass over a Ready Manifest sends nothing to either cluster (E029, U064, M11, fault 17, fault 21)", async () => {
    await world.install(world.layer(sampleVersions[1]));
    await world.until("Ready");
    await world.world.clock.advance(1_000);
    const [kcp, skr] = [world.world.kcp.writes().length, world.world.skr.requests.length];
    await world.world.clock.advance(30 * 60_000);

    equal(world.world.kcp.writes().length, kcp);
    ok(world.world.skr.requests.length - skr <= 5, "at most one comparison falls into half an hour");
    deepEqual(world.world.skr.writes().slice(skr), []);
  });

  test("puts the inventory on record before it applies anything (fault 18)", async () => {
    await world.install(world.layer(sampleVersions[1]));
    await world.until("Ready");
    const intended = world.world.kcp.requests.findIndex(
      ({ subresource, resource }) => resource === "manifests" && subresource === "status",
    );

    ok(intended >= 0);
    equal(world.world.skr.writes()[0]?.resource, "customresourcedefinitions");
  });

  test("names the layer and applies nothing when its digest is wrong (16.2-12)", async () => {
    await world.install(`sha256:${"0".repeat(64)}`);
    const { status, metadata } = await world.until("Error");

    match(status?.lastOperation?.operation ?? "", /sha256:0{64}: expected sha256:0{64}, the registry sent/);
    equal(metadata.annotations?.["sync-oci-ref"], undefined);
    deepEqual(world.world.skr.writes(), []);
  });

  test("recovers when the reference is corrected (I085, I086)", async () => {
    await world.install("not-a-digest");
    const { status } = await world.until("Error");
    match(
      status?.lastOperation?.operation ?? "",
      /spec\.install\.source: ref is "not-a-digest", expected the digest of a layer/,
    );
    await world.upgrade(world.layer(sampleVersions[1]));

    equal((await world.until("Ready")).status?.lastOperation?.operation, "resources are ready");
  });
});

describe("upgrading", () => {
  test("applies what changed and deletes what is gone (E011)", async () => {
    await world.install(world.layer(sampleVersions[1]));
    await world.until("Ready");
    const before = world.world.skr.writes().length;
    const ref = world.layer(sampleVersions[2]);
    await world.upgrade(ref);
    await world.installed(ref);

    deepEqual(await world.names("v1", "ConfigMap"), ["settings"]);
    const written = world.world.skr
      .writes()
      .slice(before)
      .map(({ verb, resource, name }) => `${verb} ${resource}/${name}`);
    deepEqual(written, ["patch configmaps/settings", "patch deployments/alpha", "delete configmaps/old"]);
  });
});

describe("drift", () => {
  test("what somebody changes or deletes by hand is restored when an event tells of it (E030)", async () => {
    await world.install(world.layer(sampleVersions[1]));
    await world.until("Ready");
    const deployments = await world.world.skr.resource("apps/v1", "Deployment");
    const maps = await world.world.skr.resource("v1", "ConfigMap");
    const ref = { resource: deployments, namespace: "kyma-system", name: "alpha" };
    await world.world.skr.client.mergePatch(ref, { spec: { replicas: 0 } }, { fieldManager: "kubectl" });
    await world.world.skr.client.delete({ resource: maps, namespace: "kyma-system", name: "settings" });
    world.controller.remoteChanged("one");
    await world.world.clock.until(async () => (await world.names("v1", "ConfigMap")).includes("settings"));
    await world.until("Ready");

    const live = await world.world.skr.client.get(ref);
    equal((live["spec"] as { replicas: number }).replicas, 1);
  });
});

describe("deleting", () => {
  test("removes everything it brought, the operator last (E017, I082, U071, fault 1, fault 7, fault 20)", async () => {
    await world.install(world.layer(sampleVersions[1]), { resource });
    await world.until("Ready");
    await world.delete();
    await world.gone();

    const deleted = world.world.skr
      .writes()
      .filter(({ verb }) => verb === "delete")
      .map(({ resource, name }) => `${resource}/${name}`);
    deepEqual(deleted.slice(0, 1), ["alphas/default"]);
    deepEqual(deleted.slice(1, 3).toSorted(), ["configmaps/old", "configmaps/settings"]);
    deepEqual(deleted.slice(3).toSorted(), [
      "customresourcedefinitions/alphas.demo.example.org",
      "deployments/alpha",
      "serviceaccounts/alpha",
    ]);
  });

  test("waits for users' objects, in all namespaces, and names them (E032, E037, U070, fault 44)", async () => {
    await world.install(world.layer(sampleVersions[1]), { resource });
    await world.until("Ready");
    await world.world.skr.apply({ ...resource, metadata: { name: "mine", namespace: "default" } });
    await world.delete();
    const manifest = await world.until("Deleting");

    equal(manifest.status?.lastOperation?.operation, "waiting for module crs deletion: Alpha default/mine");
    ok(conditions(manifest).includes("Deletion=False: Alpha default/mine"));
    deepEqual(await world.names("apps/v1", "Deployment"), ["alpha"]);
  });

  test("needs neither registry nor source (M4, fault 9, fault 13, fault 14)", async () => {
    await world.install(world.layer(sampleVersions[1]));
    await world.until("Ready");
    await world.upgrade(`sha256:${"1".repeat(64)}`);
    await world.until("Error");
    await world.delete();
    await world.gone();

    deepEqual(await world.names("v1", "ConfigMap"), []);
  });
});
