import { deepEqual, equal, notDeepEqual, ok } from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, test } from "@jest/globals";
import { type AnyObject, optional } from "@kyma-operators/kube";
import { load } from "js-yaml";
import { kinds } from "../apis/operator/group.ts";
import { addManifestController, type ManifestController } from "../controllers/manifest/index.ts";
import { ManifestWorld, ourCrds } from "../testing/index.ts";
import { casesDir } from "./cases-dir.ts";
import { comparable, install, moduleFile, recorded, states } from "./manifest-trace.ts";

/** Whoever applied something here; the original applies by the same name. */
const applier = "declarative.kyma-project.io/applier";
const api = "operator.kyma-project.io/v1beta2";
const crds = "apiextensions.k8s.io/v1";
const originalCrds = kinds.map(({ group, plural }) => {
  const file = join(casesDir, "reference/crds/lifecycle-manager", `${group}_${plural}.yaml`);
  const { apiVersion, kind, metadata, spec } = load(readFileSync(file, "utf8")) as AnyObject & { spec: unknown };
  return { apiVersion, kind, metadata: { name: metadata.name }, spec } as AnyObject;
});

let world: ManifestWorld<ManifestController>;
beforeAll(async () => {
  world = await ManifestWorld.start(({ context, ...options }) => addManifestController(context, options));
  await install(world, "1.0.0");
  const ref = world.layer(moduleFile("1.1.0"));
  await world.upgrade(ref, "1.1.0");
  await world.installed(ref);
  await world.world.halt();
});
afterAll(async () => world.stop());

/** What the original writes into a status: it reads what is there into its own fields, so that ours are lost. */
async function writeStatusAsOriginal(state: string): Promise<void> {
  const { kcp } = world.world;
  const { metadata, status } = (await world.manifest()) ?? {};
  const { inventory: _unknown, ...known } = { ...status };
  const intent = {
    apiVersion: api,
    kind: "Manifest",
    metadata: { name: metadata?.name, namespace: metadata?.namespace },
    status: { ...known, state },
  };
  const options = { fieldManager: applier, subresource: "status" };
  await kcp.client.apply(await kcp.resource(api, "Manifest"), intent as AnyObject, options);
}

interface Applied {
  readonly before: AnyObject | undefined;
  readonly after: AnyObject;
}

/** Applies a version of the module as the original does, but without the right to take fields from somebody else. */
async function applyAsOriginal(version: string): Promise<readonly Applied[]> {
  const { skr } = world.world;
  const found: Applied[] = [];
  for (const object of moduleFile(version)) {
    const resource = await skr.resource(object.apiVersion, object.kind);
    const { name = "" } = object.metadata;
    const namespace = resource.namespaced ? { namespace: object.metadata.namespace ?? "kyma-system" } : {};
    const before = await optional(skr.client.get({ resource, name, ...namespace }));
    const { labels = {}, annotations = {} } = before?.metadata ?? {};
    // What controllers of the cluster have annotated is nothing that is applied.
    const own = Object.entries(annotations).filter(([key]) => key.includes("kyma-project.io"));
    const metadata = { ...object.metadata, ...namespace, labels, annotations: Object.fromEntries(own) };
    found.push({ before, after: await skr.client.apply(resource, { ...object, metadata }, { fieldManager: applier }) });
  }
  return found;
}

const inventoryOf = async (): Promise<object | undefined> => (await world.manifest())?.status?.inventory;
const fingerprint = async (): Promise<string | undefined> => (await world.manifest())?.status?.inventory?.fingerprint;

describe("an installation that is given back to the original", () => {
  test("has no finalizer that the original would not remove", async () => {
    const known = new Set(
      states.filter(({ kind }) => kind === "Manifest").flatMap(({ metadata }) => metadata?.finalizers ?? []),
    );
    const { finalizers = [] } = (await world.manifest())?.metadata ?? {};
    deepEqual(
      finalizers.filter((finalizer) => !known.has(finalizer)),
      [],
    );
  });

  test("lets it apply what is there: no conflict, and nothing changes", async () => {
    for (const { before, after } of await applyAsOriginal("1.1.0")) {
      equal(after.metadata.resourceVersion, before?.metadata.resourceVersion, `${after.kind} ${after.metadata.name}`);
    }
  });

  test("lets it write the status: ours goes, and its own is as it would have been", async () => {
    ok(await inventoryOf());
    await writeStatusAsOriginal("Ready");
    equal(await inventoryOf(), undefined);
    deepEqual(comparable((await world.manifest())?.status), comparable(recorded("03-change-channel-upgrade").status));
  });

  test("lets it go back to an older version of a module, of which nothing newer is left", async () => {
    const applied = await applyAsOriginal("1.0.0");
    const settings = applied.find(({ after }) => after.metadata.name === "alpha-config");
    const wanted = moduleFile("1.0.0").find(({ metadata }) => metadata.name === "alpha-config");
    notDeepEqual(settings?.before?.["data"], wanted?.["data"]);
    deepEqual(settings?.after["data"], wanted?.["data"]);
    await applyAsOriginal("1.1.0");
  });

  test("takes its CRDs with the same stored version, and keeps every object", async () => {
    const before = await world.manifest();
    await world.world.kcp.apply(...originalCrds);
    for (const { metadata, status } of await world.world.kcp.list(crds, "CustomResourceDefinition")) {
      deepEqual((status as { storedVersions?: unknown }).storedVersions, ["v1beta2"], metadata.name);
    }
    deepEqual(await world.manifest(), before);
    await writeStatusAsOriginal("Processing");
    await writeStatusAsOriginal("Ready");
  });

  test("is taken over once more: the inventory is made again, and nothing is deleted or made anew", async () => {
    await world.world.kcp.apply(...(await ourCrds()));
    const { synced } = (await world.manifest())?.status ?? {};
    const written = world.writes().length;
    await world.restart();
    await world.world.clock.until(async () => (await fingerprint()) !== undefined);
    deepEqual(
      world.writes(written).filter((write) => !write.startsWith("patch ")),
      [],
    );
    deepEqual((await world.manifest())?.status?.synced, synced);
  });
});
