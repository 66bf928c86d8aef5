import { deepEqual, equal, notEqual } from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, test } from "@jest/globals";
import { type Shoot, shootResource } from "@kyma-operators/gardener";
import { type AnyObject, builtIn, optional } from "@kyma-operators/kube";
import { parseYaml } from "@kyma-operators/yaml";
import { annotations, type Runtime, runtimeResource } from "../apis/infrastructure/index.ts";
import { addGardenerClusterController } from "../controllers/gardener-cluster/index.ts";
import { addRuntimeController, type Landscape } from "../controllers/runtime/index.ts";
import { parseLandscapeConfig } from "../controllers/runtime/shoot/index.ts";
import { type InfrastructureWorld, landscapeText, startInfrastructureWorld } from "../testing/index.ts";

type StoredRuntime = Runtime & AnyObject;

const folder = join(import.meta.dirname, "../config/samples/runtime");
const namespace = "kcp-system";
const { secrets } = builtIn;
const landscape: Landscape = {
  config: parseLandscapeConfig(landscapeText(), "converter_config.json"),
  auditLogTenants: {},
  maintenanceWindows: {},
};

describe("the life of a Runtime", () => {
  const worlds: InfrastructureWorld[] = [];
  afterEach(async () => {
    for (const world of worlds.splice(0)) await world.stop();
  });

  async function start(): Promise<InfrastructureWorld> {
    const world = await startInfrastructureWorld();
    worlds.push(world);
    const { operatorGarden: gardener, remote } = world;
    addRuntimeController(world.context, {
      gardener,
      remote,
      landscape: () => landscape,
      auditLogMandatory: false,
    });
    const rotation = { lifetimeMs: 3_600_000, ratio: 0.6 };
    addGardenerClusterController(world.context, { gardener, projectName: "kyma-dev", rotation });
    world.start();
    return world;
  }

  for (const file of ["alicloud", "aws", "azure", "azure-lite", "gcp", "sap-converged-cloud"]) {
    test(`on ${file}: made after a failure that passes, changed, its kubeconfig renewed, and taken down`, async () => {
      const world = await start();
      const object = parseYaml(readFileSync(join(folder, `${file}.yaml`), "utf8")) as StoredRuntime;
      const { shoot } = object.spec;
      const { name = "" } = object.metadata;
      const ref = { resource: runtimeResource, namespace, name };
      const runtimeOf = (): Promise<StoredRuntime | undefined> => optional(world.kcp.client.get<StoredRuntime>(ref));
      const untilReady = (generation: number): Promise<void> =>
        world.until(async () => {
          const { status } = (await runtimeOf()) ?? {};
          return status?.state === "Ready" && status.conditions?.at(-1)?.observedGeneration === generation;
        }, 7_200_000);
      const maximumOf = async (): Promise<number | undefined> => {
        const at = { resource: shootResource, namespace: "garden-kyma-dev", name: shoot.name };
        return (await world.garden.get<Shoot & AnyObject>(at)).spec.provider.workers?.[0]?.maximum;
      };
      const syncOf = async (): Promise<string | undefined> => {
        const secret = await world.kcp.client.get({ resource: secrets, namespace, name: `kubeconfig-${name}` });
        return secret.metadata.annotations?.[annotations.lastSync];
      };

      world.gardener.fail(shoot.name, { codes: ["ERR_INFRA_RATE_LIMITS_EXCEEDED"], description: "too many requests" });
      await world.kcp.client.create(runtimeResource, object);
      await untilReady(1);

      const workers = shoot.provider.workers.map((worker) => ({ ...worker, maximum: worker.maximum + 1 }));
      await world.kcp.client.mergePatch(ref, { spec: { shoot: { provider: { workers } } } });
      await untilReady(2);
      equal(await maximumOf(), workers[0]?.maximum);

      const before = await syncOf();
      await world.until(async () => (await syncOf()) !== before, 3_600_000);
      notEqual(await syncOf(), undefined);
      equal((await runtimeOf())?.status?.state, "Ready");

      await world.kcp.client.delete(ref);
      await world.until(async () => (await runtimeOf()) === undefined, 7_200_000);
      deepEqual((await world.garden.list(shootResource)).items, []);
      deepEqual(await world.kcp.list("v1", "Secret"), []);
    });
  }
});
