import { deepEqual, ok } from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "@jest/globals";
import type { AnyObject } from "@kyma-operators/kube";
import { addManifestController, type ManifestController } from "../controllers/manifest/index.ts";
import { ManifestWorld } from "../testing/index.ts";
import {
  comparable,
  install,
  manifestName,
  moduleFile,
  type RecordedMetadata,
  recorded,
  states,
} from "./manifest-trace.ts";

let world: ManifestWorld<ManifestController>;
beforeEach(async () => {
  world = await ManifestWorld.start(({ context, ...options }) => addManifestController(context, options));
});
afterEach(async () => world.stop());

describe("a module's life, as the original was seen to live it", () => {
  test("the settled Manifest of a first installation has the recorded status and finalizers", async () => {
    await install(world, "1.0.0");
    const { status, metadata } = (await world.manifest()) ?? {};
    const expected = recorded("01-first-install");

    deepEqual(comparable(status), comparable(expected.status));
    deepEqual(metadata?.finalizers, expected.metadata?.finalizers);
    ok(metadata?.annotations?.["sync-oci-ref"]?.startsWith("sha256:"));
  });

  test("the settled Manifest of an upgrade has the recorded status", async () => {
    await install(world, "1.0.0");
    const ref = world.layer(moduleFile("1.1.0"));
    await world.upgrade(ref, "1.1.0");
    await world.installed(ref);

    deepEqual(comparable((await world.manifest())?.status), comparable(recorded("03-change-channel-upgrade").status));
  });

  test("objects on the remote cluster carry the recorded labels, annotations and field manager", async () => {
    await install(world, "1.0.0");
    const first = states.filter(
      ({ story, cluster, event }) => story === "01-first-install" && cluster === "skr" && event === "CREATED",
    );
    const mine = first.filter(({ metadata }) => metadata?.labels?.["app.kubernetes.io/component"] === manifestName);
    ok(mine.length >= 7, `${mine.length} recorded objects`);

    for (const { kind, name, metadata } of mine) {
      const found = shownMetadata(await liveObject(kind, name));
      const expected = JSON.parse(JSON.stringify(metadata).replaceAll(manifestName, "one-alpha")) as RecordedMetadata;
      deepEqual(found.labels, expected.labels, `labels of ${kind} ${name}`);
      deepEqual(found.annotations, Object.keys(expected.annotations ?? {}).toSorted());
      ok(found.managers.includes(String(expected.managers?.[0])), `${kind} ${name}: ${found.managers.join(", ")}`);
    }
  });

  test("a deletion removes the recorded objects, the operator's after the others", async () => {
    await install(world, "1.0.0");
    const before = world.writes().length;
    await world.delete();
    await world.gone();

    const deleted = world.writes(before).filter((write) => write.startsWith("delete "));
    const at = (what: string): number => deleted.findIndex((write) => write.includes(what));
    ok(at("alphas/alpha-sample") < at("configmaps/"), "the module CR goes first");
    ok(at("configmaps/alpha-config") < at("deployments/"), "the operator goes last");
    deepEqual(await world.names("apiextensions.k8s.io/v1", "CustomResourceDefinition"), []);
  });
});

async function liveObject(kind: string, name: string): Promise<AnyObject> {
  const synced = (await world.manifest())?.status?.synced ?? [];
  const ref = synced.find((entry) => entry.kind === kind && entry.name === name);
  if (ref === undefined) throw new Error(`${kind} ${name} is not in the inventory`);
  const apiVersion = ref.group === "" ? ref.version : `${ref.group}/${ref.version}`;
  const live = (await world.world.skr.list(apiVersion, kind)).find(({ metadata }) => metadata.name === name);
  if (live === undefined) throw new Error(`${kind} ${name} is not on the cluster`);
  return live;
}

/** What the record has of an object. Controllers of the cluster annotate as well: their keys are left out. */
function shownMetadata({ metadata: { labels, annotations = {}, managedFields = [] } }: AnyObject) {
  return {
    labels,
    annotations: Object.keys(annotations)
      .filter((key) => key.includes("kyma-project.io"))
      .toSorted(),
    managers: managedFields.map(({ manager = "", operation = "" }) => `${manager} ${operation}`),
  };
}
