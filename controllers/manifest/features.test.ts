import { deepEqual, equal, match } from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "@jest/globals";
import type { AnyObject } from "@kyma-operators/kube";
import { ManifestWorld, sampleModule, sampleVersions } from "../../testing/index.ts";
import { addManifestController, type ManifestController } from "./controller.ts";
import { valueAt } from "./json.ts";

const prefix = "operator.kyma-project.io/";
const settings = { pullSecret: "pull-me", deployerInjection: true };
let world: ManifestWorld<ManifestController>;
beforeEach(async () => {
  world = await ManifestWorld.start(({ context, ...options }) =>
    addManifestController(context, { ...options, settings }),
  );
});
afterEach(async () => world.stop());

const podSpec = async (): Promise<unknown> =>
  valueAt((await world.world.skr.list("apps/v1", "Deployment"))[0], "spec", "template", "spec");

describe("images", () => {
  test("pods pull with the installation's Secret, and the manager is told its name (E123)", async () => {
    await world.install(world.layer(sampleVersions[1]));
    await world.until("Ready");
    const spec = await podSpec();

    deepEqual(valueAt(spec, "imagePullSecrets"), [{ name: "pull-me" }]);
    match(JSON.stringify(valueAt(spec, "containers")), /"env":\[\{"name":"SKR_IMG_PULL_SECRET","value":"pull-me"\}\]/);
  });

  test("a transferred module runs its transferred images (E121)", async () => {
    await world.install(world.layer(sampleVersions[1]), { localizedImages: ["mirror.example.org/x/alpha:1"] });
    await world.until("Ready");

    match(JSON.stringify(await podSpec()), /"image":"mirror\.example\.org\/x\/alpha:1"/);
  });
});

describe("the module deployer", () => {
  const asked: AnyObject = {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "creds", namespace: "kyma-system", annotations: { [`${prefix}inject-data-from-kcp`]: "true" } },
  };
  const plain: AnyObject = {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "plain", namespace: "kyma-system" },
    data: { a: "Yg==" },
  };
  const source = (data: Record<string, string>, module: string | undefined = "deployer"): AnyObject => ({
    apiVersion: "v1",
    kind: "Secret",
    metadata: {
      name: "creds",
      namespace: "kcp-system",
      labels: module === "" ? {} : { [`${prefix}module-name`]: module },
    },
    data,
  });
  const deployer = { labels: { [`${prefix}kyma-name`]: "one", [`${prefix}module-name`]: "deployer" } };
  const dataOf = async (name: string): Promise<unknown> =>
    (await world.world.skr.list("v1", "Secret")).find(({ metadata }) => metadata.name === name)?.["data"];
  const operation = async (): Promise<string> => (await world.manifest())?.status?.lastOperation?.operation ?? "";

  test("gets the data of a control-plane Secret, and every change of it (E125, E126, E127)", async () => {
    await world.world.kcp.apply(source({ k: "djE=" }));
    await world.install(world.layer([asked, plain]), {}, deployer);
    await world.until("Ready");
    deepEqual(await dataOf("creds"), { k: "djE=" });
    deepEqual(await dataOf("plain"), { a: "Yg==" });

    await world.world.kcp.apply(source({ k: "djI=" }));
    await world.world.clock.until(async () => JSON.stringify(await dataOf("creds")) === '{"k":"djI="}');
  });

  const refusals: readonly [name: string, secret: AnyObject | undefined, says: RegExp][] = [
    [
      "a Secret of another module (E128)",
      source({}, "other"),
      /label does not match the manifest module: secret=creds/,
    ],
    [
      "a Secret without the label (E129)",
      source({}, ""),
      /is missing the required operator\.kyma-project\.io\/module-name label/,
    ],
    ["a Secret that is not there (E130)", undefined, /failed to fetch kcp secret "creds"/],
  ];

  for (const [name, secret, says] of refusals) {
    test(`is refused ${name}, and nothing is applied`, async () => {
      if (secret !== undefined) await world.world.kcp.apply(secret);
      await world.install(world.layer([asked]), {}, deployer);
      await world.until("Error");

      match(await operation(), says);
      deepEqual(world.writes(), []);
    });
  }

  test("another module's marked Secret is left as it is (E131)", async () => {
    await world.world.kcp.apply(source({ k: "djE=" }));
    await world.install(world.layer([{ ...asked, data: { own: "eA==" } }]));
    await world.until("Ready");

    deepEqual(await dataOf("creds"), { own: "eA==" });
  });
});

test("an object that moves to another version of its API stays the same object (E026, fault 54)", async () => {
  const hpa = (version: string): AnyObject => ({
    apiVersion: `autoscaling/${version}`,
    kind: "HorizontalPodAutoscaler",
    metadata: { name: "alpha", namespace: "kyma-system" },
    spec: { scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "alpha" }, maxReplicas: 3 },
  });
  await world.install(world.layer([hpa("v1")]));
  await world.until("Ready");
  const before = (await world.world.skr.list("autoscaling/v2", "HorizontalPodAutoscaler"))[0]?.metadata.uid;
  const ref = world.layer([hpa("v2")]);
  await world.upgrade(ref);
  const { status } = await world.installed(ref);

  equal((await world.world.skr.list("autoscaling/v2", "HorizontalPodAutoscaler"))[0]?.metadata.uid, before);
  deepEqual(
    status?.synced?.map(({ version }) => version),
    ["v2"],
  );
});

test("a CRD that a new version drops stays as long as users have objects of it; a default CR of ours goes with it", async () => {
  const { crd } = sampleModule;
  const resource = { ...sampleModule.customResource, spec: { size: 1 } };
  const keeps = sampleModule.configMap("kept");
  await world.install(world.layer([crd, keeps]), { resource });
  await world.until("Ready");
  const { skr } = world.world;
  const mine = { ...resource, metadata: { ...resource.metadata, name: "mine" } };
  await skr.apply(mine);
  await world.patch({ spec: { resource: null, install: { source: { ref: world.layer([keeps]) } } } });
  const { status } = await world.until("Warning");

  equal(
    status?.lastOperation?.operation,
    "Alpha kyma-system/mine would be deleted with CustomResourceDefinition alphas.demo.example.org; delete them first",
  );
  const alphas = await skr.resource("demo.example.org/v1", "Alpha");
  await skr.client.delete({ resource: alphas, namespace: "kyma-system", name: "mine" });
  await world.until("Ready");
  deepEqual(await world.names("apiextensions.k8s.io/v1", "CustomResourceDefinition"), []);
});

test("a default CR that its user has configured is not deleted with a CRD that a new version drops", async () => {
  const resource = { ...sampleModule.customResource, spec: { size: 1 } };
  await world.install(world.layer([sampleModule.crd]), { resource });
  await world.until("Ready");
  const { skr } = world.world;
  const ref = {
    resource: await skr.resource("demo.example.org/v1", "Alpha"),
    namespace: "kyma-system",
    name: "default",
  };
  await skr.client.mergePatch(ref, { status: { state: "Ready" } }, { fieldManager: "operator" });
  await skr.client.mergePatch(ref, { spec: { size: 7 } }, { fieldManager: "kubectl" });
  const without = world.layer([sampleModule.configMap("kept")]);
  await world.patch({ spec: { resource: null, install: { source: { ref: without } } } });
  const { status } = await world.until("Warning");

  match(status?.lastOperation?.operation ?? "", /^Alpha kyma-system\/default would be deleted with /);
  deepEqual(await world.names("demo.example.org/v1", "Alpha"), ["default"]);
});

test("two Manifests that bring one object do not take it from each other at their end", async () => {
  const shared = sampleModule.configMap("shared");
  await world.install(world.layer([shared]));
  await world.until("Ready");
  await world.world.skr.client.mergePatch(
    { resource: await world.world.skr.resource("v1", "ConfigMap"), namespace: "kyma-system", name: "shared" },
    { metadata: { annotations: { "deprecated-operator.kyma-project.io/owned-by": "kcp-system/another" } } },
  );
  await world.delete();
  await world.gone();

  deepEqual(await world.names("v1", "ConfigMap"), ["shared"]);
});

test("a changed access Secret makes Manifests look at their cluster again (E141, E143)", async () => {
  await world.install(world.layer(sampleVersions[1]));
  await world.until("Ready");
  await world.world.clock.advance(5_000);
  const before = world.world.skr.requests.length;
  const secrets = await world.world.kcp.resource("v1", "Secret");
  const ref = { resource: secrets, namespace: "kcp-system", name: "kubeconfig-one" };
  await world.world.kcp.client.mergePatch(ref, { stringData: { other: "key" } });
  await world.world.clock.until(() => world.world.skr.requests.length > before);

  equal((await world.manifest())?.status?.state, "Ready");
});

describe("events that get lost", () => {
  test("what an event would have told is found by the next comparison (fault 19)", async () => {
    await world.install(world.layer(sampleVersions[1]));
    await world.until("Ready");
    const deployments = await world.world.skr.resource("apps/v1", "Deployment");
    await world.world.skr.client.delete({ resource: deployments, namespace: "kyma-system", name: "alpha" });
    await world.world.clock.until(
      async () => (await world.names("apps/v1", "Deployment")).includes("alpha"),
      2 * 3_600_000,
    );
  });

  test("telling the same event many times changes nothing", async () => {
    await world.install(world.layer(sampleVersions[1]));
    await world.until("Ready");
    const before = world.writes().length;
    for (let round = 0; round < 10; round += 1) {
      world.controller.remoteChanged("one");
      await world.world.clock.advance(100);
    }

    deepEqual(world.writes(before), []);
  });
});
