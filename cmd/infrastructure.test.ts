import { deepEqual, equal, match, ok } from "node:assert/strict";
import { afterEach, describe, test } from "@jest/globals";
import { gardenerAnnotations, type Shoot, shootResource } from "@kyma-operators/gardener";
import { type AnyObject, builtIn, type Client, kubeErrors, type ObjectRef, optional } from "@kyma-operators/kube";
import {
  annotations,
  type GardenerCluster,
  gardenerClusterResource,
  type Runtime,
  runtimeResource,
} from "../apis/infrastructure/index.ts";
import { addGardenerClusterController } from "../controllers/gardener-cluster/index.ts";
import { addRuntimeController, type RuntimeControllerOptions } from "../controllers/runtime/index.ts";
import { parseAuditLogTenants, parseLandscapeConfig } from "../controllers/runtime/shoot/index.ts";
import {
  type InfrastructureWorld,
  landscapeText,
  restartedInfrastructure,
  runtimeObject,
  startInfrastructureWorld,
  tenantsText,
} from "../testing/index.ts";

const namespace = "kcp-system";
const { secrets } = builtIn;
const bindings = builtIn.clusterRoleBindings;
const ownBindings = "reconciler.kyma-project.io/managed-by=infrastructure-manager";
const nameOf = (id: string): string => `11111111-0000-4000-8000-00000000000${id}`;
const writeVerbs = new Set(["create", "update", "patch", "delete"]);

function wire(world: InfrastructureWorld, options: Partial<RuntimeControllerOptions> = {}): InfrastructureWorld {
  const landscape = {
    config: parseLandscapeConfig(landscapeText(), "converter_config.json"),
    auditLogTenants: parseAuditLogTenants(tenantsText(), "tenants.json"),
    maintenanceWindows: {},
  };
  addRuntimeController(world.context, {
    gardener: world.operatorGarden,
    remote: world.remote,
    landscape: () => landscape,
    ...options,
  });
  addGardenerClusterController(world.context, { gardener: world.operatorGarden, projectName: "kyma-dev" });
  world.start();
  return world;
}

describe("the infrastructure controllers", () => {
  const worlds: InfrastructureWorld[] = [];
  afterEach(async () => {
    for (const world of worlds.splice(0).reverse()) await world.stop();
  });

  async function start(options: Partial<RuntimeControllerOptions> = {}): Promise<InfrastructureWorld> {
    const world = await startInfrastructureWorld();
    worlds.push(world);
    return wire(world, options);
  }

  const runtimeOf = (world: InfrastructureWorld, id = "1"): Promise<(Runtime & AnyObject) | undefined> =>
    optional(world.kcp.client.get<Runtime & AnyObject>({ resource: runtimeResource, namespace, name: nameOf(id) }));
  const shootOf = (world: InfrastructureWorld, id = "1"): Promise<(Shoot & AnyObject) | undefined> =>
    optional(
      world.garden.get<Shoot & AnyObject>({ resource: shootResource, namespace: "garden-kyma-dev", name: `c-${id}` }),
    );
  const conditionsOf = (runtime: Runtime | undefined): readonly string[] =>
    (runtime?.status?.conditions ?? []).map(
      ({ type, reason, status, message }) => `${type}/${reason}/${status}/${message}`,
    );

  async function untilState(world: InfrastructureWorld, state: string, id = "1"): Promise<Runtime> {
    await world.until(async () => (await runtimeOf(world, id))?.status?.state === state);
    const runtime = await runtimeOf(world, id);
    ok(runtime);
    return runtime;
  }

  test("F31: a Runtime becomes a Shoot, a kubeconfig and a configured cluster", async () => {
    const world = await start();
    await world.kcp.client.create(runtimeResource, runtimeObject());
    const runtime = await untilState(world, "Ready");

    equal(runtime.status?.provisioningCompleted, true);
    deepEqual(conditionsOf(runtime), [
      "Provisioned/ShootCreationCompleted/True/Shoot creation completed",
      "KubeconfigReady/GardenerClusterCRReady/True/Gardener Cluster CR is ready.",
      "OidcConfigured/OidcConfigured/True/OIDC configuration completed",
      "Configured/AdministratorsConfigured/True/Cluster admin configuration complete",
    ]);
    const cluster = await world.kcp.client.get<GardenerCluster & AnyObject>({
      resource: gardenerClusterResource,
      namespace,
      name: nameOf("1"),
    });
    equal(cluster.status?.state, "Ready");
    const secret = await world.kcp.client.get({ resource: secrets, namespace, name: `kubeconfig-${nameOf("1")}` });
    equal(secret.metadata.labels?.["operator.kyma-project.io/kyma-name"], nameOf("1"));
    deepEqual(await administratorsOf(world), ["admin@example.test"]);
  });

  test("a second pass over a Ready Runtime sends nothing, and neither does a restart", async () => {
    const world = await start();
    await world.kcp.client.create(runtimeResource, runtimeObject());
    await untilState(world, "Ready");
    await world.clock.advance(60_000);
    const before = world.gardenRequests.length;

    await world.clock.advance(3_000_000);
    deepEqual(writesOf(world.gardenRequests.slice(before)), []);
    await world.halt();
    const next = restartedInfrastructure(world);
    const [gardenCount, kcpCount, clusterCount] = [
      world.gardenRequests.length,
      world.kcp.writes().length,
      world.clusterRequests.length,
    ];
    wire(next);
    await next.clock.advance(600_000);

    deepEqual(writesOf(next.gardenRequests.slice(gardenCount)), []);
    deepEqual(
      next.kcp
        .writes()
        .slice(kcpCount)
        .map(({ path }) => path),
      [],
    );
    equal(next.clusterRequests.length, clusterCount);
    await next.halt();
  });

  test("F15, F32: a changed pool is patched; the Runtime is Pending meanwhile and keeps provisioningCompleted", async () => {
    const world = await startInfrastructureWorld({ timings: { reconcileMs: 60_000 } });
    worlds.push(wire(world));
    await world.kcp.client.create(runtimeResource, runtimeObject());
    const { spec } = await untilState(world, "Ready");
    const workers = spec.shoot.provider.workers.map((worker) => ({ ...worker, maximum: 25 }));
    await patchRuntime(world, { spec: { shoot: { provider: { workers } } } });

    await world.until(async () => (await shootOf(world))?.spec.provider.workers?.[0]?.maximum === 25);
    const pending = await untilState(world, "Pending");
    equal(pending.status?.provisioningCompleted, true);
    const runtime = await untilState(world, "Ready");
    equal(
      conditionsOf(runtime)[0],
      "Provisioned/ConfigurationCompleted/True/Runtime processing completed successfully",
    );
    equal(
      (await shootOf(world))?.metadata.annotations?.["infrastructuremanager.kyma-project.io/runtime-generation"],
      "2",
    );
  });

  test("F19: other administrators change the cluster and not the Shoot", async () => {
    const world = await start();
    await world.kcp.client.create(runtimeResource, runtimeObject());
    await untilState(world, "Ready");
    const before = await shootOf(world);
    await patchRuntime(world, { spec: { security: { administrators: ["other@example.test"] } } });

    await world.until(async () => (await administratorsOf(world)).join() === "other@example.test");
    const runtime = await untilState(world, "Ready");
    equal(conditionsOf(runtime)[0], "Provisioned/Processing/True/Shoot patched without changes");
    equal((await shootOf(world))?.metadata.generation, before?.metadata.generation);
  });

  test("F8, F16: the force annotation patches once and goes, others stay; suspend wins over it", async () => {
    const world = await start();
    await world.kcp.client.create(runtimeResource, runtimeObject({ annotations: { mine: "kept" } }));
    await untilState(world, "Ready");
    await patchRuntime(world, {
      metadata: { annotations: { [annotations.suspendPatch]: "true", [annotations.forcePatch]: "true" } },
    });
    await world.clock.advance(60_000);
    equal((await runtimeOf(world))?.metadata.annotations?.[annotations.forcePatch], "true");

    await patchRuntime(world, { metadata: { annotations: { [annotations.suspendPatch]: null } } });
    await world.until(
      async () => (await runtimeOf(world))?.metadata.annotations?.[annotations.forcePatch] === undefined,
    );
    const runtime = await untilState(world, "Ready");
    deepEqual(runtime.metadata.annotations, { mine: "kept" });
    equal(conditionsOf(runtime)[0], "Provisioned/Processing/True/Shoot patched without changes");
  });

  test("F33: deletion takes GardenerCluster, Secret and Shoot, then the Runtime", async () => {
    const world = await start();
    await world.kcp.client.create(runtimeResource, runtimeObject());
    await untilState(world, "Ready");
    await world.kcp.client.delete({ resource: runtimeResource, namespace, name: nameOf("1") });
    await world.until(async () => (await runtimeOf(world)) === undefined);

    equal(await shootOf(world), undefined);
    deepEqual(await world.kcp.list("infrastructuremanager.kyma-project.io/v1", "GardenerCluster"), []);
    deepEqual(
      (await world.kcp.list("v1", "Secret")).map(({ metadata }) => metadata.name),
      [],
    );
  });

  test("a Shoot that somebody deleted by hand leaves no GardenerCluster and no Secret behind", async () => {
    const world = await start();
    await world.kcp.client.create(runtimeResource, runtimeObject());
    await untilState(world, "Ready");
    await deleteShoot(world);
    await world.kcp.client.delete({ resource: runtimeResource, namespace, name: nameOf("1") });
    await world.until(async () => (await runtimeOf(world)) === undefined);

    deepEqual(await world.kcp.list("infrastructuremanager.kyma-project.io/v1", "GardenerCluster"), []);
    deepEqual(
      (await world.kcp.list("v1", "Secret")).map(({ metadata }) => metadata.name),
      [],
    );
  });

  test("a Shoot that somebody deleted by hand is built again, with a kubeconfig of its own", async () => {
    const world = await startInfrastructureWorld({ timings: { createMs: 60_000, deleteMs: 60_000 } });
    worlds.push(wire(world));
    await world.kcp.client.create(runtimeResource, runtimeObject());
    await untilState(world, "Ready");
    const secret = { resource: secrets, namespace, name: `kubeconfig-${nameOf("1")}` };
    const [old, lost] = [await shootOf(world), await world.kcp.client.get(secret)];
    await deleteShoot(world);
    const [provisioned] = conditionsOf(await untilState(world, "Pending"));
    equal(
      provisioned,
      "Provisioned/Pending/Unknown/Shoot is being deleted, but not by this Runtime: it is created again when it is gone",
    );
    await patchRuntime(world, { spec: { security: { administrators: ["other@example.test"] } } });
    await world.until(async () => (await shootOf(world))?.metadata.uid !== old?.metadata.uid);
    equal(await optional(world.kcp.client.get(secret)), undefined);
    await untilState(world, "Ready");

    const fresh = await world.kcp.client.get(secret);
    ok(fresh.metadata.uid !== lost.metadata.uid);
    deepEqual(await administratorsOf(world), ["other@example.test"]);
  });

  test("the kubeconfig of a lost Shoot is deleted once, however long that takes, and a refusal is shown", async () => {
    const refusals: Error[] = [];
    let deletions = 0;
    const warp = (client: Client): Client =>
      new Proxy(client, {
        get: (target, name) => {
          const method: unknown = Reflect.get(target, name);
          if (typeof method !== "function") return method;
          return (...args: unknown[]): unknown => {
            const { resource } = (args[0] ?? {}) as Partial<ObjectRef>;
            if (name !== "delete" || resource?.plural !== "gardenerclusters")
              return Reflect.apply(method, target, args);
            deletions += 1;
            const refusal = refusals.shift();
            return refusal === undefined ? Reflect.apply(method, target, args) : Promise.reject(refusal);
          };
        },
      });
    const world = await startInfrastructureWorld({ warp });
    let tenants = parseAuditLogTenants(tenantsText(), "tenants.json");
    const config = parseLandscapeConfig(landscapeText(), "converter_config.json");
    worlds.push(wire(world, { landscape: () => ({ config, auditLogTenants: tenants, maintenanceWindows: {} }) }));
    await world.kcp.client.create(runtimeResource, runtimeObject());
    await untilState(world, "Ready");
    const cluster = { resource: gardenerClusterResource, namespace, name: nameOf("1") };
    await world.kcp.client.mergePatch(cluster, { metadata: { finalizers: ["example.test/held"] } });

    refusals.push(kubeErrors.SERVER({ method: "DELETE", path: "/x", status: 500, reason: "", message: "no" }));
    tenants = {};
    await deleteShoot(world);
    await world.until(async () =>
      conditionsOf(await runtimeOf(world)).some((each) => each.startsWith("KubeconfigReady/KubernetesErr/False/")),
    );
    const failed = async (): Promise<boolean> =>
      conditionsOf(await runtimeOf(world)).some((each) => each.startsWith("Provisioned/AuditLogErr/"));
    await world.until(failed);
    for (const administrator of ["b@example.test", "c@example.test"]) {
      await patchRuntime(world, { spec: { security: { administrators: [administrator] } } });
      await world.until(async () => {
        const { metadata, status } = (await runtimeOf(world)) ?? {};
        return (
          status?.conditions?.find(({ type }) => type === "Provisioned")?.observedGeneration === metadata?.generation
        );
      });
    }
    equal(deletions, 2);
  });

  test("a failure for good is shown with the provider's words; a later success turns the Runtime Ready", async () => {
    const world = await start();
    world.gardener.fail("c-1", { codes: ["ERR_INFRA_UNAUTHORIZED"], description: "missing permission" });
    await world.kcp.client.create(runtimeResource, runtimeObject());
    const failed = await untilState(world, "Failed");
    deepEqual(conditionsOf(failed), ["Provisioned/CreationErr/False/Shoot creation failed"]);
    deepEqual(
      failed.status?.shootLastErrors?.map(({ description }) => description),
      ["missing permission"],
    );

    const ref = { resource: shootResource, namespace: "garden-kyma-dev", name: "c-1" };
    await world.garden.mergePatch(ref, { metadata: { annotations: { [gardenerAnnotations.operation]: "retry" } } });
    const ready = await untilState(world, "Ready");
    equal(ready.status?.shootLastErrors, undefined);
  });

  test("a failure that may pass is retried with growing pauses", async () => {
    const world = await start();
    const quota = { codes: ["ERR_INFRA_QUOTA_EXCEEDED"], description: "quota exceeded" };
    world.gardener.fail("c-1", quota, quota, quota);
    const begun = world.clock.now();
    await world.kcp.client.create(runtimeResource, runtimeObject());
    await untilState(world, "Ready");

    const minutes = Math.round((world.clock.now() - begun) / 60_000);
    ok(minutes >= 8 && minutes <= 9, `1, 2 and 5 minutes, found ${minutes}`);
  });

  test("an operation that does not end fails the Runtime, once, and a late end heals it", async () => {
    const world = await startInfrastructureWorld({ timings: { createMs: 5_400_000 } });
    worlds.push(wire(world));
    await world.kcp.client.create(runtimeResource, runtimeObject());
    await world.until(async () => (await runtimeOf(world))?.status?.state === "Failed", 4_000_000);
    match(
      conditionsOf(await runtimeOf(world))[0] ?? "",
      /^Provisioned\/CreationErr\/False\/Shoot creation did not end within 60m, Gardener says: /,
    );
    await world.until(async () => (await runtimeOf(world))?.status?.state === "Ready", 4_000_000);
  });

  const refused: readonly (readonly [string, object, string])[] = [
    [
      "ConversionErr",
      { provider: { type: "aws", workers: [] } },
      "Provisioned/ConversionErr/False/Runtime conversion error single main worker is required",
    ],
    [
      "SeedNotFound",
      { enforceSeedLocation: true, region: "ap-south-1" },
      "Provisioned/SeedNotFound/False/Seed cannot be found for region ap-south-1, regions with usable seeds: eu-central-1, us-east-1",
    ],
    [
      "AuditLogErr",
      { region: "us-east-1" },
      "Provisioned/AuditLogErr/False/Failed to configure audit logs: audit logs configuration not found: missing region: 'us-east-1' for providerType: 'aws'",
    ],
    ["GardenerErr", { secretBindingName: "nobody" }, "Provisioned/GardenerErr/False/Gardener API create error: "],
  ];
  for (const [reason, shoot, message] of refused) {
    test(`a Runtime that can't be built says so: ${reason}`, async () => {
      const world = await start(reason === "SeedNotFound" ? { auditLogMandatory: false } : {});
      await world.kcp.client.create(runtimeResource, runtimeObject({ shoot: shoot as Record<string, unknown> }));
      const [condition = ""] = conditionsOf(await untilState(world, "Failed"));
      ok(condition.startsWith(message), condition);
      equal(await shootOf(world), undefined);
    });
  }

  /** As a person would, who does not know of the Runtime. */
  const deleteShoot = async (world: InfrastructureWorld): Promise<void> => {
    const ref = { resource: shootResource, namespace: "garden-kyma-dev", name: "c-1" };
    const confirmed = { metadata: { annotations: { [gardenerAnnotations.confirmDeletion]: "true" } } };
    await world.garden.mergePatch(ref, confirmed);
    await world.garden.delete(ref);
  };
  const patchRuntime = async (world: InfrastructureWorld, patch: unknown): Promise<void> => {
    await world.kcp.client.mergePatch({ resource: runtimeResource, namespace, name: nameOf("1") }, patch);
  };
  const administratorsOf = async (world: InfrastructureWorld): Promise<readonly string[]> => {
    const { items } = await (await world.shootClient("c-1")).list(bindings, { labelSelector: ownBindings });
    return items.flatMap((binding) => (binding["subjects"] as { name: string }[]).map(({ name }) => name));
  };
});

function writesOf(requests: InfrastructureWorld["gardenRequests"]): readonly string[] {
  return requests.filter(({ verb }) => writeVerbs.has(verb)).map(({ verb, path }) => `${verb} ${path}`);
}
