import { deepEqual, match, ok } from "node:assert/strict";
import { afterEach, test } from "@jest/globals";
import type { AnyObject } from "@kyma-operators/kube";
import type { Kyma } from "../../apis/operator/kyma.ts";
import type { Manifest } from "../../apis/operator/manifest.ts";
import {
  accessSecret,
  kymaObject,
  type LifecycleWorld,
  moduleObjects,
  startLifecycleWorld,
} from "../../testing/index.ts";
import { addKymaController } from "./controller.ts";
import { kymaSettings } from "./kyma-stage.ts";

const api = "operator.kyma-project.io/v1beta2";

let world: LifecycleWorld;
afterEach(() => world.stop());

const valuesSecret = (yaml: string): AnyObject => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: {
    name: "kyma-values-runtime-1",
    namespace: "kcp-system",
    labels: { "cli.kyma-project.io/values-of": "runtime-1" },
  },
  data: { "values.yaml": Buffer.from(yaml).toString("base64") },
});

const valuesOfManifest = async (): Promise<unknown> => {
  const [manifest] = (await world.kcp.list(api, "Manifest")) as unknown as readonly Manifest[];
  return manifest?.spec.install.source["values"];
};

test("a values Secret wakes its Kyma and reaches modules that are charts; a broken one is named, not shown", async () => {
  world = await startLifecycleWorld();
  const kyma = kymaObject("runtime-1", { channel: "regular", modules: [{ name: "alpha" }] });
  await world.kcp.apply(accessSecret("runtime-1"), kyma, ...moduleObjects("alpha", { regular: "1.0.0" }));
  addKymaController(world.context, {
    settings: kymaSettings,
    clusters: world.clusters,
    descriptors: {
      get: async ({ component: name, version }) => ({
        name,
        version,
        repositoryContexts: [{ type: "OCIRegistry" }],
        resources: [{ name, type: "helmChart", access: { type: "localBlob", localReference: "sha256:1" } }],
      }),
    },
    random: () => 0,
  });
  world.start();
  await world.clock.until(async () => (await world.kcp.list(api, "Manifest")).length > 0);
  deepEqual(await valuesOfManifest(), undefined);

  await world.kcp.apply(valuesSecret("global: {domainName: a.example.org}\nalpha: {replicas: 2}\n"));
  await world.clock.until(async () => (await valuesOfManifest()) !== undefined);
  deepEqual(await valuesOfManifest(), { replicas: 2, global: { domainName: "a.example.org" } });

  await world.kcp.apply(valuesSecret("alpha: [s3cret\n"));
  const operation = async (): Promise<string> => {
    const [found] = (await world.kcp.list(api, "Kyma")) as unknown as readonly Kyma[];
    return found?.status?.lastOperation?.operation ?? "";
  };
  await world.clock.until(async () => (await operation()).includes("kyma-values-runtime-1"));
  match(
    await operation(),
    /values for the modules of runtime-1: Secret kcp-system\/kyma-values-runtime-1: it is no YAML; no module is changed until it is put right$/,
  );
  ok(!(await operation()).includes("s3cret"));
});
