import { deepEqual, equal, ok } from "node:assert/strict";
import { afterEach, describe, test } from "@jest/globals";
import type { AnyObject } from "@kyma-operators/kube";
import { formatYamlDocuments } from "@kyma-operators/yaml";
import { addKymaController } from "../controllers/kyma/index.ts";
import { kymaSettings } from "../controllers/kyma/kyma-stage.ts";
import { addManifestController } from "../controllers/manifest/index.ts";
import {
  accessSecret,
  KymaStage,
  kymaObject,
  memoryDirectory,
  moduleObjects,
  sampleModule,
  sampleVersions,
} from "../testing/index.ts";

const { account, customResource, deployment } = sampleModule;
const hold = "example.org/cleanup";
const mark = "operator.kyma-project.io/managed-by";
const channels = { regular: "1.0.0", fast: "1.1.0" };

/** CRD of the module's resources, with the versions of its API in the order of their age. */
function crd(scope: "Namespaced" | "Cluster", ...versions: readonly string[]): AnyObject {
  const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
  const served = versions.map((name, index) => ({
    name,
    served: true,
    storage: index === versions.length - 1,
    schema,
  }));
  const { spec, ...rest } = sampleModule.crd as AnyObject & { readonly spec: object };
  return { ...rest, spec: { ...spec, scope, versions: served } };
}

/** Objects of the module `alpha` by version. */
type Contents = Readonly<Record<string, readonly AnyObject[]>>;

const usual: Contents = { "1.0.0": sampleVersions[1], "1.1.0": sampleVersions[2] };

let stage: KymaStage;
afterEach(async () => stage.close());

/** A Kyma with the module, the Kyma and the Manifest controller, and real clusters below them. */
async function open(contents: Contents, resource: AnyObject = customResource, entry: object = {}): Promise<void> {
  const content = memoryDirectory();
  const refs = new Map(
    Object.entries(contents).map(([version, objects]) => [version, content.put(formatYamlDocuments(objects))]),
  );
  const catalog = moduleObjects("alpha", channels).map((object) =>
    object.kind === "ModuleTemplate" ? { ...object, spec: { ...(object["spec"] as object), data: resource } } : object,
  );
  stage = await KymaStage.open(
    (world) => {
      addManifestController(world.context, { namespace: "kcp-system", content, clusters: world.clusters });
      return addKymaController(world.context, {
        settings: kymaSettings,
        clusters: world.clusters,
        descriptors: {
          get: async ({ component, version }) => ({
            name: component,
            version,
            repositoryContexts: [{ type: "OCIRegistry" }],
            resources: [
              {
                name: "raw-manifest",
                type: "yaml",
                access: { type: "localBlob", localReference: refs.get(version) ?? "" },
              },
            ],
          }),
        },
        random: () => 0,
      });
    },
    accessSecret("runtime-1"),
    ...catalog,
    kymaObject("runtime-1", { channel: "regular", modules: [{ name: "alpha", ...entry }] }),
  );
}

/** Waits for a state of the Kyma on both clusters. */
const until = async (state: string): Promise<void> =>
  stage.until(async () => (await stage.status("kcp")).state === state && (await stage.status("skr")).state === state);

/** Images of the module's manager, whatever runs it. */
async function images(): Promise<readonly string[]> {
  const { skr } = stage.world;
  const found = [...(await skr.list("apps/v1", "Deployment")), ...(await skr.list("apps/v1", "StatefulSet"))];
  const managers = found as readonly { spec?: { template: { spec: { containers: { image: string }[] } } } }[];
  return managers.map(({ spec }) => spec?.template.spec.containers[0]?.image ?? "");
}

async function resources(version = "v1"): Promise<readonly AnyObject[]> {
  return stage.world.skr.list(`demo.example.org/${version}`, "Alpha").catch(() => []);
}

/** Puts finalizers on the module's resource, as its operator does, and takes them off. */
async function holdResource(...finalizers: readonly string[]): Promise<void> {
  const resource = await stage.world.skr.resource("demo.example.org/v1", "Alpha");
  const { name = "", namespace } = (await resources())[0]?.metadata ?? {};
  const ref = { resource, name, ...(namespace === undefined ? {} : { namespace }) };
  await stage.world.skr.client.mergePatch(ref, { metadata: { finalizers } });
}

const isDeleting = async (): Promise<boolean> => (await stage.manifest("alpha"))?.status?.state === "Deleting";
const disable = async (): Promise<void> => stage.choose({ modules: [] });
const enable = async (entry: object = {}): Promise<void> => stage.choose({ modules: [{ name: "alpha", ...entry }] });

/** Nothing of the module is left, and the Kyma is well. */
async function untilGone(): Promise<void> {
  await stage.until(async () => (await stage.manifests()).length === 0);
  await until("Ready");
  deepEqual(await images(), []);
  deepEqual(await resources(), []);
}

describe("a module that is enabled again while its deletion waits", () => {
  test("gets the new version at once, and a new life when its resource is let go (E018, E019, E020)", async () => {
    await open(usual);
    await until("Ready");
    const before = (await stage.manifest("alpha"))?.metadata.uid;
    await holdResource(hold);
    await disable();
    await stage.until(isDeleting);
    await until("Processing");
    deepEqual(await images(), ["alpha:1"]);

    await enable({ channel: "fast" });
    await stage.until(async () => (await images())[0] === "alpha:2");
    equal(await isDeleting(), true);
    equal(typeof (await resources())[0]?.metadata.deletionTimestamp, "string");

    await holdResource();
    await stage.until(async () => ![undefined, before].includes((await stage.manifest("alpha"))?.metadata.uid));
    await until("Ready");
    deepEqual(await images(), ["alpha:2"]);
    equal((await resources()).length, 1);
    equal((await resources())[0]?.metadata.deletionTimestamp, undefined);
  });
});

describe("a new version while the deletion waits", () => {
  async function release(): Promise<void> {
    const list = [{ channel: "regular", version: "1.1.0" }];
    await stage.patch("ModuleReleaseMeta", "alpha", { spec: { channels: list } });
  }

  test("is rolled out, and goes with the module (E024, E025)", async () => {
    await open(usual);
    await until("Ready");
    await holdResource(hold);
    await disable();
    await stage.until(isDeleting);
    await release();
    await stage.until(async () => (await images())[0] === "alpha:2");
    equal(await isDeleting(), true);
    await holdResource();
    await untilGone();
  });

  test("may bring a new version of the module's API (E026, E027)", async () => {
    const objects = (image: string, ...versions: readonly string[]): readonly AnyObject[] => [
      crd("Namespaced", ...versions),
      account,
      deployment(image),
    ];
    await open({ "1.0.0": objects("alpha:1", "v1"), "1.1.0": objects("alpha:2", "v1", "v2") });
    await until("Ready");
    await holdResource(hold);
    await disable();
    await stage.until(isDeleting);
    await release();
    await stage.until(async () => (await images())[0] === "alpha:2");
    equal((await resources("v2")).length, 1);
    equal(await isDeleting(), true);
    await holdResource();
    await untilGone();
  });
});

describe("resources of users block a deletion, wherever they are", () => {
  const clusterWide: Contents = { "1.0.0": [crd("Cluster", "v1"), account, deployment("alpha:1")] };
  const resource: AnyObject = { ...customResource, metadata: { name: "default" } };

  for (const policy of ["Ignore", "CreateAndDelete"] as const) {
    test(`with cluster-scoped resources and policy ${policy} (E039, E040)`, async () => {
      await open(clusterWide, resource, { customResourcePolicy: policy });
      await until("Ready");
      const own = { ...resource, metadata: { name: "of-a-user" } };
      await stage.world.skr.apply(own, ...(policy === "Ignore" ? [resource] : []));
      await disable();
      await stage.until(isDeleting);
      await stage.world.clock.advance(60_000);
      deepEqual(await images(), ["alpha:1"]);
      const kind = await stage.world.skr.resource("demo.example.org/v1", "Alpha");
      for (const { metadata } of await resources()) {
        if (policy === "CreateAndDelete" && metadata.name === "default") continue;
        await stage.world.skr.client.delete({ resource: kind, name: metadata.name ?? "" });
      }
      await untilGone();
    });
  }
});

/** The module's manager as a workload of that kind. */
function manager(kind: "Deployment" | "StatefulSet", image: string, pod: object = {}): AnyObject {
  const { spec, ...rest } = deployment(image) as AnyObject & { readonly spec: { readonly template: AnyObject } };
  const { metadata, ...template } = spec.template;
  const annotated = { ...template, metadata: { ...metadata, annotations: pod } };
  const more = kind === "Deployment" ? { progressDeadlineSeconds: 60 } : { serviceName: "alpha" };
  return { ...rest, kind, spec: { ...spec, ...more, template: annotated } };
}

describe("the state of a module and of its resource are two things", () => {
  for (const kind of ["Deployment", "StatefulSet"] as const) {
    const rows = kind === "Deployment" ? "(E050, E051, E052)" : "(E055, E056, E057)";
    test(`${kind}: a resource in Warning holds the deletion, and nothing else ${rows}`, async () => {
      await open({ "1.0.0": [crd("Namespaced", "v1"), account, manager(kind, "alpha:1")] });
      await until("Ready");
      const alphas = await stage.world.skr.resource("demo.example.org/v1", "Alpha");
      const ref = { resource: alphas, namespace: "kyma-system", name: "default" };
      const warning = { metadata: { finalizers: [hold] }, status: { state: "Warning" } };
      await stage.world.skr.client.mergePatch(ref, warning);
      equal((await stage.manifest("alpha"))?.spec.resource?.["kind"], "Alpha");
      await disable();
      await stage.until(isDeleting);
      await until("Processing");
      await stage.world.clock.advance(120_000);
      equal(await isDeleting(), true);
      deepEqual((await resources())[0]?.["status"], { state: "Warning" });
      await holdResource();
      await untilGone();
    });
  }

  for (const kind of ["Deployment", "StatefulSet"] as const) {
    const rows = kind === "Deployment" ? "(E053, E054)" : "(E058, E059)";
    test(`${kind}: an image that can't be pulled is an error, and it is deleted like any other ${rows}`, async () => {
      const broken = manager(kind, "nowhere:1", { "simulator.kyma-project.io/pod": "image-pull-error" });
      await open({ "1.0.0": [crd("Namespaced", "v1"), account, broken] });
      await until("Error");
      equal((await stage.module("alpha"))?.state, "Error");
      await disable();
      await untilGone();
    });
  }
});

describe("a module that is not managed", () => {
  /** Of the module's objects, those that say that they are ours. */
  async function marked(): Promise<readonly (string | undefined)[]> {
    const kinds = [
      ["apps/v1", "Deployment"],
      ["v1", "ServiceAccount"],
      ["v1", "ConfigMap"],
    ] as const;
    const found = await Promise.all(kinds.map(async ([apiVersion, kind]) => stage.world.skr.list(apiVersion, kind)));
    return [...found.flat(), ...(await resources())]
      .filter(({ metadata }) => metadata.labels?.[mark] === "kyma")
      .map(({ metadata }) => metadata.name);
  }

  async function unmanage(): Promise<void> {
    await enable({ managed: false });
    await stage.until(async () => (await stage.manifests()).length === 0);
    await until("Ready");
    equal((await stage.module("alpha"))?.state, "Unmanaged");
    deepEqual(await marked(), []);
    deepEqual([await images(), (await resources()).length], [["alpha:1"], 1]);
  }

  test("keeps everything, is taken back, and is left behind when it is disabled (E060–E065)", async () => {
    await open(usual);
    await until("Ready");
    ok((await marked()).includes("settings"));
    await unmanage();
    await enable();
    await stage.until(async () => (await stage.module("alpha"))?.state === "Ready");
    ok((await marked()).includes("settings"));
    await unmanage();
    await disable();
    await stage.until(async () => (await stage.status()).modules?.length === 0);
    deepEqual([await images(), (await resources()).length], [["alpha:1"], 1]);
    await enable({ customResourcePolicy: "Ignore" });
    await stage.until(async () => (await stage.module("alpha"))?.state === "Ready");
    equal((await stage.manifest("alpha"))?.spec.customResourcePolicy, "Ignore");
    await unmanage();
  });
});

test("a Manifest that is left alone is so until its label goes, a mandatory one as well (E067, E068, E072, E073)", async () => {
  await open(usual);
  await until("Ready");
  const name = (await stage.manifest("alpha"))?.metadata.name ?? "";
  const labels = (value: string | null) => ({
    "operator.kyma-project.io/skip-reconciliation": value,
    "operator.kyma-project.io/mandatory-module": "true",
  });
  await stage.patch("Manifest", name, { metadata: { labels: labels("true") } });
  const kind = await stage.world.skr.resource("apps/v1", "Deployment");
  await stage.world.skr.client.delete({ resource: kind, namespace: "kyma-system", name: "alpha" });
  await stage.world.clock.advance(7_200_000);
  deepEqual(await images(), []);
  await stage.patch("Manifest", name, { metadata: { labels: labels(null) } });
  // By the next comparison with the cluster at the latest.
  await stage.world.clock.until(async () => (await images()).length === 1, 7_200_000);
  await until("Ready");
});

describe("a release that cannot be found for a while", () => {
  test("leaves what runs alone, and the Kyma says why (E015, U049)", async () => {
    await open(usual);
    await until("Ready");
    await stage.world.clock.advance(400_000);
    await stage.remove("ModuleTemplate", "alpha-1.0.0");
    await until("Error");
    await stage.world.clock.advance(1_200_000);
    const entry = await stage.module("alpha");
    deepEqual([entry?.state, entry?.manifest], ["Error", undefined]);
    ok(entry?.message?.includes('"alpha-1.0.0" not found'), entry?.message);
    equal((await stage.manifest("alpha"))?.status?.state, "Ready");
    // It is still looked after.
    const resource = await stage.world.skr.resource("apps/v1", "Deployment");
    await stage.world.skr.client.delete({ resource, namespace: "kyma-system", name: "alpha" });
    await stage.tell();
    await stage.world.clock.advance(4_000_000);
    deepEqual(await images(), ["alpha:1"]);

    await stage.world.kcp.apply(...moduleObjects("alpha", channels));
    await until("Ready");
  });
});
