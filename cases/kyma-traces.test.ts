import { deepEqual } from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, test } from "@jest/globals";
import type { AnyObject } from "@kyma-operators/kube";
import { parseYamlDocuments } from "@kyma-operators/yaml";
import type { KymaModule } from "../apis/operator/kyma.ts";
import { addKymaController } from "../controllers/kyma/index.ts";
import { addWatcherControllers } from "../controllers/watcher/index.ts";
import { watcherObject, watcherSettings } from "../controllers/watcher/watcher-stage.ts";
import { accessSecret, type LifecycleWorld, startLifecycleWorld } from "../testing/index.ts";
import { api, descriptor, folder, key, kyma, kymaSettings, masked, recorded, trace, waitOf } from "./kyma-trace.ts";

let world: LifecycleWorld;
let wake: () => void;

beforeAll(async () => {
  world = await startLifecycleWorld();
  const catalog = parseYamlDocuments(readFileSync(join(folder, "control-plane.yaml"), "utf8")) as AnyObject[];
  const namespaces = [{ apiVersion: "v1", kind: "Namespace", metadata: { name: "istio-system" } }];
  await world.kcp.apply(...namespaces, ...catalog, accessSecret("kyma-one"), watcher, kyma);
  const watcherParts = addWatcherControllers(world.context, watcherOptions);
  const controller = addKymaController(world.context, {
    settings: kymaSettings,
    clusters: world.clusters,
    descriptors: { get: async ({ component, version }) => descriptor(component, version) },
    webhook: watcherParts.webhook,
    agentEvents: watcherParts.agents,
    random: () => 0,
  });
  wake = () => controller.remoteChanged(key);
  world.start();
});
afterAll(async () => world.stop());

describe("the observed stories of the original, as its Kyma controller lived them", () => {
  test("01 first install", async () => {
    await settle("Ready");
    await compareKymas(waitOf("01-first-install", 1));
    await compareManifest("kyma-one-alpha-362023911", waitOf("01-first-install"));
    await compareCatalog(waitOf("01-first-install"));
  });

  test("02 enable modules", async () => {
    await choose([{ name: "alpha" }, { name: "bravo" }, { name: "charlie" }]);
    await settle("Ready", 3);
    await compareKymas(waitOf("02-enable-modules"));
    await compareManifest("kyma-one-bravo-3292816839", waitOf("02-enable-modules"));
    await compareManifest("kyma-one-charlie-4016357423", waitOf("02-enable-modules"));
  });

  test("03 upgrade by channel", async () => {
    await choose([{ name: "alpha", channel: "fast" }, { name: "bravo" }, { name: "charlie" }]);
    await world.clock.until(async () => (await versionOf("kyma-one-alpha-362023911")) === "1.1.0");
    await settle("Ready", 3);
    await compareKymas(waitOf("03-change-channel-upgrade"));
    await compareManifest("kyma-one-alpha-362023911", waitOf("03-change-channel-upgrade"));
  });

  test("06 disable a module", async () => {
    await release("alpha", "1.2.0");
    await world.clock.until(async () => (await versionOf("kyma-one-alpha-362023911")) === "1.2.0");
    await choose([{ name: "alpha", channel: "fast" }, { name: "charlie" }]);
    await world.clock.until(async () => (await manifest("kyma-one-bravo-3292816839")) === undefined);
    await settle("Ready", 2);
    await compareKymas(waitOf("06-disable-module"));
  });

  test("08 an unknown module", async () => {
    await choose([{ name: "charlie" }]);
    await settle("Ready", 1);
    await choose([{ name: "charlie" }, { name: "ghost" }]);
    await settle("Error", 2);
    await compareKymas(waitOf("08-unknown-module", 0) - 1 + 0.5);
    await settle("Warning", 2);
    await choose([{ name: "charlie" }]);
    await settle("Ready", 1);
    await compareKymas(waitOf("08-unknown-module", 1));
  });

  test("12 policy Ignore", async () => {
    await choose([{ name: "bravo" }, { name: "charlie" }]);
    await settle("Ready", 2);
    await choose([{ name: "alpha", customResourcePolicy: "Ignore" }, { name: "bravo" }, { name: "charlie" }]);
    await settle("Ready", 3);
    // The copy on the remote cluster followed a moment after the recorded wait.
    await compareKymas(waitOf("12-policy-ignore") + 2);
    await compareManifest("kyma-one-alpha-362023911", waitOf("12-policy-ignore"));
  });

  test("19 delete the Kyma", async () => {
    await choose([{ name: "alpha" }, { name: "bravo" }, { name: "charlie" }]);
    await settle("Ready", 3);
    await compareKymas(waitOf("19-delete-kyma"));
    const resource = await world.kcp.resource(api, "Kyma");
    await world.kcp.client.delete({ resource, ...key });
    await world.clock.until(async () => (await kymaOn("kcp")) === undefined);

    const events = await world.kcp.list("events.k8s.io/v1", "Event");
    const steps = new Set(events.map((event) => String(event["reason"])));
    const expected = trace
      .filter(({ story, what }) => story === "19-delete-kyma" && what === "event")
      .map(({ reason }) => reason ?? "");
    // Manifests go at once here, so that nothing is waited for.
    deepEqual(
      [...new Set(expected)].filter((step) => !steps.has(step) && step !== "EnsureManifestDeletion"),
      [],
    );
    deepEqual(await world.skr.list("apiextensions.k8s.io/v1", "CustomResourceDefinition"), []);
    deepEqual(await world.skr.list("apps/v1", "Deployment"), []);
    deepEqual(await world.kcp.list(api, "Manifest"), []);
  });
});

async function kymaOn(cluster: "kcp" | "skr"): Promise<AnyObject | undefined> {
  return (await world[cluster].list(api, "Kyma").catch(() => []))[0];
}

async function manifest(name: string): Promise<AnyObject | undefined> {
  return (await world.kcp.list(api, "Manifest")).find(({ metadata }) => metadata.name === name);
}

async function versionOf(name: string): Promise<string | undefined> {
  const { spec } = ((await manifest(name)) ?? {}) as { spec?: { version?: string } };
  return spec?.version;
}

/** What the user says on the remote cluster; the watcher tells of it. */
async function choose(modules: readonly KymaModule[]): Promise<void> {
  const resource = await world.skr.resource(api, "Kyma");
  await world.skr.client.mergePatch({ resource, namespace: "kyma-system", name: "default" }, { spec: { modules } });
  wake();
}

/** A new version in the channel `fast`. */
async function release(module: string, version: string): Promise<void> {
  const resource = await world.kcp.resource(api, "ModuleReleaseMeta");
  const channels = [
    { channel: "regular", version: "1.0.0" },
    { channel: "fast", version },
  ];
  await world.kcp.client.mergePatch({ resource, namespace: "kcp-system", name: module }, { spec: { channels } });
}

/** Plays the Manifest controller until the Kyma is in a state with so many modules, here and there. */
async function settle(state: string, modules = 1): Promise<void> {
  const resource = await world.kcp.resource(api, "Manifest");
  await world.clock.until(async () => {
    for (const { metadata } of await world.kcp.list(api, "Manifest")) {
      const ref = { resource, namespace: "kcp-system", name: metadata.name ?? "" };
      const status = { state: "Ready", lastOperation: { operation: "resources are ready" } };
      await world.kcp.client.mergePatch(ref, { status }, { subresource: "status" });
    }
    const statuses = [await kymaOn("kcp"), await kymaOn("skr")].map((kymaObjectOrNone) => statusOf(kymaObjectOrNone));
    return statuses.every((status) => status.state === state && status.modules?.length === modules);
  });
}

interface StatusLike {
  readonly state?: string;
  readonly modules?: readonly { readonly name: string }[];
}

function statusOf(object: AnyObject | undefined): StatusLike {
  const { status = {} } = (object ?? {}) as { status?: StatusLike };
  return status;
}

/** Entries by name, as the trace has them; the generation of a template counts edits of the driver. */
function comparable(status: object | undefined): unknown {
  const { modules = [], ...rest } = masked(status ?? {}) as {
    modules?: {
      name: string;
      template?: { metadata: { generation?: number } };
      manifest?: { metadata: { generation?: number } };
    }[];
  };
  const entries = modules.map(({ template, manifest: own, ...module }) => ({
    ...module,
    ...(template === undefined ? {} : { template: { ...template, metadata: { ...template.metadata, generation: 1 } } }),
    ...(own === undefined ? {} : { manifest: { ...own, metadata: { ...own.metadata, generation: undefined } } }),
  }));
  return JSON.parse(JSON.stringify({ ...rest, modules: entries.sort((a, b) => (a.name < b.name ? -1 : 1)) }));
}

async function compareKymas(before: number): Promise<void> {
  for (const [cluster, name] of [
    ["kcp", "kyma-one"],
    ["skr", "default"],
  ] as const) {
    const { status, metadata = {} } = recorded(cluster, "Kyma", name, before) ?? {};
    const found = await kymaOn(cluster);
    deepEqual(comparable(statusOf(found)), comparable(status), `status on ${cluster} before ${before}`);
    deepEqual(masked(found?.metadata.labels), metadata.labels);
    deepEqual(found?.metadata.annotations, metadata.annotations);
  }
}

async function compareManifest(name: string, before: number): Promise<void> {
  const states = trace.filter((line) => line.kind === "Manifest" && line.name === name && line.seq < before);
  const expected = states.findLast(({ spec }) => spec !== undefined);
  const found = await manifest(name);
  deepEqual(masked(found?.["spec"]), expected?.spec, name);
  deepEqual(found?.metadata.labels, expected?.metadata?.labels);
  const owners = (found?.metadata.ownerReferences ?? []).map(({ uid: _dropped, ...owner }) => owner);
  deepEqual(owners, expected?.metadata?.ownerReferences);
}

async function compareCatalog(before: number): Promise<void> {
  for (const kind of ["ModuleTemplate", "ModuleReleaseMeta"]) {
    const expected = trace.filter((line) => line.cluster === "skr" && line.kind === kind && line.seq < before);
    const found = await world.skr.list(api, kind);
    deepEqual(
      found.map(({ metadata }) => [
        metadata.name,
        metadata.labels,
        metadata.managedFields?.map(({ manager }) => manager),
      ]),
      expected
        .toSorted((a, b) => ((a.name ?? "") < (b.name ?? "") ? -1 : 1))
        .map(({ name, metadata }) => [name, metadata?.labels, ["catalog-sync"]]),
    );
  }
}

const watcher = watcherObject({
  serviceInfo: { name: "klm-controller-manager-events", namespace: "kcp-system", port: 8082 },
});

const watcherOptions: Parameters<typeof addWatcherControllers>[1] = {
  address: { host: "127.0.0.1", port: 8082 },
  istio: false,
  listener: { host: "127.0.0.1", port: 0 },
  random: () => 0,
  settings: {
    ...watcherSettings,
    agent: { image: "registry.example.org/agent:1", cpuLimit: "0.1", memoryLimit: "200Mi", godebug: "" },
  },
};
