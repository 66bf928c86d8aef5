import { deepEqual, equal, ok } from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, test } from "@jest/globals";
import { type Shoot, shootResource } from "@kyma-operators/gardener";
import { type AnyObject, builtIn, type Client } from "@kyma-operators/kube";
import { parseYaml } from "@kyma-operators/yaml";
import { customConfigResource, type Runtime, runtimeResource } from "../apis/infrastructure/index.ts";
import { addGardenerClusterController } from "../controllers/gardener-cluster/index.ts";
import { addRegistryCacheController } from "../controllers/registry-cache/index.ts";
import { addRuntimeController } from "../controllers/runtime/index.ts";
import { parseAuditLogTenants, parseLandscapeConfig } from "../controllers/runtime/shoot/index.ts";
import {
  type InfrastructureWorld,
  landscapeText,
  runtimeObject,
  startInfrastructureWorld,
  tenantsText,
} from "../testing/index.ts";

const ref = { resource: runtimeResource, namespace: "kcp-system", name: "11111111-0000-4000-8000-000000000001" };
const { secrets } = builtIn;
const crd = join(import.meta.dirname, "../crds/core.kyma-project.io_customconfigs.yaml");

describe("registry caches", () => {
  let world: InfrastructureWorld;
  let skr: Client;

  beforeEach(async () => {
    world = await startInfrastructureWorld();
    const landscape = {
      config: parseLandscapeConfig(landscapeText(), "converter_config.json"),
      auditLogTenants: parseAuditLogTenants(tenantsText(), "tenants.json"),
      maintenanceWindows: {},
    };
    const { operatorGarden: gardener, remote } = world;
    addRuntimeController(world.context, { gardener, remote, landscape: () => landscape });
    addGardenerClusterController(world.context, { gardener, projectName: "kyma-dev" });
    addRegistryCacheController(world.context, { remote, gardener, projectName: "kyma-dev" });
    world.start();
    await world.kcp.client.create(runtimeResource, runtimeObject());
    await world.until(async () => (await runtimeOf()).status?.state === "Ready");
    skr = await world.shootClient("c-1");
    const definition = parseYaml(readFileSync(crd, "utf8")) as AnyObject;
    await skr.create(await skr.resourceFor(definition.apiVersion, definition.kind), definition);
  });
  afterEach(() => world.stop());

  const runtimeOf = (): Promise<Runtime & AnyObject> => world.kcp.client.get<Runtime & AnyObject>(ref);
  const shootOf = async (): Promise<Shoot> =>
    world.garden.get<Shoot & AnyObject>({ resource: shootResource, namespace: "garden-kyma-dev", name: "c-1" });
  const cacheOf = async () => (await shootOf()).spec.extensions?.find(({ type }) => type === "registry-cache");
  const credentials = async (): Promise<readonly AnyObject[]> =>
    (await world.garden.list(secrets, { namespace: "garden-kyma-dev", labelSelector: "kyma-project.io/cache-id" }))
      .items;

  const ask = (...caches: readonly object[]): Promise<AnyObject> =>
    skr.create(customConfigResource, {
      apiVersion: "core.kyma-project.io/v1beta1",
      kind: "CustomConfig",
      metadata: { name: "cache", namespace: "default" },
      spec: { caches },
    });

  test("K9: come to the Shoot when the cluster asks for them, and are switched off when it does not any more", async () => {
    equal((await runtimeOf()).spec.imageRegistryCache, undefined);
    await ask({ upstream: "docker.io" });
    await world.until(async () => (await cacheOf())?.disabled === false);
    deepEqual((await runtimeOf()).spec.imageRegistryCache, { enabled: true });

    await skr.delete({ resource: customConfigResource, namespace: "default", name: "cache" });
    await world.until(async () => (await cacheOf())?.disabled === true);
    deepEqual((await runtimeOf()).spec.imageRegistryCache, { enabled: false });
  });

  test("bring their credentials along, and take them back", async () => {
    await skr.create(secrets, {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "login", namespace: "default" },
      data: { username: Buffer.from("u").toString("base64"), password: Buffer.from("p").toString("base64") },
    });
    await ask({ upstream: "docker.io", secretReferenceName: "login" });
    await world.until(async () => (await cacheOf()) !== undefined);

    const [secret] = await credentials();
    ok(secret);
    const { resources = [] } = (await shootOf()).spec;
    const name = secret.metadata.name ?? "";
    ok(resources.some((resource) => resource.name === name && resource.resourceRef.name === name));
    deepEqual((await cacheOf())?.providerConfig?.["caches"], [{ upstream: "docker.io", secretReferenceName: name }]);

    await skr.delete({ resource: customConfigResource, namespace: "default", name: "cache" });
    await world.until(async () => (await credentials()).length === 0);
    equal(
      (await shootOf()).spec.resources?.some((resource) => resource.name === name),
      false,
    );
  });

  test("of a cluster that sleeps are left as they are, and looked for when it wakes up", async () => {
    const shootRef = { resource: shootResource, namespace: "garden-kyma-dev", name: "c-1" };
    const sleep = async (enabled: boolean): Promise<void> => {
      await world.garden.mergePatch(shootRef, { spec: { hibernation: { enabled } } });
      await world.until(async () => (await shootOf()).status?.hibernated === enabled);
      await world.until(async () => (await shootOf()).status?.lastOperation?.state === "Succeeded");
    };
    await ask({ upstream: "docker.io" });
    await world.until(async () => (await cacheOf())?.disabled === false);
    await sleep(true);
    await world.clock.advance(60_000);
    const before = world.clusterRequests.length;
    await world.kcp.client.mergePatch(ref, { spec: { security: { administrators: ["b@example.test"] } } });
    await world.clock.advance(600_000);

    equal(world.clusterRequests.length, before);
    const { conditions = [] } = (await runtimeOf()).status ?? {};
    deepEqual(
      conditions.filter(({ status }) => status === "False"),
      [],
    );
    equal((await cacheOf())?.disabled, false);

    await skr.delete({ resource: customConfigResource, namespace: "default", name: "cache" });
    await sleep(false);
    await world.until(async () => (await cacheOf())?.disabled === true);
  });

  test("K10: a Secret that is not ours changes no Runtime", async () => {
    await ask({ upstream: "docker.io" });
    const name = `kubeconfig-${ref.name}`;
    await world.kcp.client.mergePatch(
      { resource: secrets, namespace: "kcp-system", name },
      {
        metadata: { labels: { "kyma-project.io/runtime-id": "somebody-else" } },
      },
    );
    await world.clock.advance(300_000);
    equal((await runtimeOf()).spec.imageRegistryCache, undefined);
  });
});
