import { deepEqual, equal } from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, test } from "@jest/globals";
import { type Shoot, shootResource } from "@kyma-operators/gardener";
import type { AnyObject, Resource } from "@kyma-operators/kube";
import { parseYaml } from "@kyma-operators/yaml";
import { type Runtime, runtimeResource, validateRuntime } from "../apis/infrastructure/index.ts";
import { convertToShoot, parseLandscapeConfig, structuredAuthConfigMap } from "../controllers/runtime/shoot/index.ts";
import { type InfrastructureWorld, landscapeText, startInfrastructureWorld } from "../testing/index.ts";

const folder = join(import.meta.dirname, "../config/samples/runtime");
const config = parseLandscapeConfig(landscapeText(), "converter_config.json");
const configMaps: Resource = { group: "", version: "v1", kind: "ConfigMap", plural: "configmaps", namespaced: true };

describe("the Runtime samples", () => {
  let world: InfrastructureWorld;
  beforeAll(async () => {
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
      deepEqual(validateRuntime(runtime, { projectName: config.converter.gardener.projectName }), []);

      const shoot = convertToShoot({ runtime, config });
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
