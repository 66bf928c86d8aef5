import { deepEqual, equal } from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, test } from "@jest/globals";
import { type Shoot, shootResource } from "@kyma-operators/gardener";
import { type AnyObject, builtIn } from "@kyma-operators/kube";
import { parseYaml } from "@kyma-operators/yaml";
import { type Runtime, runtimeResource, validateRuntime } from "../apis/infrastructure/index.ts";
import { type Landscape, LandscapeFiles } from "../controllers/runtime/index.ts";
import { auditLogTenantFor, convertToShoot, structuredAuthConfigMap } from "../controllers/runtime/shoot/index.ts";
import { type InfrastructureWorld, startInfrastructureWorld } from "../testing/index.ts";

const folder = join(import.meta.dirname, "../config/samples/runtime");
/** The landscape of `kyma local up`: whoever applies a sample there must see a cluster. */
const converterConfig = join(import.meta.dirname, "../local/demo/landscape/converter_config.json");
const { configMaps } = builtIn;

describe("the Runtime samples", () => {
  let world: InfrastructureWorld;
  let landscape: Landscape;
  beforeAll(async () => {
    landscape = (await LandscapeFiles.open({ converterConfig, auditLogMandatory: true })).current;
    world = await startInfrastructureWorld();
    world.start();
  });
  afterAll(() => world.stop());

  const files = readdirSync(folder);
  test("there is one for every provider", () => {
    const read = (file: string): Runtime => parseYaml(readFileSync(join(folder, file), "utf8")) as Runtime;
    const types = files.map((file) => read(file).spec.shoot.provider.type);
    deepEqual([...new Set(types)].toSorted(), ["alicloud", "aws", "azure", "gcp", "openstack"]);
  });

  for (const file of files) {
    test(`${file} fits the CRD, is valid, and becomes a Shoot that Gardener takes`, async () => {
      const object = parseYaml(readFileSync(join(folder, file), "utf8"), { name: file }) as AnyObject;
      const runtime = await world.kcp.client.create<Runtime & AnyObject>(
        runtimeResource,
        object as Runtime & AnyObject,
        {
          fieldValidation: "Strict",
        },
      );
      const { config, auditLogTenants } = landscape;
      const { region, provider } = runtime.spec.shoot;
      deepEqual(validateRuntime(runtime, { projectName: config.converter.gardener.projectName }), []);

      const shoot = convertToShoot({
        runtime,
        config,
        auditLog: auditLogTenantFor(auditLogTenants, provider.type, region),
      });
      if (shoot.spec.kubernetes.kubeAPIServer?.structuredAuthentication !== undefined) {
        await world.garden.create(configMaps, structuredAuthConfigMap(runtime, config) as unknown as AnyObject);
      }
      const created = await world.garden.create<Shoot & AnyObject>(shootResource, shoot as Shoot & AnyObject, {
        fieldValidation: "Strict",
      });
      equal(created.metadata.generation, 1);
    });
  }
});
