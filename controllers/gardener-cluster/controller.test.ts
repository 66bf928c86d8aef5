import { deepEqual, equal, match, notEqual, ok } from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "@jest/globals";
import { type Shoot, shootResource } from "@kyma-operators/gardener";
import { type AnyObject, builtIn, type Client, kubeErrors, optional, timeText } from "@kyma-operators/kube";
import { annotations, type GardenerCluster, gardenerClusterResource } from "../../apis/infrastructure/index.ts";
import { type InfrastructureWorld, shootSample, startInfrastructureWorld } from "../../testing/index.ts";
import { addGardenerClusterController } from "./index.ts";

const { secrets } = builtIn;
const namespace = "kcp-system";
const name = "r-1";
const secretRef = { resource: secrets, namespace, name: `kubeconfig-${name}` };
const clusterRef = { resource: gardenerClusterResource, namespace, name };
const hourMs = 3_600_000;

function clusterObject(marks: Record<string, string> = {}): AnyObject {
  return {
    apiVersion: "infrastructuremanager.kyma-project.io/v1",
    kind: "GardenerCluster",
    metadata: {
      name,
      namespace,
      annotations: marks,
      labels: {
        "kyma-project.io/runtime-id": name,
        "kyma-project.io/shoot-name": "c-1",
        "operator.kyma-project.io/kyma-name": name,
        "operator.kyma-project.io/managed-by": "infrastructure-manager",
        "operator.kyma-project.io/internal": "true",
      },
    },
    spec: {
      shoot: { name: "c-1" },
      kubeconfig: { secret: { name: `kubeconfig-${name}`, namespace, key: "config" } },
    },
  };
}

describe("the GardenerCluster controller", () => {
  let world: InfrastructureWorld;
  beforeEach(async () => {
    world = await startInfrastructureWorld();
  });
  afterEach(() => world.stop());

  async function start(gardener: Client = world.operatorGarden): Promise<void> {
    await world.garden.create(shootResource, shootSample);
    await world.until(async () => {
      const found = await world.garden.get<Shoot & AnyObject>({
        resource: shootResource,
        namespace: "garden-kyma-dev",
        name: "c-1",
      });
      return found.status?.lastOperation?.state === "Succeeded";
    });
    addGardenerClusterController(world.context, { gardener, projectName: "kyma-dev" });
    world.start();
  }

  const secretOf = (): Promise<AnyObject | undefined> => optional(world.kcp.client.get(secretRef));
  const clusterOf = (): Promise<GardenerCluster & AnyObject> =>
    world.kcp.client.get<GardenerCluster & AnyObject>(clusterRef);
  const dataOf = (secret: AnyObject | undefined): string =>
    String((secret?.["data"] as { config?: string } | undefined)?.config);
  const syncOf = (secret: AnyObject | undefined): string | undefined =>
    secret?.metadata.annotations?.[annotations.lastSync];
  const metricsText = async (): Promise<string> => (await world.manager.metrics.scrape()).text;

  async function create(marks?: Record<string, string>): Promise<AnyObject> {
    await world.kcp.client.create(gardenerClusterResource, clusterObject(marks));
    await world.until(async () => (await clusterOf()).status?.state === "Ready");
    const secret = await secretOf();
    ok(secret);
    return secret;
  }

  test("K1: a new one gets a Secret with its labels, and becomes Ready", async () => {
    await start();
    const secret = await create();

    deepEqual(secret.metadata.labels, {
      ...clusterObject().metadata.labels,
      "operator.kyma-project.io/cluster-name": name,
    });
    match(Buffer.from(dataOf(secret), "base64").toString(), /current-context: garden-kyma-dev--c-1-external/);
    equal(syncOf(secret), timeText(world.clock.now()));
    const { conditions } = (await clusterOf()).status ?? {};
    deepEqual(
      conditions?.map(({ type, reason, status, message }) => [type, reason, status, message]),
      [["KubeconfigManagement", "KubeconfigSecretCreated", "True", "Secret created successfully."]],
    );
  });

  test("K2: with its end the Secret goes", async () => {
    await start();
    await create();
    await world.kcp.client.delete(clusterRef);
    await world.until(async () => (await secretOf()) === undefined);
  });

  test("K3: Gardener's refusal is said, and tried again", async () => {
    let refusals = 2;
    const refusing = new Proxy(world.operatorGarden, {
      get: (target, method) => {
        if (method !== "createSubresource" || refusals === 0) return Reflect.get(target, method)?.bind(target);
        return async () => {
          refusals -= 1;
          throw kubeErrors.SERVER({
            method: "POST",
            path: "/x",
            status: 500,
            reason: "InternalError",
            message: "down",
          });
        };
      },
    });
    await start(refusing);
    await world.kcp.client.create(gardenerClusterResource, clusterObject());
    await world.until(async () => (await clusterOf()).status?.state === "Error");
    const [condition] = (await clusterOf()).status?.conditions ?? [];
    equal(condition?.reason, "FailedToGetKubeconfig");
    match(condition?.message ?? "", /^Failed to get kubeconfig\. Error: .*down/);
    await world.until(async () => (await clusterOf()).status?.state === "Ready");
  });

  test("K4: an old kubeconfig is replaced", async () => {
    await start();
    const first = await create();
    const long = timeText(world.clock.now() - 20 * hourMs);
    await world.kcp.client.mergePatch(secretRef, { metadata: { annotations: { [annotations.lastSync]: long } } });
    await world.until(async () => syncOf(await secretOf()) !== long && syncOf(await secretOf()) !== undefined);

    notEqual(dataOf(await secretOf()), dataOf(first));
    await world.until(async () => (await clusterOf()).status?.conditions?.[0]?.reason === "KubeconfigSecretRotated");
  });

  test("K5: a forced rotation happens once, whatever the age, and its annotation goes", async () => {
    await start();
    const first = await create();
    await world.clock.advance(60_000);
    await world.kcp.client.mergePatch(clusterRef, {
      metadata: { annotations: { [annotations.forceRotation]: "now" } },
    });
    await world.until(async () => (await clusterOf()).metadata.annotations?.[annotations.forceRotation] === undefined);

    const second = await secretOf();
    notEqual(dataOf(second), dataOf(first));
    notEqual(syncOf(second), syncOf(first));
    equal((await clusterOf()).status?.state, "Ready");
  });

  test("K6: a fresh one is left alone, and Gardener is not asked", async () => {
    await start();
    const first = await create();
    const before = world.gardenRequests.length;
    await world.clock.advance(6 * hourMs);
    equal(syncOf(await secretOf()), syncOf(first));
    equal(world.gardenRequests.length, before);
  });

  test("a Secret that somebody emptied or deleted is written again", async () => {
    await start();
    await create();
    await world.kcp.client.mergePatch(secretRef, { data: { config: null } });
    await world.until(async () => dataOf(await secretOf()) !== "undefined");
    await world.kcp.client.delete(secretRef);
    await world.until(async () => (await secretOf()) !== undefined);
  });

  test("a cluster without a Shoot says so and asks no more", async () => {
    addGardenerClusterController(world.context, { gardener: world.operatorGarden, projectName: "kyma-dev" });
    world.start();
    await world.kcp.client.create(gardenerClusterResource, clusterObject());
    await world.until(async () => (await clusterOf()).status?.state === "Error");
    const before = world.gardenRequests.length;
    await world.clock.advance(12 * hourMs);
    equal(world.gardenRequests.length, before);
  });

  test("the metrics show state and expiry, and forget both", async () => {
    await start();
    const secret = await create();
    const expires = Date.parse(secret.metadata.annotations?.[annotations.expiresAt] ?? "") / 1000;
    const text = await metricsText();
    ok(
      text.includes(
        `infrastructure_manager_im_gardener_clusters_state{runtimeId="r-1",shootName="c-1",state="Ready",reason="KubeconfigSecretCreated"} 1`,
      ),
      text,
    );
    match(
      text,
      new RegExp(`im_kubeconfig_expiration\\{runtimeId="r-1",shootName="c-1",expires="${expires}".*\\} ${expires}`),
    );

    await world.kcp.client.delete(clusterRef);
    await world.until(async () => (await secretOf()) === undefined);
    equal((await metricsText()).includes('runtimeId="r-1"'), false);
  });
});
