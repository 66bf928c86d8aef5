import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { afterAll, beforeAll, describe, test } from "@jest/globals";
import { gardenerAnnotations, type Shoot, shootResource } from "@kyma-operators/gardener";
import {
  type AnyObject,
  type Client,
  clusterFromKubeconfig,
  createClient,
  createHttpTransport,
  type ObjectRef,
  optional,
  systemClock,
  transportFrom,
} from "@kyma-operators/kube";
import { type Gardener, startGardener } from "./index.ts";

type GardenShoot = Shoot & AnyObject;

const namespace = "garden-kyma-dev";

function shootObject(name: string, spec: object = {}): GardenShoot {
  return {
    apiVersion: "core.gardener.cloud/v1beta1",
    kind: "Shoot",
    metadata: { name, namespace },
    spec: {
      purpose: "production",
      region: "eu-central-1",
      secretBindingName: "aws-binding",
      cloudProfileName: "aws",
      networking: { type: "calico", nodes: "10.250.0.0/16", pods: "10.96.0.0/13", services: "10.104.0.0/13" },
      kubernetes: { version: "1.31.9" },
      provider: {
        type: "aws",
        infrastructureConfig: { networks: { vpc: { cidr: "10.250.0.0/16" }, zones: [] } },
        workers: [
          {
            name: "main",
            machine: { type: "m6i.large", image: { name: "gardenlinux", version: "1592.9.0" } },
            minimum: 1,
            maximum: 3,
            zones: ["eu-central-1a"],
          },
        ],
      },
      ...spec,
    },
  };
}

describe("the simulated Gardener", () => {
  let gardener: Gardener;
  let client: Client;
  const ref = (name: string): ObjectRef => ({ resource: shootResource, namespace, name });
  const get = (name: string): Promise<GardenShoot> => client.get<GardenShoot>(ref(name));

  beforeAll(async () => {
    gardener = await startGardener();
    client = createClient({ transport: transportFrom(gardener.server.transport), clock: systemClock });
  });
  afterAll(async () => {
    await client.close();
    await gardener.stop();
  });

  async function until(name: string, isReached: (shoot: GardenShoot) => boolean): Promise<GardenShoot> {
    for (let attempt = 0; attempt < 400; attempt += 1) {
      const shoot = await get(name);
      if (isReached(shoot)) return shoot;
      await systemClock.sleep(10);
    }
    throw new Error(`not reached: ${JSON.stringify((await get(name)).status)}`);
  }

  const isDone = ({ metadata, status }: GardenShoot): boolean =>
    status?.lastOperation?.state === "Succeeded" && status.observedGeneration === metadata.generation;

  test("takes a Shoot through its life", async () => {
    await client.create(shootResource, shootObject("life"));
    const created = await until("life", isDone);
    equal(created.status?.lastOperation?.type, "Create");
    equal(created.spec.seedName, "aws-eu-central-1");
    equal(created.spec.dns?.domain, "life.kyma-dev.shoot.example.test");
    equal(created.status.technicalID, "shoot--kyma-dev--life");

    const answer = await client.createSubresource<{ status: { kubeconfig: string; expirationTimestamp: string } }>(
      ref("life"),
      "adminkubeconfig",
      {
        apiVersion: "authentication.gardener.cloud/v1alpha1",
        kind: "AdminKubeconfigRequest",
        spec: { expirationSeconds: 200_000 },
      },
    );
    const text = Buffer.from(answer.status.kubeconfig, "base64").toString();
    match(text, /current-context: garden-kyma-dev--life-external/);
    const lifetimeMs = Date.parse(answer.status.expirationTimestamp) - Date.now();
    ok(lifetimeMs > 86_390_000 && lifetimeMs <= 86_400_000, "a longer wish is cut to a day");
    const cluster = createClient({ transport: createHttpTransport(clusterFromKubeconfig(text)), clock: systemClock });
    equal(
      (await cluster.resourceFor("authentication.gardener.cloud/v1alpha1", "OpenIDConnect")).plural,
      "openidconnects",
    );
    await cluster.close();

    const workers = created.spec.provider.workers?.map((worker) => ({ ...worker, maximum: 5 }));
    await client.mergePatch(ref("life"), { spec: { provider: { workers } } });
    const patched = await until("life", isDone);
    equal(patched.status?.lastOperation?.type, "Reconcile");

    await rejects(client.delete(ref("life")), { code: "KUBE_FORBIDDEN" });
    await client.mergePatch(ref("life"), {
      metadata: { annotations: { [gardenerAnnotations.confirmDeletion]: "true" } },
    });
    await client.delete(ref("life"));
    for (let attempt = 0; attempt < 400 && (await optional(get("life"))) !== undefined; attempt += 1)
      await systemClock.sleep(10);
    equal(await optional(get("life")), undefined);
    equal(gardener.shootCluster(namespace, "life"), undefined);
  });

  test("plays failures by code: Gardener gives up on some and tries again by itself on others", async () => {
    gardener.fail("quota", { codes: ["ERR_INFRA_QUOTA_EXCEEDED"], description: "quota exceeded" });
    gardener.fail("busy", { codes: ["ERR_INFRA_RESOURCES_DEPLETED"], description: "no capacity." });
    await client.create(shootResource, shootObject("quota"));
    await client.create(shootResource, shootObject("busy"));

    const failed = await until("quota", ({ status }) => status?.lastOperation?.state === "Failed");
    deepEqual(
      failed.status?.lastErrors?.map(({ codes, description }) => ({ codes, description })),
      [{ codes: ["ERR_INFRA_QUOTA_EXCEEDED"], description: "quota exceeded" }],
    );
    await until("busy", isDone);

    await client.mergePatch(ref("quota"), { metadata: { annotations: { [gardenerAnnotations.operation]: "retry" } } });
    const retried = await until("quota", isDone);
    equal(retried.status?.lastOperation?.type, "Create");
    equal(retried.metadata.annotations?.[gardenerAnnotations.operation], undefined);
    equal(retried.status.lastErrors, undefined);
  });

  test("keeps a Shoot pending while no Seed takes it, and says why", async () => {
    const seedSelector = { matchLabels: { "seed.gardener.cloud/region": "ap-south-1" } };
    await client.create(shootResource, shootObject("nowhere", { seedSelector }));
    const { status } = await until("nowhere", (shoot) => shoot.status?.lastOperation !== undefined);
    equal(status?.lastOperation?.state, "Pending");
    match(
      status.lastOperation.description,
      /^Failed to schedule Shoot: none out of the \d+ seeds has the matching labels/,
    );
  });

  test("raises versions and reorders zones in a maintenance", async () => {
    await client.create(shootResource, shootObject("kept"));
    await until("kept", isDone);
    const annotations = { [gardenerAnnotations.operation]: "maintain" };
    await client.mergePatch(ref("kept"), { metadata: { annotations } });
    const { spec } = await until("kept", (shoot) => isDone(shoot) && shoot.spec.kubernetes.version === "1.31.11");
    equal(spec.provider.workers?.[0]?.machine.image?.version, "1592.14.0");
  });

  const refused: readonly (readonly [string, object, RegExp])[] = [
    [
      "a binding that is not there",
      { secretBindingName: "nobody" },
      /secretbindings\.core\.gardener\.cloud "nobody" not found/,
    ],
    ["a binding of another provider", { secretBindingName: "gcp-binding" }, /is for provider gcp, not aws/],
    ["a version that is not offered", { kubernetes: { version: "1.29.1" } }, /1\.29\.1 is not offered/],
    ["a toleration that is not on the project's list", { tolerations: [{ key: "mine" }] }, /mine is not on the list/],
    [
      "an access restriction that the region lacks",
      { region: "us-east-1", accessRestrictions: [{ name: "eu-access-only" }] },
      /does not support eu-access-only/,
    ],
    [
      "networks that overlap",
      { networking: { type: "calico", nodes: "10.250.0.0/16", pods: "10.250.0.0/20", services: "10.104.0.0/13" } },
      /spec\.networking\.nodes: overlaps spec\.networking\.pods/,
    ],
  ];
  for (const [name, spec, text] of refused) {
    test(`refuses ${name} with 403`, async () => {
      await rejects(client.create(shootResource, shootObject("refused", spec)), (error: Error & { code: string }) => {
        equal(error.code, "KUBE_FORBIDDEN");
        match(error.message, text);
        return true;
      });
    });
  }

  test("counts name and project together: 21 characters", async () => {
    await rejects(client.create(shootResource, shootObject("fourteen-chars")), { code: "KUBE_INVALID" });
  });

  test("allows a forced deletion only for a deletion that hangs", async () => {
    gardener.fail("hangs", {});
    await client.create(shootResource, shootObject("hangs"));
    await until("hangs", isDone);
    const force = { metadata: { annotations: { [gardenerAnnotations.confirmForceDeletion]: "true" } } };
    await rejects(client.mergePatch(ref("hangs"), force), { code: "KUBE_FORBIDDEN" });

    gardener.fail("hangs", { codes: ["ERR_INFRA_DEPENDENCIES"], description: "a load balancer is left" });
    await client.mergePatch(ref("hangs"), {
      metadata: { annotations: { [gardenerAnnotations.confirmDeletion]: "true" } },
    });
    await client.delete(ref("hangs"));
    await until("hangs", ({ status }) => status?.lastOperation?.state === "Failed");
    await client.mergePatch(ref("hangs"), force);
    for (let attempt = 0; attempt < 400 && (await optional(get("hangs"))) !== undefined; attempt += 1)
      await systemClock.sleep(10);
    equal(await optional(get("hangs")), undefined);
  });
});
