import { deepEqual, equal, throws } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import type { Shoot } from "@kyma-operators/gardener";
import type { Runtime } from "../../../apis/infrastructure/index.ts";
import { landscapeText, runtimeObject } from "../../../testing/index.ts";
import {
  convertToPatch,
  convertToShoot,
  differenceText,
  oidcFromStructuredConfig,
  parseLandscapeConfig,
  runtimeForShoot,
  structuredAuthConfigMap,
  unwantedDifferences,
} from "./index.ts";

const config = parseLandscapeConfig(landscapeText(), "converter_config.json");
const runtime = runtimeObject() as unknown as Runtime;
const shootName = { "kyma-project.io/shoot-name": "c-1" };
const known = { ...runtime.metadata.labels, ...shootName, "kyma-project.io/platform-region": "cf-eu10" };
const runtimeId = runtime.metadata.name ?? "";

const migrated = (shoot: Shoot): Runtime => runtimeForShoot({ runtimeId, shoot, labels: known, administrators: ["a"] });

describe("a Runtime for a Shoot that has none", () => {
  const shoot = convertToShoot({ runtime, config });

  test("would change nothing in the Shoot", () => {
    const wanted = convertToPatch({ runtime: migrated(shoot), config, shoot });
    deepEqual(unwantedDifferences(shoot, wanted), []);
  });

  test("is marked as the migrator's, and led by the Provisioner until somebody says otherwise", () => {
    const { labels = {} } = migrated(shoot).metadata;
    equal(labels["operator.kyma-project.io/created-by-migrator"], "true");
    equal(labels["kyma-project.io/controlled-by-provisioner"], "true");
    equal(labels["kyma-project.io/runtime-id"], runtimeId);
  });

  test("has the broker's pool as its main pool, and the others beside it", () => {
    const [pool] = shoot.spec.provider.workers ?? [];
    const workers = [{ ...pool, name: "other" }, pool] as Shoot["spec"]["provider"]["workers"];
    const provider = { ...shoot.spec.provider, ...(workers === undefined ? {} : { workers }) };
    const { spec } = migrated({ ...shoot, spec: { ...shoot.spec, provider } });
    deepEqual(
      spec.shoot.provider.workers.map(({ name }) => name),
      ["cpu-worker-0"],
    );
    deepEqual(
      spec.shoot.provider.additionalWorkers?.map(({ name }) => name),
      ["other"],
    );
  });

  test("needs the labels of its GardenerCluster", () => {
    const input = { runtimeId, shoot, labels: {}, administrators: [] };
    throws(() => runtimeForShoot(input), { message: "missing required label kyma-project.io/broker-plan-id" });
  });

  test("reads a structured identity provider back from its ConfigMap", () => {
    const text = structuredAuthConfigMap(runtime, config).data["config.yaml"];
    deepEqual(oidcFromStructuredConfig(JSON.parse(text)), {
      clientID: "operators",
      issuerURL: "https://operators.example.test",
      usernameClaim: "sub",
      usernamePrefix: "-",
      groupsClaim: "groups",
      groupsPrefix: "",
    });
    equal(oidcFromStructuredConfig("no document"), undefined);
  });
});

test("a difference reads like a diff", () => {
  const before = convertToShoot({ runtime, config });
  const after = { ...before, spec: { ...before.spec, region: "us-east-1" } };
  equal(
    differenceText(unwantedDifferences(before, after)),
    '- spec.region: "eu-central-1"\n+ spec.region: "us-east-1"\n',
  );
});
