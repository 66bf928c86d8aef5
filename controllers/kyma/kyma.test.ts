import { deepEqual, equal, match, ok } from "node:assert/strict";
import { afterEach, describe, test } from "@jest/globals";
import type { AnyObject } from "@kyma-operators/kube";
import type { Kyma } from "../../apis/operator/kyma.ts";
import type { Manifest } from "../../apis/operator/manifest.ts";
import {
  accessSecret,
  kymaObject,
  type LifecycleWorld,
  moduleObjects,
  restarted,
  startLifecycleWorld,
} from "../../testing/index.ts";
import { addKymaController, type KymaController } from "./controller.ts";
import { anyDescriptor, kymaSettings } from "./kyma-stage.ts";

const api = "operator.kyma-project.io/v1beta2";
const identity = {
  annotations: { "skr-domain": "shoot.project.example.org" },
  labels: { "kyma-project.io/instance-id": "i" },
};
const alphaKyma = kymaObject("runtime-1", { channel: "regular", modules: [{ name: "alpha" }] }, identity);
const alpha = moduleObjects("alpha", { regular: "1.0.0", fast: "1.1.0" });
const everything = [accessSecret("runtime-1"), alphaKyma, ...alpha];

let world: LifecycleWorld;
let controller: KymaController;
let remotesMade: string[];
afterEach(async () => world.stop());

async function begin(...objects: readonly AnyObject[]): Promise<void> {
  world = await startLifecycleWorld();
  await world.kcp.apply(...objects);
  addController();
}

function addController(): void {
  remotesMade = [];
  controller = addKymaController(world.context, {
    settings: kymaSettings,
    clusters: world.clusters,
    descriptors: anyDescriptor,
    onRemoteMade: (kymaName) => remotesMade.push(kymaName),
    random: () => 0,
  });
  world.start();
}

async function listOf<T>(cluster: "kcp" | "skr", kind: string): Promise<readonly T[]> {
  return (await world[cluster].list(api, kind).catch(() => [])) as unknown as readonly T[];
}

const kymaOf = async (cluster: "kcp" | "skr"): Promise<Kyma | undefined> => (await listOf<Kyma>(cluster, "Kyma"))[0];
const manifestsOf = async (): Promise<readonly Manifest[]> => listOf<Manifest>("kcp", "Manifest");

async function until(state: string): Promise<Kyma> {
  await world.clock.until(async () => (await kymaOf("kcp"))?.status?.state === state);
  return (await kymaOf("kcp")) as Kyma;
}

/** Plays the Manifest controller: what it would report of every Manifest. */
async function report(state: string, operation = "resources are ready"): Promise<void> {
  const resource = await world.kcp.resource(api, "Manifest");
  for (const { metadata } of await manifestsOf()) {
    const ref = { resource, namespace: "kcp-system", name: metadata.name ?? "" };
    await world.kcp.client.mergePatch(
      ref,
      { status: { state, lastOperation: { operation } } },
      { subresource: "status" },
    );
  }
}

async function untilReady(): Promise<Kyma> {
  await world.clock.until(async () => (await manifestsOf()).length > 0);
  await report("Ready");
  return until("Ready");
}

/** What a user does on the remote cluster, and the watcher that tells of it. */
async function editRemote(spec: object): Promise<void> {
  const resource = await world.skr.resource(api, "Kyma");
  await world.skr.client.mergePatch({ resource, namespace: "kyma-system", name: "default" }, { spec });
  controller.remoteChanged({ namespace: "kcp-system", name: "runtime-1" });
}

async function notes(reason: string): Promise<string[]> {
  const events = await world.kcp.list("events.k8s.io/v1", "Event");
  return events.filter((event) => event["reason"] === reason).map((event) => String(event["note"]));
}

function checkManifest(manifest: Manifest | undefined, kyma: Kyma): void {
  equal(manifest?.metadata.name, "runtime-1-alpha-362023911");
  deepEqual(manifest?.spec.install.source, {
    repo: "registry.example.org/modules",
    name: "example.org/module/alpha",
    ref: "sha256:1.0.0",
    type: "oci-ref",
  });
  equal(manifest?.metadata.ownerReferences?.[0]?.uid, kyma.metadata.uid);
}

function checkRemote({ metadata, spec, status = {} }: Kyma, kyma: Kyma): void {
  const [module] = status.modules ?? [];
  equal(status.state, "Ready");
  deepEqual(spec.modules, kyma.spec.modules);
  deepEqual([module?.manifest, module?.template?.metadata?.namespace], [undefined, "kyma-system"]);
  equal(metadata.annotations?.["deprecated-operator.kyma-project.io/owned-by"], "kcp-system/runtime-1");
}

describe("installing", () => {
  test("a Kyma becomes Ready here and on its cluster once its Manifests are (E001, E002, E028, I022, I048)", async () => {
    await begin(...everything);
    const kyma = await untilReady();

    checkManifest((await manifestsOf())[0], kyma);
    checkRemote((await kymaOf("skr")) as Kyma, kyma);
    equal(kyma.status?.activeChannel, "regular");
    const conditions = kyma.status?.conditions?.map(({ type, status }) => `${type}=${status}`);
    deepEqual(conditions, ["CRDsSync=True", "Modules=True", "ModuleCatalog=True"]);
    deepEqual(
      (await listOf<Kyma>("skr", "ModuleTemplate")).map(({ metadata }) => metadata.name),
      ["alpha-1.0.0", "alpha-1.1.0"],
    );
  });

  test("nothing to do sends nothing, neither here nor there (E029)", async () => {
    await begin(...everything);
    await untilReady();
    await world.clock.advance(1_000);
    const [here, there] = [world.kcp.requests.length, world.skr.requests.length];
    await world.clock.advance(290_000);

    deepEqual(
      world.kcp.requests.slice(here).filter(({ verb }) => verb !== "watch"),
      [],
    );
    deepEqual(world.skr.requests.slice(there), []);
  });

  test("a restarted process writes nothing to a settled world", async () => {
    await begin(...everything);
    await untilReady();
    await world.clock.advance(1_000);
    await world.halt();
    const before = [world.kcp.writes().length, world.skr.writes().length];
    world = restarted(world);
    addController();
    await world.clock.advance(60_000);

    deepEqual([world.kcp.writes().length, world.skr.writes().length], before);
  });

  test("no error is ever visible at the first contact with a cluster", async () => {
    const states: (string | undefined)[] = [];
    await begin(...everything);
    await world.clock.until(async () => {
      states.push((await kymaOf("kcp"))?.status?.state);
      return (await manifestsOf()).length > 0;
    });
    await untilReady();
    equal(states.includes("Error"), false);
  });
});

test("a CRD that changes on the control plane reaches the remote cluster with the next pass", async () => {
  await begin(...everything);
  await untilReady();
  const name = "kymas.operator.kyma-project.io";
  const versions = async (cluster: "kcp" | "skr") => {
    const found = await world[cluster].list("apiextensions.k8s.io/v1", "CustomResourceDefinition");
    const crd = found.find(({ metadata }) => metadata.name === name) as unknown as Crd;
    return crd.spec.versions;
  };
  const [first, ...others] = await versions("kcp");
  const columns = [{ name: "Channel", type: "string", jsonPath: ".spec.channel" }];
  const resource = await world.kcp.resource("apiextensions.k8s.io/v1", "CustomResourceDefinition");
  const changed = { spec: { versions: [{ ...first, additionalPrinterColumns: columns }, ...others] } };
  await world.kcp.client.mergePatch({ resource, name }, changed);
  await world.clock.until(async () => (await versions("skr"))[0]?.additionalPrinterColumns?.length === 1);
  deepEqual((await versions("skr"))[0]?.additionalPrinterColumns, columns);
});

interface Crd {
  readonly spec: { readonly versions: readonly { readonly additionalPrinterColumns?: readonly object[] }[] };
}

describe("the user's choice on the remote cluster", () => {
  test("that comes while a pass runs is neither lost nor late", async () => {
    await begin(...everything);
    await untilReady();
    // Nobody tells of the first change: the control plane works on with what it knows.
    const resource = await world.skr.resource(api, "Kyma");
    const ref = { resource, namespace: "kyma-system", name: "default" };
    await world.skr.client.mergePatch(ref, { spec: { modules: [] } });
    const before = world.clock.now();
    await report("Warning");
    await world.clock.until(async () => (await manifestsOf()).length === 0);
    ok(world.clock.now() - before < 1_000, "the conflict of the status write shows the change");
    deepEqual(await notes("StatusSynchronization"), []);
  });

  test("a removed module loses its Manifest, then its entry (I027, I049)", async () => {
    await begin(...everything);
    await untilReady();
    await editRemote({ modules: [] });
    await world.clock.until(async () => (await manifestsOf()).length === 0);
    await world.clock.until(async () => (await kymaOf("skr"))?.status?.modules?.length === 0);
    equal((await kymaOf("kcp"))?.status?.state, "Ready");
    equal((await kymaOf("kcp"))?.spec.modules?.length, 1, "the stored spec is not touched");
  });

  test("another channel upgrades the module and shows it as being upgraded (I043)", async () => {
    await begin(...everything);
    await untilReady();
    await editRemote({ channel: "fast" });
    await world.clock.until(async () => (await manifestsOf())[0]?.spec.version === "1.1.0");
    await world.clock.until(async () => (await kymaOf("kcp"))?.status?.modules?.[0]?.version === "1.1.0");
    equal((await kymaOf("kcp"))?.status?.modules?.[0]?.channel, "fast");
  });

  test("a deleted remote Kyma comes back with the default modules (I024, I026, I028)", async () => {
    await begin(...everything);
    await untilReady();
    remotesMade = [];
    const resource = await world.skr.resource(api, "Kyma");
    await world.skr.client.delete({ resource, namespace: "kyma-system", name: "default" });
    controller.remoteChanged({ namespace: "kcp-system", name: "runtime-1" });
    await world.clock.until(async () => (await kymaOf("skr"))?.status?.state === "Ready");
    deepEqual(
      (await kymaOf("skr"))?.spec.modules?.map(({ name }) => name),
      ["alpha"],
    );
    deepEqual(remotesMade, ["runtime-1"]);
  });

  test("an unknown module is an error at first, then a warning, and an event names what may be meant (I050, I051)", async () => {
    await begin(...everything);
    await untilReady();
    await editRemote({ modules: [{ name: "alpha" }, { name: "alhpa" }] });
    const message = 'no ModuleReleaseMeta found  for module "alhpa" in namespace "kcp-system"';
    const kyma = await until("Error");
    deepEqual(
      kyma.status?.modules?.map(({ name, state }) => [name, state]),
      [
        ["alpha", "Ready"],
        ["alhpa", "Error"],
      ],
    );
    equal(kyma.status?.modules?.[1]?.message, message);
    await until("Warning");
    await world.clock.until(async () => (await kymaOf("skr"))?.status?.state === "Warning");
    deepEqual(await notes("UnknownModule"), ["module alhpa: did you mean alpha?"]);
  });

  test("a forbidden channel is refused by name (I045)", async () => {
    await begin(...everything);
    await untilReady();
    await editRemote({ channel: "none" });
    const kyma = await until("Error");
    match(kyma.status?.lastOperation?.operation ?? "", /value "none" is not allowed in spec.channel/);
  });
});

describe("the module catalog", () => {
  test("a module that is released later wakes the Kyma that waits for it, at once", async () => {
    await begin(accessSecret("runtime-1"), alphaKyma);
    await until("Warning");
    const since = world.clock.now();
    await world.kcp.apply(...alpha);
    await world.clock.until(async () => (await manifestsOf()).length === 1);
    ok(world.clock.now() - since < 1_000);
  });

  test("what a user breaks of the synchronised catalog is put right by the next look (I023)", async () => {
    await begin(...everything);
    await untilReady();
    const resource = await world.skr.resource(api, "ModuleReleaseMeta");
    await world.skr.client.delete({ resource, namespace: "kyma-system", name: "alpha" });
    await world.clock.advance(400_000);
    equal((await listOf("skr", "ModuleReleaseMeta")).length, 1);
  });

  test("a Manifest whose spec somebody took away gets it back", async () => {
    await begin(...everything);
    await untilReady();
    const [before] = await manifestsOf();
    const ref = { resource: await world.kcp.resource(api, "Manifest"), namespace: "kcp-system" };
    const name = before?.metadata.name ?? "";
    await world.kcp.client.jsonPatch({ ...ref, name }, [{ op: "remove", path: "/spec" }]);
    await world.clock.until(async () => (await manifestsOf())[0]?.spec !== undefined);
    deepEqual((await manifestsOf())[0]?.spec, before?.spec);
  });
});

describe("the way to the remote cluster", () => {
  test("without an access Secret the Kyma says so, and goes on when it comes (E044, E045)", async () => {
    await begin(alphaKyma, ...alpha);
    const kyma = await until("Error");
    match(kyma.status?.lastOperation?.operation ?? "", /access secret not found.*kyma-name=runtime-1/);
    await world.kcp.apply(accessSecret("runtime-1"));
    await untilReady();
  });

  test("an access Secret that is deleted and made again is followed at once", async () => {
    await begin(...everything);
    await untilReady();
    const resource = await world.kcp.resource("v1", "Secret");
    const { namespace = "", name = "" } = accessSecret("runtime-1").metadata;
    await world.kcp.client.delete({ resource, namespace, name });
    await until("Error");
    await world.clock.advance(60_000);
    await world.kcp.apply(accessSecret("runtime-1"));
    await world.clock.advance(10);
    equal((await kymaOf("kcp"))?.status?.state, "Ready");
  });

  test("two access Secrets are an error that names both", async () => {
    const second = structuredClone(accessSecret("runtime-1"));
    second.metadata.name = "another";
    await begin(accessSecret("runtime-1"), second, alphaKyma);
    const kyma = await until("Error");
    match(
      kyma.status?.lastOperation?.operation ?? "",
      /more than one secret found for runtime-1: another, kubeconfig-runtime-1/,
    );
  });
});

describe("deleting", () => {
  async function deleteKyma(): Promise<void> {
    const resource = await world.kcp.resource(api, "Kyma");
    await world.kcp.client.delete({ resource, namespace: "kcp-system", name: "runtime-1" });
  }

  test("goes step by step and leaves nothing of ours on either cluster (E004, I025, U036)", async () => {
    await begin(...everything);
    await untilReady();
    await deleteKyma();
    await world.clock.until(async () => (await kymaOf("kcp")) === undefined);

    deepEqual(await manifestsOf(), []);
    const crds = await world.skr.list("apiextensions.k8s.io/v1", "CustomResourceDefinition");
    deepEqual(
      crds.map(({ metadata }) => metadata.name),
      [],
    );
    for (const step of [
      "SetKcpKymaStateDeleting",
      "SetSkrKymaStateDeleting",
      "DeleteManifests",
      "DeleteSkrModuleTemplateCrd",
      "DeleteSkrModuleReleaseMetaCrd",
      "DeleteSkrKyma",
      "DeleteSkrKymaCrd",
      "DeleteMetrics",
      "DropKymaFinalizer",
    ]) {
      deepEqual(await notes(step), ["Success"], step);
    }
  });

  test("waits for Manifests and says which and why (E144, U039)", async () => {
    await begin(...everything);
    await untilReady();
    const resource = await world.kcp.resource(api, "Manifest");
    const ref = { resource, namespace: "kcp-system", name: "runtime-1-alpha-362023911" };
    await world.kcp.client.mergePatch(ref, { metadata: { finalizers: ["declarative.kyma-project.io/finalizer"] } });
    await deleteKyma();
    await until("Deleting");
    await report("Deleting", "waiting for module crs deletion");
    const text = "waiting for modules to be deleted: alpha (waiting for module crs deletion)";
    await world.clock.until(async () => (await kymaOf("kcp"))?.status?.lastOperation?.operation === text);
    await world.kcp.client.mergePatch(ref, { metadata: { finalizers: null } });
    await world.clock.until(async () => (await kymaOf("kcp")) === undefined);
  });

  for (const propagationPolicy of ["Background", "Foreground"] as const) {
    test(`a runtime that went before its Kyma does not hold it: ${propagationPolicy} (E145–E149)`, async () => {
      await begin(...everything);
      await untilReady();
      const secrets = await world.kcp.resource("v1", "Secret");
      await world.kcp.client.delete({ resource: secrets, namespace: "kcp-system", name: "kubeconfig-runtime-1" });
      const resource = await world.kcp.resource(api, "Kyma");
      const ref = { resource, namespace: "kcp-system", name: "runtime-1" };
      await world.kcp.client.delete(ref, { propagationPolicy });
      await world.clock.until(async () => (await kymaOf("kcp")) === undefined);
      deepEqual(await manifestsOf(), []);
    });
  }

  test("finalizers of others stay, that of a former release goes", async () => {
    await begin(
      kymaObject(
        "runtime-1",
        { channel: "regular" },
        { finalizers: ["operator.kyma-project.io/purge-finalizer", "runtime-monitoring-finalizer"] },
      ),
    );
    await until("Error");
    deepEqual((await kymaOf("kcp"))?.metadata.finalizers, [
      "runtime-monitoring-finalizer",
      "operator.kyma-project.io/Kyma",
    ]);
    await deleteKyma();
    await world.clock.until(async () => (await kymaOf("kcp"))?.metadata.finalizers?.length === 1);
    deepEqual((await kymaOf("kcp"))?.metadata.finalizers, ["runtime-monitoring-finalizer"]);
  });
});
