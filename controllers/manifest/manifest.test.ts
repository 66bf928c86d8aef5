import { deepEqual, equal, match, ok } from "node:assert/strict";
import { afterEach, describe, test } from "@jest/globals";
import type { AnyObject } from "@kyma-operators/kube";
import { formatYamlDocuments } from "@kyma-operators/yaml";
import type { HttpResponse } from "oras-js";
import type { Manifest, ManifestSpec } from "../../apis/operator/manifest.ts";
import {
  accessSecret,
  kymaObject,
  type LifecycleWorld,
  type MemoryDirectory,
  memoryDirectory,
  startLifecycleWorld,
} from "../../testing/index.ts";
import { addManifestController, type ManifestController } from "./controller.ts";

const api = "operator.kyma-project.io/v1beta2";
const namespace = "kcp-system";
const labels = { "operator.kyma-project.io/kyma-name": "one", "operator.kyma-project.io/module-name": "alpha" };

const configMap = (name: string, data: Record<string, string> = {}): AnyObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace: "kyma-system" },
  data,
});
const account: AnyObject = {
  apiVersion: "v1",
  kind: "ServiceAccount",
  metadata: { name: "alpha", namespace: "kyma-system" },
};
const manager = (image: string): AnyObject => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "alpha", namespace: "kyma-system", labels: { app: "alpha" } },
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: "alpha" } },
    template: { metadata: { labels: { app: "alpha" } }, spec: { containers: [{ name: "m", image }] } },
  },
});
const crd: AnyObject = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "alphas.demo.example.org" },
  spec: {
    group: "demo.example.org",
    scope: "Namespaced",
    names: { kind: "Alpha", listKind: "AlphaList", plural: "alphas", singular: "alpha" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
      },
    ],
  },
};
const moduleCR = {
  apiVersion: "demo.example.org/v1",
  kind: "Alpha",
  metadata: { name: "default", namespace: "kyma-system" },
};
const version1 = [crd, account, configMap("settings", { version: "1" }), configMap("old"), manager("alpha:1")];
const version2 = [crd, account, configMap("settings", { version: "2" }), manager("alpha:2")];

let world: LifecycleWorld;
let content: MemoryDirectory;
let controller: ManifestController;
afterEach(async () => world.stop());

const manifest = (
  ref: string,
  spec: Partial<ManifestSpec> = {},
  metadata: Partial<AnyObject["metadata"]> = {},
): AnyObject => ({
  apiVersion: api,
  kind: "Manifest",
  metadata: { name: "one-alpha", namespace, labels, ...metadata },
  spec: {
    remote: false,
    install: {
      name: "raw-manifest",
      source: { type: "oci-ref", repo: "registry.example.org", name: "example.org/module/alpha", ref },
    },
    ...spec,
  },
});

async function begin(...objects: readonly AnyObject[]): Promise<void> {
  world = await startLifecycleWorld();
  await world.skr.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name: "kyma-system" } });
  await world.kcp.apply(accessSecret("one"), kymaObject("one", { channel: "regular" }), ...objects);
  await mentionManifest();
  controller = addManifestController(world.context, {
    clusters: world.clusters,
    content,
    namespace,
    registry: { transport: { send: async () => corrupt(), close: async () => undefined }, attempts: 1 },
  });
  world.start();
}

/** A registry that has something else for every digest. */
function corrupt(): HttpResponse {
  const body = (async function* () {
    yield Buffer.from("something else");
  })();
  return { status: 200, headers: {}, body, discard: async () => undefined };
}

/** As its Kyma would, so that the Manifest is no orphan. */
async function mentionManifest(): Promise<void> {
  const resource = await world.kcp.resource(api, "Kyma");
  const modules = [{ name: "alpha", state: "Processing", manifest: { metadata: { name: "one-alpha", namespace } } }];
  const status = { state: "Processing", modules };
  await world.kcp.client.mergePatch({ resource, namespace, name: "one" }, { status }, { subresource: "status" });
}

const layerOf = (objects: readonly AnyObject[]): string => {
  content ??= memoryDirectory();
  return content.put(formatYamlDocuments(objects));
};
const current = async (): Promise<Manifest | undefined> =>
  (await world.kcp.list(api, "Manifest"))[0] as unknown as Manifest | undefined;
const names = async (apiVersion: string, kind: string): Promise<string[]> =>
  (await world.skr.list(apiVersion, kind))
    .map(({ metadata }) => metadata.name ?? "")
    .filter((name) => name !== "kube-root-ca.crt");

async function until(state: string): Promise<Manifest> {
  await world.clock
    .until(async () => (await current())?.status?.state === state)
    .catch(async (error: unknown) => {
      throw new Error(`never ${state}: ${JSON.stringify((await current())?.status)}`, { cause: error });
    });
  return (await current()) as Manifest;
}

async function patch(change: object): Promise<void> {
  const resource = await world.kcp.resource(api, "Manifest");
  await world.kcp.client.mergePatch({ resource, namespace, name: "one-alpha" }, change);
}

async function deleteManifest(): Promise<void> {
  const resource = await world.kcp.resource(api, "Manifest");
  await world.kcp.client.delete({ resource, namespace, name: "one-alpha" });
}

const conditions = ({ status }: Manifest): string[] =>
  (status?.conditions ?? []).map(({ type, status: value, message }) => `${type}=${value}: ${message}`);

describe("installing", () => {
  test("brings a raw layer to the remote cluster and becomes Ready (I080, I084)", async () => {
    await begin(manifest(layerOf(version1), { resource: moduleCR }));
    const { metadata, status } = await until("Ready");

    deepEqual(metadata.finalizers, [
      "declarative.kyma-project.io/finalizer",
      "label-removal-finalizer",
      "resource.kyma-project.io/finalizer",
    ]);
    deepEqual(conditions({ metadata, status } as Manifest), [
      "Resources=True: resources are parsed and ready for use",
      "Installation=True: installation is ready and resources can be used",
      "ModuleCR=True: module CR was created",
    ]);
    equal(status?.lastOperation?.operation, "resources are ready");
    equal(status?.synced?.length, version1.length);
    match(metadata.annotations?.["sync-oci-ref"] ?? "", /^sha256:/);
    deepEqual(await names("apps/v1", "Deployment"), ["alpha"]);
    deepEqual(await names("demo.example.org/v1", "Alpha"), ["default"]);
  });

  test("a second pass over a Ready Manifest sends nothing to either cluster (E029)", async () => {
    await begin(manifest(layerOf(version1)));
    await until("Ready");
    await world.clock.advance(1_000);
    const [kcp, skr] = [world.kcp.writes().length, world.skr.requests.length];
    await world.clock.advance(30 * 60_000);

    equal(world.kcp.writes().length, kcp);
    ok(world.skr.requests.length - skr <= 5, "at most one comparison falls into half an hour");
    deepEqual(world.skr.writes().slice(skr), []);
  });

  test("puts the inventory on record before it applies anything", async () => {
    await begin(manifest(layerOf(version1)));
    await until("Ready");
    const intended = world.kcp.requests.findIndex(
      ({ subresource, resource }) => resource === "manifests" && subresource === "status",
    );

    ok(intended >= 0);
    equal(world.skr.writes()[0]?.resource, "customresourcedefinitions");
  });

  test("names the layer and applies nothing when its digest is wrong", async () => {
    await begin(manifest(`sha256:${"0".repeat(64)}`));
    const { status, metadata } = await until("Error");

    match(status?.lastOperation?.operation ?? "", /sha256:0{64}: expected sha256:0{64}, the registry sent/);
    equal(metadata.annotations?.["sync-oci-ref"], undefined);
    deepEqual(world.skr.writes(), []);
  });

  test("recovers when the reference is corrected (I085, I086)", async () => {
    await begin(manifest("not-a-digest"));
    const { status } = await until("Error");
    match(
      status?.lastOperation?.operation ?? "",
      /spec\.install\.source: ref is "not-a-digest", expected the digest of a layer/,
    );
    await patch({ spec: { install: { source: { ref: layerOf(version1) } } } });

    equal((await until("Ready")).status?.lastOperation?.operation, "resources are ready");
  });
});

describe("upgrading", () => {
  test("applies what changed and deletes what is gone (E011)", async () => {
    await begin(manifest(layerOf(version1)));
    await until("Ready");
    const before = world.skr.writes().length;
    const ref = layerOf(version2);
    await patch({ spec: { install: { source: { ref } } } });
    await world.clock.until(async () => (await current())?.metadata.annotations?.["sync-oci-ref"] === ref);
    await until("Ready");

    deepEqual(await names("v1", "ConfigMap"), ["settings"]);
    const written = world.skr
      .writes()
      .slice(before)
      .map(({ verb, resource, name }) => `${verb} ${resource}/${name}`);
    deepEqual(written, ["patch configmaps/settings", "patch deployments/alpha", "delete configmaps/old"]);
  });
});

describe("drift", () => {
  test("what somebody changes or deletes by hand is restored when an event tells of it (E030)", async () => {
    await begin(manifest(layerOf(version1)));
    await until("Ready");
    const deployments = await world.skr.resource("apps/v1", "Deployment");
    const maps = await world.skr.resource("v1", "ConfigMap");
    const ref = { resource: deployments, namespace: "kyma-system", name: "alpha" };
    await world.skr.client.mergePatch(ref, { spec: { replicas: 0 } }, { fieldManager: "kubectl" });
    await world.skr.client.delete({ resource: maps, namespace: "kyma-system", name: "settings" });
    controller.remoteChanged("one");
    await world.clock.until(async () => (await names("v1", "ConfigMap")).includes("settings"));
    await until("Ready");

    const live = await world.skr.client.get(ref);
    equal((live["spec"] as { replicas: number }).replicas, 1);
  });
});

describe("deleting", () => {
  test("removes everything it brought, the operator last (E017, I082)", async () => {
    await begin(manifest(layerOf(version1), { resource: moduleCR }));
    await until("Ready");
    await deleteManifest();
    await world.clock.until(async () => (await current()) === undefined);

    const deleted = world.skr
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

  test("waits for users' objects, in all namespaces, and names them (E032, E037)", async () => {
    await begin(manifest(layerOf(version1), { resource: moduleCR }));
    await until("Ready");
    await world.skr.apply({ ...moduleCR, metadata: { name: "mine", namespace: "default" } });
    await deleteManifest();
    const { status } = await until("Deleting");

    equal(status?.lastOperation?.operation, "waiting for module crs deletion");
    ok(conditions({ status } as Manifest).includes("Deletion=False: Alpha default/mine"));
    deepEqual(await names("apps/v1", "Deployment"), ["alpha"]);
  });

  test("needs neither registry nor source (fault 13)", async () => {
    await begin(manifest(layerOf(version1)));
    await until("Ready");
    await patch({ spec: { install: { source: { ref: `sha256:${"1".repeat(64)}` } } } });
    await until("Error");
    await deleteManifest();
    await world.clock.until(async () => (await current()) === undefined);

    deepEqual(await names("v1", "ConfigMap"), []);
  });
});
