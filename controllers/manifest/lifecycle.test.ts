import { deepEqual, equal, match, ok } from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "@jest/globals";
import type { AnyObject } from "@kyma-operators/kube";
import type { Manifest } from "../../apis/operator/manifest.ts";
import { ManifestWorld, sampleModule, sampleVersions } from "../../testing/index.ts";
import { addManifestController, type ManifestController } from "./controller.ts";

const api = "operator.kyma-project.io/v1beta2";
const prefix = "operator.kyma-project.io/";
let world: ManifestWorld<ManifestController>;
beforeEach(async () => {
  world = await ManifestWorld.start(({ context, ...options }) => addManifestController(context, options));
});
afterEach(async () => world.stop());

const { customResource: resource, configMap, deployment, crd, account } = sampleModule;
const operationOf = (manifest: Manifest | undefined): string => manifest?.status?.lastOperation?.operation ?? "";
const conditionOf = (manifest: Manifest | undefined, type: string): string | undefined =>
  manifest?.status?.conditions?.find((condition) => condition.type === type)?.message;

async function installed(version: "1" | "2" = "1", spec: object = {}): Promise<void> {
  await world.install(world.layer(sampleVersions[version]), spec);
  await world.until("Ready");
}

const alphas = async () => ({
  resource: await world.world.skr.resource("demo.example.org/v1", "Alpha"),
  namespace: "kyma-system",
  name: "default",
});

/** Puts a finalizer on the default module CR, as a module's operator does. */
async function holdModuleCR(finalizers: readonly string[]): Promise<void> {
  await world.world.skr.client.mergePatch(await alphas(), { metadata: { finalizers } });
}

async function kymaRef() {
  return { resource: await world.world.kcp.resource(api, "Kyma"), namespace: "kcp-system", name: "one" };
}

describe("deleting a module", () => {
  test("a module CR that its operator holds blocks the operator's removal (E018, E036)", async () => {
    await installed("1", { resource });
    await holdModuleCR(["example.org/cleanup"]);
    await world.delete();
    await world.world.clock.until(async () => conditionOf(await world.manifest(), "Deletion") !== undefined);

    equal(conditionOf(await world.manifest(), "Deletion"), "Alpha kyma-system/default is kept by example.org/cleanup");
    equal((await world.manifest())?.status?.state, "Deleting");
    deepEqual(await world.names("apps/v1", "Deployment"), ["alpha"]);
    await holdModuleCR([]);
    await world.gone();
    deepEqual(await world.names("apps/v1", "Deployment"), []);
  });

  test("a new version is rolled out while the deletion waits for the module CR (E019, E024)", async () => {
    await installed("1", { resource });
    await holdModuleCR(["example.org/cleanup"]);
    await world.delete();
    await world.until("Deleting");
    await world.upgrade(world.layer(sampleVersions[2]));
    await world.world.clock.until(async () => {
      const [found] = await world.world.skr.list("apps/v1", "Deployment");
      return JSON.stringify(found?.["spec"]).includes("alpha:2");
    });

    deepEqual(await world.names("v1", "ConfigMap"), ["settings"]);
    equal((await world.manifest())?.status?.state, "Deleting");
    await holdModuleCR([]);
    await world.gone();
  });

  test("with policy Ignore the default CR blocks like any other (E032, E033, E034)", async () => {
    await installed("1", { resource, customResourcePolicy: "Ignore" });
    equal((await world.names("demo.example.org/v1", "Alpha")).length, 0);
    await world.world.skr.apply(resource);
    await world.delete();
    await world.until("Deleting");
    await world.world.clock.advance(60_000);

    equal(operationOf(await world.manifest()), "waiting for module crs deletion: Alpha kyma-system/default");
    await world.world.skr.client.delete(await alphas());
    await world.gone();
    deepEqual(await world.names("apps/v1", "Deployment"), []);
  });

  test("with policy CreateAndDelete the default CR goes once the users' CRs are gone (E035, E038)", async () => {
    await installed("1", { resource });
    await world.world.skr.apply({ ...resource, metadata: { name: "mine", namespace: "default" } });
    await world.delete();
    await world.until("Deleting");
    await world.world.clock.advance(30_000);

    deepEqual((await world.names("demo.example.org/v1", "Alpha")).toSorted(), ["default", "mine"]);
    await world.world.skr.client.delete({ ...(await alphas()), namespace: "default", name: "mine" });
    await world.gone();
  });

  test("a managed object that is held keeps the operator and its rights (E021, E022, U062)", async () => {
    await installed();
    const ref = {
      resource: await world.world.skr.resource("v1", "ConfigMap"),
      namespace: "kyma-system",
      name: "settings",
    };
    await world.world.skr.client.mergePatch(ref, { metadata: { finalizers: ["example.org/hold"] } });
    await world.delete();
    await world.world.clock.until(async () => conditionOf(await world.manifest(), "Deletion") !== undefined);

    match(
      conditionOf(await world.manifest(), "Deletion") ?? "",
      /^ConfigMap kyma-system\/settings is kept by the finalizers example\.org\/hold$/,
    );
    deepEqual(await world.names("apps/v1", "Deployment"), ["alpha"]);
    ok((await world.names("v1", "ServiceAccount")).includes("alpha"));
    await world.world.skr.client.mergePatch(ref, { metadata: { finalizers: [] } });
    await world.gone();
  });

  test("objects that would be deleted with a CRD are named first (8.7)", async () => {
    await installed();
    await world.world.skr.apply(resource);
    await world.delete();
    await world.world.clock.until(async () => conditionOf(await world.manifest(), "Deletion") !== undefined);

    match(
      conditionOf(await world.manifest(), "Deletion") ?? "",
      /^Alpha kyma-system\/default would be deleted with CustomResourceDefinition alphas/,
    );
    ok((await world.names("v1", "ConfigMap")).includes("settings"), "nothing is deleted meanwhile");
  });

  test("a list that fails blocks the deletion (M5, fault 55)", async () => {
    await installed("1", { resource });
    let failing = true;
    const { clusters } = world.world;
    const open = clusters.open.bind(clusters);
    clusters.open = (...args) =>
      new Proxy(open(...args), {
        get: (target, name) => {
          const method: unknown = Reflect.get(target, name);
          if (name === "list" && failing) return async () => Promise.reject(new Error("the list is forbidden"));
          return typeof method === "function" ? method.bind(target) : method;
        },
      });
    await world.delete();
    const { status } = await world.until("Error");

    match(
      status?.lastOperation?.operation ?? "",
      /can't tell whether objects of kind Alpha are left, so nothing is deleted/,
    );
    deepEqual(await world.names("apps/v1", "Deployment"), ["alpha"]);
    failing = false;
    await world.gone();
  });

  test("another finalizer on the Manifest is named (E069)", async () => {
    await world.install(world.layer(sampleVersions[1]), {}, { finalizers: ["example.org/mine"] });
    await world.until("Ready");
    await world.delete();
    await world.world.clock.until(async () =>
      operationOf(await world.manifest()).startsWith("waiting as other finalizers"),
    );

    equal(operationOf(await world.manifest()), "waiting as other finalizers are present: [example.org/mine]");
    deepEqual(await world.names("apps/v1", "Deployment"), []);
  });

  test("a vanished cluster releases the Manifest once its Kyma goes too, foreign finalizers included (E146, E150, M6, fault 43)", async () => {
    await world.install(world.layer(sampleVersions[1]), {}, { finalizers: ["example.org/mine"] });
    await world.until("Ready");
    await world.delete();
    await world.world.clock.advance(1_000);
    const secrets = await world.world.kcp.resource("v1", "Secret");
    await world.world.kcp.client.delete({ resource: secrets, namespace: "kcp-system", name: "kubeconfig-one" });
    const { status } = await world.until("Error");
    match(operationOf({ status } as Manifest), /access secret not found/);

    await world.world.kcp.client.delete(await kymaRef());
    await world.gone();
  });
});

describe("handing a module over", () => {
  test("marks are taken from the objects, which stay (E061, U072, M12)", async () => {
    await installed("1", { resource });
    const maps = await world.world.skr.resource("v1", "ConfigMap");
    await world.world.skr.client.delete({ resource: maps, namespace: "kyma-system", name: "old" });
    await world.patch({ metadata: { annotations: { [`${prefix}is-unmanaged`]: "true" } } });
    await world.gone();

    const [found] = await world.world.skr.list("apps/v1", "Deployment");
    equal(found?.metadata.labels?.[`${prefix}managed-by`], undefined);
    deepEqual(await world.names("demo.example.org/v1", "Alpha"), ["default"]);
  });
});

describe("a paused Manifest", () => {
  test("nothing is restored until the label goes (E067, E068)", async () => {
    await installed();
    await world.patch({ metadata: { labels: { [`${prefix}skip-reconciliation`]: "true" } } });
    const deployments = await world.world.skr.resource("apps/v1", "Deployment");
    await world.world.skr.client.delete({ resource: deployments, namespace: "kyma-system", name: "alpha" });
    world.controller.remoteChanged("one");
    await world.world.clock.advance(60_000);
    deepEqual(await world.names("apps/v1", "Deployment"), []);

    await world.patch({ metadata: { labels: { [`${prefix}skip-reconciliation`]: null } } });
    await world.world.clock.until(async () => (await world.names("apps/v1", "Deployment")).includes("alpha"));
  });
});

describe("orphans", () => {
  test("a Manifest whose Kyma is gone is an error and keeps its objects (fault 45)", async () => {
    await installed();
    await world.world.kcp.client.delete(await kymaRef());
    const { status } = await world.until("Error");

    equal(operationOf({ status } as Manifest), "orphaned manifest detected: parent Kyma does not exist");
    deepEqual(await world.names("apps/v1", "Deployment"), ["alpha"]);
  });

  test("one that its Kyma stopped mentioning is an error until it is mentioned again", async () => {
    await installed();
    const ref = await kymaRef();
    const modules = [
      { name: "alpha", state: "Ready", manifest: { metadata: { name: "one-alpha", namespace: "kcp-system" } } },
    ];
    await world.world.kcp.client.mergePatch(ref, { status: { modules: [] } }, { subresource: "status" });
    await world.world.clock.advance(301_000);
    equal(
      operationOf(await world.until("Error")),
      "orphaned manifest detected: manifest is not referenced in Kyma status",
    );
    await world.world.kcp.client.mergePatch(ref, { status: { modules } }, { subresource: "status" });

    await world.until("Ready");
  });
});

describe("readiness", () => {
  const broken = (simulate: string): AnyObject => {
    const object = structuredClone(deployment("alpha:1")) as AnyObject & {
      spec: { template: { metadata: Record<string, unknown> } };
    };
    object.spec.template.metadata["annotations"] = { "simulator.kyma-project.io/pod": simulate };
    return object;
  };

  test("the first culprit is named while it lasts, and after a time it is a Warning (8.7)", async () => {
    await world.install(world.layer([account, broken("pending")]));
    await world.world.clock.advance(20_000);
    match(
      operationOf(await world.manifest()),
      /^waiting for resources to become ready: Deployment kyma-system\/alpha: 0 of 1 replicas/,
    );
    const { status } = await world.until("Error");

    match(
      operationOf({ status } as Manifest),
      /^manager is in error state: Deployment kyma-system\/alpha: .*ProgressDeadlineExceeded/,
    );
  });

  test("a module CR in Warning leaves the Manifest Ready (I081, E050)", async () => {
    await installed("1", { resource });
    await world.world.skr.client.mergePatch(await alphas(), { status: { state: "Warning" } });
    world.controller.remoteChanged("one");
    await world.world.clock.advance(10_000);

    equal((await world.manifest())?.status?.state, "Ready");
  });

  test("an annotation lets the module CR decide, by its state or by an expression (fault 35)", async () => {
    const annotations = { [`${prefix}readiness`]: "both", [`${prefix}ready-when`]: "self.status.size >= 3" };
    await world.install(world.layer(sampleVersions[1]), { resource }, { annotations });
    await world.world.clock.advance(20_000);
    match(
      operationOf(await world.manifest()),
      /Alpha kyma-system\/default: self\.status\.size >= 3 can't be evaluated yet/,
    );
    await world.world.skr.client.mergePatch(await alphas(), { status: { size: 3 } });

    await world.until("Ready");
  });
});

describe("taking over", () => {
  test("fields that others had set are reported by manager and field", async () => {
    await world.world.skr.apply(configMap("settings", { version: "mine" }));
    await installed();

    match(
      conditionOf(await world.manifest(), "Adoption") ?? "",
      /^fields that others had set were taken over: ConfigMap kyma-system\/settings \("test".*: \.data\.version\)$/,
    );
  });

  test("a Manifest that upstream left behind goes on without a gap (migration)", async () => {
    const ref = world.layer(sampleVersions[1]);
    await world.install(ref);
    const { status } = await world.until("Ready");
    const synced = status?.synced;
    await world.patch({ metadata: { labels: { [`${prefix}skip-reconciliation`]: "true" } } });
    const manifests = await world.world.kcp.resource(api, "Manifest");
    const self = { resource: manifests, namespace: "kcp-system", name: "one-alpha" };
    await world.world.kcp.client.mergePatch(self, { status: { inventory: null } }, { subresource: "status" });
    const before = world.writes().length;
    await world.patch({ metadata: { labels: { [`${prefix}skip-reconciliation`]: null } } });
    await world.world.clock.until(async () => (await world.manifest())?.status?.inventory?.fingerprint !== undefined);

    deepEqual((await world.manifest())?.status?.synced, synced);
    ok(
      world.writes(before).every((write) => write.startsWith("patch ")),
      "nothing is deleted or created anew",
    );
  });

  test("a render that lost objects of the same layer deletes nothing (fault 28)", async () => {
    await installed();
    await world.patch({ metadata: { labels: { [`${prefix}skip-reconciliation`]: "true" } } });
    const manifests = await world.world.kcp.resource(api, "Manifest");
    const self = { resource: manifests, namespace: "kcp-system", name: "one-alpha" };
    await world.world.skr.apply(configMap("extra"));
    const extra = { group: "", version: "v1", kind: "ConfigMap", namespace: "kyma-system", name: "extra" };
    const synced = [...((await world.manifest())?.status?.synced ?? []), extra];
    await world.world.kcp.client.mergePatch(self, { status: { inventory: null, synced } }, { subresource: "status" });
    await world.patch({ metadata: { labels: { [`${prefix}skip-reconciliation`]: null } } });
    const { status } = await world.until("Warning");

    match(operationOf({ status } as Manifest), /^resource syncTarget diff detected but in same oci layer/);
    ok((await world.names("v1", "ConfigMap")).includes("extra"));
  });

  test("somebody who rewrites our fields again and again is named, and we back off", async () => {
    await installed();
    const ref = {
      resource: await world.world.skr.resource("v1", "ConfigMap"),
      namespace: "kyma-system",
      name: "settings",
    };
    for (let round = 0; round < 3; round += 1) {
      await world.world.skr.client.mergePatch(ref, { data: { version: `theirs ${round}` } }, { fieldManager: "rival" });
      world.controller.remoteChanged("one");
      await world.world.clock.advance(5_000);
    }

    match(
      conditionOf(await world.manifest(), "Drift") ?? "",
      /^ConfigMap kyma-system\/settings is changed by .*rival.* again and again/,
    );
    const before = world.writes().length;
    await world.world.skr.client.mergePatch(ref, { data: { version: "theirs" } }, { fieldManager: "rival" });
    world.controller.remoteChanged("one");
    await world.world.clock.advance(5_000);
    equal(world.writes().length, before);
  });
});

describe("CRDs and the default module CR", () => {
  test("a CRD that is there is updated with the module (fault 10)", async () => {
    await installed();
    const changed = structuredClone(crd) as AnyObject & { spec: { names: { shortNames?: string[] } } };
    changed.spec.names.shortNames = ["al"];
    const ref = world.layer([changed, account]);
    await world.upgrade(ref);
    await world.installed(ref);
    const [live] = await world.world.skr.list("apiextensions.k8s.io/v1", "CustomResourceDefinition");

    match(JSON.stringify(live?.["spec"]), /"shortNames":\["al"\]/);
  });

  test("a module CR that can't be created is an error, and its condition stays False (M9)", async () => {
    await world.install(world.layer(sampleVersions[1]), {
      resource: { ...resource, metadata: { name: "a", namespace: "nowhere" } },
    });
    const manifest = await world.until("Error");

    match(operationOf(manifest), /namespaces "nowhere" not found/);
    equal(conditionOf(manifest, "ModuleCR"), "module CR has not been created to SKR");
  });
});

describe("immutable fields", () => {
  const withSelector = (app: string, labels: Record<string, string> = {}): AnyObject => {
    const object = structuredClone(deployment("alpha:1")) as AnyObject & {
      spec: { selector: object; template: { metadata: object } };
    };
    object.spec.selector = { matchLabels: { app } };
    object.spec.template.metadata = { labels: { app } };
    object.metadata.labels = { ...labels };
    return object;
  };

  test("an object that can't be changed in place is named, with the way out", async () => {
    await world.install(world.layer([withSelector("one")]));
    await world.until("Ready");
    await world.upgrade(world.layer([withSelector("two")]));

    match(
      operationOf(await world.until("Error")),
      /Deployment kyma-system\/alpha can't be changed in place: .*Label it operator\.kyma-project\.io\/recreate=true/,
    );
  });

  test("it is deleted and created again where the module allows it", async () => {
    const allowed = { [`${prefix}recreate`]: "true" };
    await world.install(world.layer([withSelector("one", allowed)]));
    await world.until("Ready");
    const ref = world.layer([withSelector("two", allowed)]);
    await world.upgrade(ref);
    await world.installed(ref);

    match(
      JSON.stringify((await world.world.skr.list("apps/v1", "Deployment"))[0]?.["spec"]),
      /"matchLabels":\{"app":"two"\}/,
    );
  });
});

test("custom resources of a CRD in the same layer are applied once it is served (fault 8, fault 59)", async () => {
  await world.install(world.layer([resource, crd]));
  await world.until("Ready");

  deepEqual(await world.names("demo.example.org/v1", "Alpha"), ["default"]);
});
