import { deepEqual, equal } from "node:assert/strict";
import { afterEach, describe, test } from "@jest/globals";
import type { AnyObject } from "@kyma-operators/kube";
import type { Manifest } from "../../apis/operator/manifest.ts";
import { kymaObject, type LifecycleWorld, Refusals, startLifecycleWorld, templateObject } from "../../testing/index.ts";
import { addMandatoryModuleControllers } from "./controller.ts";

const api = "operator.kyma-project.io/v1beta2";

const anchor = (version: string, component = "example.org/module/anchor"): AnyObject => ({
  apiVersion: api,
  kind: "ModuleReleaseMeta",
  metadata: { name: "anchor", namespace: "kcp-system" },
  spec: { moduleName: "anchor", ocmComponentName: component, mandatory: { version } },
});
const kyma = kymaObject("runtime-1", { channel: "regular" });

const kcp = new Refusals();
let world: LifecycleWorld;
afterEach(async () => {
  kcp.refused = undefined;
  await world.stop();
});

async function begin(...objects: readonly AnyObject[]): Promise<void> {
  world = await startLifecycleWorld({ kcp });
  await world.kcp.apply(...objects);
  addMandatoryModuleControllers(world.context, {
    settings: {
      namespace: "kcp-system",
      syncNamespace: "kyma-system",
      registry: "registry.example.org",
      requeueMs: 30_000,
      rolloutMaxDelayMs: 0,
      concurrency: 2,
      backoff: { firstMs: 5_000, maxMs: 30_000 },
    },
    descriptors: {
      get: async ({ component, version }) => ({
        name: component,
        version,
        repositoryContexts: [{ type: "OCIRegistry" }],
        resources: [
          { name: "raw-manifest", type: "yaml", access: { type: "localBlob", localReference: `sha256:${version}` } },
        ],
      }),
    },
    random: () => 0,
  });
  world.start();
}

async function manifestsOf(): Promise<readonly Manifest[]> {
  return (await world.kcp.list(api, "Manifest")) as unknown as readonly Manifest[];
}

const versions = async (): Promise<unknown> => (await manifestsOf()).map(({ spec }) => spec.version);

async function remove(kind: string, name: string): Promise<void> {
  const resource = await world.kcp.resource(api, kind);
  await world.kcp.client.delete({ resource, namespace: "kcp-system", name });
}

describe("mandatory modules", () => {
  test("come to every Kyma also where other objects of the catalog have no spec", async () => {
    const bare = ["ModuleReleaseMeta", "ModuleTemplate"].map((kind) => ({
      apiVersion: api,
      kind,
      metadata: { name: "bare", namespace: "kcp-system" },
    }));
    await begin(...bare, kyma, anchor("1.0.0"), templateObject("anchor", "1.0.0"));
    await world.clock.until(async () => (await manifestsOf()).length === 1);
    await remove("ModuleReleaseMeta", "bare");
  });

  test("every Kyma gets them, and nothing is written again (E070, E071, I070, I072, U151)", async () => {
    await begin(
      kyma,
      kymaObject("runtime-2", { channel: "regular" }),
      anchor("1.0.0"),
      templateObject("anchor", "1.0.0"),
    );
    await world.clock.until(async () => (await manifestsOf()).length === 2);
    const [manifest] = await manifestsOf();
    equal(manifest?.metadata.labels?.["operator.kyma-project.io/mandatory-module"], "true");
    equal(manifest?.metadata.labels?.["operator.kyma-project.io/channel"], undefined);
    await world.clock.advance(1_000);
    const before = world.kcp.writes().length;
    await world.clock.advance(600_000);
    equal(world.kcp.writes().length, before);
  });

  test("another version is applied, also a lower one (E074)", async () => {
    await begin(kyma, anchor("2.0.0"), templateObject("anchor", "2.0.0"), templateObject("anchor", "1.0.0"));
    await world.clock.until(async () => (await manifestsOf()).length === 1);
    await world.kcp.apply(anchor("1.0.0"));
    await world.clock.until(async () => JSON.stringify(await versions()) === '["1.0.0"]');
  });

  test("a missing template does not keep the other modules away, and is told of at the release (U151)", async () => {
    const other: AnyObject = {
      ...anchor("1.0.0", "example.org/module/buoy"),
      metadata: { name: "buoy", namespace: "kcp-system" },
    };
    other["spec"] = { ...(other["spec"] as object), moduleName: "buoy" };
    await begin(kyma, anchor("3.0.0"), other, templateObject("buoy", "1.0.0"));
    await world.clock.until(async () => (await manifestsOf()).length === 1);
    const events = async () => (await world.kcp.list("events.k8s.io/v1", "Event")).map((event) => event["reason"]);
    await world.clock.until(async () => (await events()).includes("MandatoryModuleInstallationError"));
    await world.kcp.apply(templateObject("anchor", "3.0.0"));
    await world.clock.until(async () => (await manifestsOf()).length === 2);
  });

  test("a Kyma that is paused or on its way out gets none (I073, U150, U151)", async () => {
    const paused = kymaObject(
      "runtime-1",
      { channel: "regular" },
      { labels: { "operator.kyma-project.io/skip-reconciliation": "true" } },
    );
    await begin(paused, anchor("1.0.0"), templateObject("anchor", "1.0.0"));
    await world.clock.advance(60_000);
    deepEqual(await manifestsOf(), []);
  });

  test("a deleted Manifest comes back; a deleted release takes all its Manifests along, and only those (E075, I071, U152, U153)", async () => {
    await begin(kyma, anchor("1.0.0"), templateObject("anchor", "1.0.0"));
    await world.clock.until(async () => (await manifestsOf()).length === 1);
    const [manifest] = await manifestsOf();
    await remove("Manifest", manifest?.metadata.name ?? "");
    await world.clock.until(async () => (await manifestsOf()).length === 1);

    const regular = structuredClone(manifest) as unknown as AnyObject;
    regular.metadata = {
      name: "regular",
      namespace: "kcp-system",
      labels: { "operator.kyma-project.io/module-name": "anchor" },
    };
    await world.kcp.apply(regular);
    await remove("ModuleReleaseMeta", "anchor");
    await world.clock.until(async () => (await world.kcp.list(api, "ModuleReleaseMeta")).length === 0);
    deepEqual(
      (await manifestsOf()).map(({ metadata }) => metadata.name),
      ["regular"],
    );
  });
});

describe("the events of a release, by the reasons that people know", () => {
  async function told(reason: string): Promise<void> {
    await world.clock.until(async () => {
      const events = await world.kcp.list("events.k8s.io/v1", "Event");
      const found = events.find((event) => event["reason"] === reason && event["action"] === reason);
      return (found?.["regarding"] as { kind?: string } | undefined)?.kind === "ModuleReleaseMeta";
    });
    kcp.refused = undefined;
  }

  test("SettingMandatoryModuleTemplateFinalizerError: the finalizer could not be added", async () => {
    kcp.refused = /^PATCH .*\/modulereleasemetas\/anchor/;
    await begin(kyma, anchor("1.0.0"), templateObject("anchor", "1.0.0"));
    await told("SettingMandatoryModuleTemplateFinalizerError");
    await world.clock.until(async () => {
      const [meta] = await world.kcp.list(api, "ModuleReleaseMeta");
      return meta?.metadata.finalizers?.includes("operator.kyma-project.io/mandatory-module") === true;
    });
  });

  test("DeletingMandatoryModuleManifestError: a Manifest of it could not be deleted", async () => {
    await begin(kyma, anchor("1.0.0"), templateObject("anchor", "1.0.0"));
    await world.clock.until(async () => (await manifestsOf()).length === 1);
    kcp.refused = /^DELETE .*\/manifests\//;
    await remove("ModuleReleaseMeta", "anchor");
    await told("DeletingMandatoryModuleManifestError");
    await world.clock.until(async () => (await manifestsOf()).length === 0);
  });
});
