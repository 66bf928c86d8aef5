import { deepEqual, equal, ok } from "node:assert/strict";
import { afterEach, describe, test } from "@jest/globals";
import { type Shoot, shootResource } from "@kyma-operators/gardener";
import { type AnyObject, builtIn, type Client, kubeErrors, type Resource } from "@kyma-operators/kube";
import { type Runtime, runtimeResource, shootMarks } from "../apis/infrastructure/index.ts";
import { addGardenerClusterController } from "../controllers/gardener-cluster/index.ts";
import { addRuntimeController, type Landscape, type RuntimeControllerOptions } from "../controllers/runtime/index.ts";
import { parseAuditLogTenants, parseLandscapeConfig } from "../controllers/runtime/shoot/index.ts";
import {
  type InfrastructureWorld,
  landscapeText,
  runtimeObject,
  startInfrastructureWorld,
  tenantsText,
} from "../testing/index.ts";

type StoredRuntime = Runtime & AnyObject;
type StoredShoot = Shoot & AnyObject;

const ref = { resource: runtimeResource, namespace: "kcp-system", name: "11111111-0000-4000-8000-000000000001" };
const shootRef = { resource: shootResource, namespace: "garden-kyma-dev", name: "c-1" };
const { configMaps } = builtIn;

const landscape: Landscape = {
  config: parseLandscapeConfig(landscapeText(), "converter_config.json"),
  auditLogTenants: parseAuditLogTenants(tenantsText(), "tenants.json"),
  maintenanceWindows: {},
};

const answered = (status: number, reason: string) => ({
  method: "PATCH",
  path: "/shoots/c-1",
  status,
  reason,
  message: "no",
});
const conflict = kubeErrors.CONFLICT(answered(409, "Conflict"));
const forbidden = kubeErrors.FORBIDDEN(answered(403, "Forbidden"));
const invalid = kubeErrors.INVALID(answered(422, "Invalid"));
const broken = kubeErrors.SERVER(answered(500, "InternalError"));

/** A client that refuses the next calls of one method. */
class Faults {
  method = "";
  error: Error | undefined;
  left = 0;
  /** Makes of a Shoot what a read of it answers. */
  live = (shoot: unknown): unknown => shoot;

  on(client: Client): Client {
    return new Proxy(client, {
      get: (target, name) => {
        const method: unknown = Reflect.get(target, name);
        if (typeof method !== "function") return method;
        return (...args: unknown[]): unknown => {
          if (name === "get") return Promise.resolve(Reflect.apply(method, target, args)).then(this.live);
          const isShoot = (args[0] as Partial<Resource> | undefined)?.plural !== "configmaps";
          if (name !== this.method || this.left === 0 || !isShoot) return Reflect.apply(method, target, args);
          this.left -= 1;
          return Promise.reject(this.error);
        };
      },
    });
  }

  refuse(method: string, error: Error, times = 1): void {
    Object.assign(this, { method, error, left: times });
  }
}

describe("Gardener refuses", () => {
  const worlds: InfrastructureWorld[] = [];
  afterEach(async () => {
    for (const world of worlds.splice(0)) await world.stop();
  });

  async function start(options: Partial<RuntimeControllerOptions> = {}) {
    const world = await startInfrastructureWorld();
    worlds.push(world);
    const faults = new Faults();
    const gardener = faults.on(world.operatorGarden);
    addRuntimeController(world.context, { gardener, remote: world.remote, landscape: () => landscape, ...options });
    addGardenerClusterController(world.context, { gardener: world.operatorGarden, projectName: "kyma-dev" });
    world.start();
    const seen: string[] = [];
    return { world, faults, seen };
  }

  const runtimeOf = (world: InfrastructureWorld): Promise<StoredRuntime> => world.kcp.client.get<StoredRuntime>(ref);
  const shootOf = (world: InfrastructureWorld): Promise<StoredShoot> => world.garden.get<StoredShoot>(shootRef);
  const provisionedOf = ({ status }: StoredRuntime): string => {
    const found = status?.conditions?.find(({ type }) => type === "Provisioned");
    return `${status?.state} ${found?.reason}/${found?.status}/${found?.message}`;
  };
  const isReady = ({ metadata, status }: StoredRuntime): boolean =>
    status?.state === "Ready" &&
    status.conditions?.find(({ type }) => type === "Configured")?.observedGeneration === metadata.generation;

  async function ready(world: InfrastructureWorld, object: AnyObject = runtimeObject()): Promise<void> {
    await world.kcp.client.create(runtimeResource, object);
    await world.until(async () => isReady(await runtimeOf(world)));
  }

  const changeAdministrators = (world: InfrastructureWorld): Promise<unknown> =>
    world.kcp.client.mergePatch(ref, { spec: { security: { administrators: ["b@example.test"] } } });
  const dropTaints = (world: InfrastructureWorld): Promise<unknown> =>
    world.kcp.client.mergePatch(ref, { spec: { shoot: { provider: { additionalWorkers: [] } } } });
  const [worker] = (runtimeObject()["spec"] as Runtime["spec"]).shoot.provider.workers;
  const twoPools = runtimeObject({
    shoot: { provider: { type: "aws", workers: [worker], additionalWorkers: [{ ...worker, name: "more" }] } },
  });

  const passing: readonly (readonly [string, string, Error, string])[] = [
    [
      "F20: a conflict of the apply",
      "apply",
      conflict,
      "Pending Processing/Unknown/Shoot is pending for update after conflict error",
    ],
    [
      "F21: a forbidden apply",
      "apply",
      forbidden,
      "Pending Processing/Unknown/Shoot is pending for update after forbidden error",
    ],
    [
      "F23: a conflict of the update",
      "update",
      conflict,
      "Pending Processing/Unknown/Shoot is pending for update after conflict error",
    ],
    [
      "F23: a forbidden update",
      "update",
      forbidden,
      "Pending Processing/Unknown/Shoot is pending for update after forbidden error",
    ],
    [
      "a server that fails for a moment",
      "apply",
      broken,
      "Failed ProcessingErr/False/Gardener API shoot patch error: ",
    ],
  ];
  for (const [name, method, error, text] of passing) {
    test(`${name} is said and passes`, async () => {
      const { world, faults } = await start();
      await ready(world, twoPools);
      faults.refuse(method, error);
      await (method === "update" ? dropTaints : changeAdministrators)(world);
      await world.until(async () => provisionedOf(await runtimeOf(world)).startsWith(text));
      await world.until(async () => isReady(await runtimeOf(world)));
    });
  }

  const final: readonly (readonly [string, string, string])[] = [
    ["F22: the apply for good", "apply", "Failed ProcessingErr/False/Gardener API shoot patch error: "],
    ["F23: the update for good", "update", "Failed ProcessingErr/False/Gardener API shoot update error: "],
  ];
  for (const [name, method, text] of final) {
    test(`${name} fails the Runtime until it changes`, async () => {
      const { world, faults } = await start();
      await ready(world, twoPools);
      faults.refuse(method, invalid);
      await (method === "update" ? dropTaints : changeAdministrators)(world);
      await world.until(async () => (await runtimeOf(world)).status?.state === "Failed");
      ok(provisionedOf(await runtimeOf(world)).startsWith(text), provisionedOf(await runtimeOf(world)));
      await world.clock.advance(600_000);
      equal((await runtimeOf(world)).status?.state, "Failed");
    });
  }

  const changes: readonly (readonly [string, AnyObject["metadata"]])[] = [
    ["somebody deletes", { deletionTimestamp: "2030-01-01T00:00:00Z" }],
    ["another Runtime takes over", { annotations: { [shootMarks.runtimeId]: "another" } }],
  ];

  for (const [what, metadata] of changes) {
    test(`a Shoot that ${what} is not patched, although the watch is late`, async () => {
      const { world, faults } = await start();
      await ready(world);
      const writes = (): number => world.gardenRequests.filter(({ verb }) => ["patch", "update"].includes(verb)).length;
      const [before, { live }] = [writes(), faults];
      let reads = 0;
      faults.live = (shoot) => {
        reads += 1;
        return { ...(shoot as StoredShoot), metadata: { ...(shoot as StoredShoot).metadata, ...metadata } };
      };
      await dropTaints(world);
      await world.until(() => reads > 1);
      equal(writes(), before);

      faults.live = live;
      await world.until(async () => isReady(await runtimeOf(world)));
      equal(writes(), before + 1);
    });
  }

  test("F17, F18: a patch without its audit-log tenant fails, with it goes on", async () => {
    const current = { value: landscape, changed: (): void => undefined };
    const { world } = await start({
      landscape: () => current.value,
      onLandscapeChange: (listener) => {
        current.changed = listener;
        return () => undefined;
      },
    });
    await ready(world);
    current.value = { ...landscape, auditLogTenants: {} };
    await changeAdministrators(world);
    await world.until(async () => (await runtimeOf(world)).status?.state === "Failed");
    equal(
      provisionedOf(await runtimeOf(world)),
      "Failed AuditLogErr/False/Failed to configure audit logs: audit logs configuration not found: missing providerType: 'aws'",
    );

    current.value = landscape;
    current.changed();
    await world.until(async () => isReady(await runtimeOf(world)), 60_000);
  });

  test("F24, F25: the old identity provider goes before the structured one comes, also after a conflict", async () => {
    const { world, faults } = await start();
    await ready(world);
    ok((await shootOf(world)).spec.kubernetes.kubeAPIServer?.oidcConfig);
    faults.refuse("update", conflict);
    await world.kcp.client.mergePatch(ref, { spec: { shoot: { kubernetes: { version: "1.32.6" } } } });
    await world.until(async () => isReady(await runtimeOf(world)));

    const { version, kubeAPIServer } = (await shootOf(world)).spec.kubernetes;
    deepEqual(
      [version, kubeAPIServer?.oidcConfig, kubeAPIServer?.structuredAuthentication],
      ["1.32.6", undefined, { configMapName: "structured-auth-config-c-1" }],
    );
    const map = await world.garden.get({
      resource: configMaps,
      namespace: "garden-kyma-dev",
      name: "structured-auth-config-c-1",
    });
    ok((map["data"] as { "config.yaml": string })["config.yaml"].includes("https://operators.example.test"));
  });

  test("a claim that the Runtime no longer requires is no longer required by the Shoot", async () => {
    const { world } = await start();
    const oidcConfig = { clientID: "a", issuerURL: "https://a.example.test", requiredClaims: { team: "a", site: "b" } };
    await ready(world, runtimeObject({ shoot: { kubernetes: { kubeAPIServer: { oidcConfig } } } }));
    const kubeAPIServer = { oidcConfig: { requiredClaims: { site: null } } };
    await world.kcp.client.mergePatch(ref, { spec: { shoot: { kubernetes: { kubeAPIServer } } } });
    await world.until(async () => isReady(await runtimeOf(world)));

    const found = (await shootOf(world)).spec.kubernetes.kubeAPIServer?.oidcConfig;
    deepEqual(found?.["requiredClaims"], { team: "a" });
  });

  test("P13: a pool that is dropped goes from the Shoot", async () => {
    const { world } = await start();
    await ready(world, twoPools);
    await dropTaints(world);
    await world.until(async () => isReady(await runtimeOf(world)));
    deepEqual(
      (await shootOf(world)).spec.provider.workers?.map(({ name }) => name),
      ["cpu-worker-0"],
    );
  });

  test("a maintenance that Gardener does by itself is followed and survives the next patch", async () => {
    const { world } = await start();
    await ready(world);
    await world.garden.mergePatch(shootRef, { metadata: { annotations: { "gardener.cloud/operation": "maintain" } } });
    await world.until(async () => (await shootOf(world)).spec.kubernetes.version === "1.31.11");
    await world.until(async () => isReady(await runtimeOf(world)));
    const [before] = (await shootOf(world)).spec.provider.workers ?? [];
    await world.kcp.client.mergePatch(ref, {
      spec: { shoot: { provider: { workers: [{ ...worker, maximum: 25 }] } } },
    });
    await world.until(async () => (await shootOf(world)).spec.provider.workers?.[0]?.maximum === 25);

    const { spec } = await shootOf(world);
    equal(spec.kubernetes.version, "1.31.11");
    deepEqual(spec.provider.workers?.[0]?.machine.image, before?.machine.image);
    deepEqual(spec.provider.workers?.[0]?.zones, before?.zones);
  });

  test("a SecretBinding gives way to a CredentialsBinding when the landscape wants it", async () => {
    const current = { value: landscape };
    const { world } = await start({ landscape: () => current.value });
    await ready(world);
    const { config } = landscape;
    const gardener = { ...config.converter.gardener, enableCredentialBinding: true };
    current.value = { ...landscape, config: { ...config, converter: { ...config.converter, gardener } } };
    await changeAdministrators(world);
    await world.until(async () => isReady(await runtimeOf(world)));
    const { spec } = await shootOf(world);
    deepEqual([spec.secretBindingName, spec.credentialsBindingName], [undefined, "aws-binding"]);
  });
});
