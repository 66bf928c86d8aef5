import { deepEqual, equal, match, ok } from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "@jest/globals";
import { type Shoot, shootResource } from "@kyma-operators/gardener";
import { type AnyObject, builtIn, optional } from "@kyma-operators/kube";
import {
  type GardenerCluster,
  gardenerClusterResource,
  type Runtime,
  runtimeResource,
  shootMarks,
} from "../apis/infrastructure/index.ts";
import { addGardenerClusterController } from "../controllers/gardener-cluster/index.ts";
import { addRuntimeController } from "../controllers/runtime/index.ts";
import { parseAuditLogTenants, parseLandscapeConfig } from "../controllers/runtime/shoot/index.ts";
import {
  type InfrastructureWorld,
  landscapeText,
  runtimeObject,
  startInfrastructureWorld,
  tenantsText,
} from "../testing/index.ts";

type StoredRuntime = Runtime & AnyObject;

const namespace = "kcp-system";
const idLabel = "kyma-project.io/runtime-id";
const nameOf = (id: string): string => `11111111-0000-4000-8000-00000000000${id}`;
const refOf = (id: string) => ({ resource: runtimeResource, namespace, name: nameOf(id) });
const shootRef = { resource: shootResource, namespace: "garden-kyma-dev", name: "c-1" };
const clusterRef = { resource: gardenerClusterResource, namespace, name: nameOf("1") };
const landscape = {
  config: parseLandscapeConfig(landscapeText(), "converter_config.json"),
  auditLogTenants: parseAuditLogTenants(tenantsText(), "tenants.json"),
  maintenanceWindows: {},
};

describe("a Runtime that names what another one has", () => {
  let world: InfrastructureWorld;
  beforeEach(async () => {
    world = await startInfrastructureWorld();
    const { operatorGarden: gardener, remote } = world;
    addRuntimeController(world.context, { gardener, remote, landscape: () => landscape });
    addGardenerClusterController(world.context, { gardener, projectName: "kyma-dev" });
    world.start();
    await world.kcp.client.create(runtimeResource, runtimeObject());
    await untilState("1", "Ready");
  });
  afterEach(() => world.stop());

  const runtimeOf = (id: string): Promise<StoredRuntime | undefined> =>
    optional(world.kcp.client.get<StoredRuntime>(refOf(id)));
  const shootOf = (): Promise<(Shoot & AnyObject) | undefined> =>
    optional(world.garden.get<Shoot & AnyObject>(shootRef));
  const untilState = (id: string, state: string): Promise<void> =>
    world.until(async () => (await runtimeOf(id))?.status?.state === state);
  const untilGone = (id: string): Promise<void> => world.until(async () => (await runtimeOf(id)) === undefined);
  const lastOf = async (id: string): Promise<string> => {
    const { type, reason, message } = (await runtimeOf(id))?.status?.conditions?.at(-1) ?? {};
    return `${type}/${reason}/${message}`;
  };

  test("does not touch the other's Shoot, and leaves it behind when it goes", async () => {
    const before = await shootOf();
    await world.kcp.client.create(runtimeResource, runtimeObject({ id: "2", shoot: { name: "c-1" } }));
    await untilState("2", "Failed");
    match(await lastOf("2"), /^Provisioned\/GardenerErr\/.*Shoot c-1 exists and belongs to another Runtime$/);

    await world.kcp.client.delete(refOf("2"));
    await untilGone("2");
    const after = await shootOf();
    deepEqual([after?.metadata.uid, after?.metadata.generation], [before?.metadata.uid, before?.metadata.generation]);
    equal(after?.metadata.annotations?.[shootMarks.runtimeId], nameOf("1"));
    equal(after?.metadata.deletionTimestamp, undefined);
    equal((await runtimeOf("1"))?.status?.state, "Ready");
  });

  test("does not use the other's kubeconfig when it carries the other's id", async () => {
    const labels = { [idLabel]: nameOf("1") };
    await world.kcp.client.create(runtimeResource, runtimeObject({ id: "2", labels }));
    await untilState("2", "Failed");
    match(
      await lastOf("2"),
      /^KubeconfigReady\/KubernetesErr\/GardenerCluster \S+ is that of Shoot c-1: another Runtime/,
    );

    await world.kcp.client.delete(refOf("2"));
    await untilGone("2");
    const cluster = await world.kcp.client.get<GardenerCluster & AnyObject>(clusterRef);
    deepEqual([cluster.spec.shoot.name, cluster.metadata.deletionTimestamp], ["c-1", undefined]);
    ok(await shootOf());
  });

  test("takes the other's id later on and neither opens the other's cluster nor deletes its credentials", async () => {
    const secret = builtIn.secrets;
    const cacheSecret = { resource: secret, namespace: "garden-kyma-dev", name: "reg-cache-1" };
    const managedBy = { "operator.kyma-project.io/managed-by": "infrastructure-manager" };
    const labels = { [idLabel]: nameOf("1"), ...managedBy, "kyma-project.io/cache-id": "1" };
    await world.garden.create(secret, {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: cacheSecret.name, namespace: cacheSecret.namespace, labels },
    });
    await world.kcp.client.create(runtimeResource, runtimeObject({ id: "2" }));
    await untilState("2", "Ready");
    const generation = async () => (await world.garden.get({ ...shootRef, name: "c-2" })).metadata.generation;
    const [patched, requests] = [await generation(), world.clusterRequests.length];

    await world.kcp.client.mergePatch(refOf("2"), {
      metadata: { labels: { [idLabel]: nameOf("1") } },
      spec: { imageRegistryCache: { enabled: true }, shoot: { kubernetes: { version: "1.33.1" } } },
    });
    await untilState("2", "Failed");
    const told = (await runtimeOf("2"))?.status?.conditions?.find(({ type }) => type === "KubeconfigReady");
    match(`${told?.reason} ${told?.message}`, /^KubernetesErr .*another Runtime has the same label/);
    deepEqual([await generation(), world.clusterRequests.length], [patched, requests]);

    await world.kcp.client.delete(refOf("2"));
    await untilGone("2");
    equal((await world.garden.get(cacheSecret)).metadata.deletionTimestamp, undefined);
  });

  test("but has only lost its own id takes its own Shoot along", async () => {
    await world.kcp.client.mergePatch(refOf("1"), { metadata: { labels: { [idLabel]: null } } });
    await world.kcp.client.delete(refOf("1"));
    await untilGone("1");
    equal(await shootOf(), undefined);
  });

  test("without an id of its own does not take the other's Shoot along", async () => {
    await world.kcp.client.create(
      runtimeResource,
      runtimeObject({ id: "2", shoot: { name: "c-1" }, labels: { [idLabel]: "" } }),
    );
    await untilState("2", "Failed");
    await world.kcp.client.delete(refOf("2"));
    await untilGone("2");
    equal((await shootOf())?.metadata.deletionTimestamp, undefined);
  });
});
