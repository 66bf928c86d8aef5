import { deepEqual, equal, match, ok } from "node:assert/strict";
import { afterEach, describe, test } from "@jest/globals";
import { gardenerAnnotations, type Shoot, shootResource } from "@kyma-operators/gardener";
import { type AnyObject, builtIn, optional } from "@kyma-operators/kube";
import { annotations, gardenerClusterResource, type Runtime, runtimeResource } from "../apis/infrastructure/index.ts";
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

const name = "11111111-0000-4000-8000-000000000001";
const ref = { resource: runtimeResource, namespace: "kcp-system", name };
const clusterRef = { resource: gardenerClusterResource, namespace: "kcp-system", name };
const shootRef = { resource: shootResource, namespace: "garden-kyma-dev", name: "c-1" };
const finalizer = "runtime-controller.infrastructure-manager.kyma-project.io/deletion-hook";
const foreign = "example.test/held";
const gardenPath = "/apis/core.gardener.cloud/v1beta1/namespaces/garden-kyma-dev/shoots";
const { configMaps } = builtIn;
const writeVerbs = new Set(["create", "update", "patch", "delete"]);

const landscape: Landscape = {
  config: parseLandscapeConfig(landscapeText(), "converter_config.json"),
  auditLogTenants: parseAuditLogTenants(tenantsText(), "tenants.json"),
  maintenanceWindows: {},
};

describe("states of a Runtime", () => {
  const worlds: InfrastructureWorld[] = [];
  afterEach(async () => {
    for (const world of worlds.splice(0)) await world.stop();
  });

  async function prepare(timings = {}): Promise<InfrastructureWorld> {
    const world = await startInfrastructureWorld({ timings });
    worlds.push(world);
    return world;
  }

  function run(world: InfrastructureWorld, options: Partial<RuntimeControllerOptions> = {}): InfrastructureWorld {
    const { operatorGarden: gardener, remote } = world;
    addRuntimeController(world.context, { gardener, remote, landscape: () => landscape, ...options });
    addGardenerClusterController(world.context, { gardener, projectName: "kyma-dev" });
    world.start();
    return world;
  }

  const start = async (options: Partial<RuntimeControllerOptions> = {}): Promise<InfrastructureWorld> =>
    run(await prepare(), options);

  const runtimeOf = (world: InfrastructureWorld): Promise<StoredRuntime | undefined> =>
    optional(world.kcp.client.get<StoredRuntime>(ref));
  const shootOf = (world: InfrastructureWorld): Promise<StoredShoot | undefined> =>
    optional(world.garden.get<StoredShoot>(shootRef));
  const stateOf = async (world: InfrastructureWorld): Promise<string | undefined> =>
    (await runtimeOf(world))?.status?.state;
  const reportsOf = async (world: InfrastructureWorld): Promise<readonly string[]> =>
    ((await runtimeOf(world))?.status?.conditions ?? []).map(
      ({ type, reason, status }) => `${type}/${reason}/${status}`,
    );
  const gardenWrites = (world: InfrastructureWorld): readonly string[] =>
    world.gardenRequests.filter(({ verb }) => writeVerbs.has(verb)).map(({ verb, path }) => `${verb} ${path}`);
  const create = (world: InfrastructureWorld, object: AnyObject = runtimeObject()): Promise<unknown> =>
    world.kcp.client.create(runtimeResource, object);
  const finalizers = (world: InfrastructureWorld, of: typeof ref | typeof clusterRef, list: readonly string[]) =>
    world.kcp.client.mergePatch(of, { metadata: { finalizers: list } });
  const metricOf = async (world: InfrastructureWorld, pattern: RegExp): Promise<string | undefined> =>
    pattern.exec((await world.manager.metrics.scrape()).text)?.[0];

  async function ready(world: InfrastructureWorld, object: AnyObject = runtimeObject()): Promise<void> {
    await create(world, object);
    await world.until(async () => (await stateOf(world)) === "Ready");
  }

  /** The last condition of the Runtime, each time a watcher sees it change, until it is in the state. */
  async function story(world: InfrastructureWorld, state: string): Promise<readonly string[]> {
    const seen: string[] = [];
    const { signal, ...stop } = stoppable();
    const watching = (async () => {
      const options = { namespace: "kcp-system", idleTimeoutMs: 86_400_000, signal };
      for await (const event of world.kcp.client.watch<StoredRuntime>(runtimeResource, options)) {
        if (event.type === "BOOKMARK") continue;
        const { type, reason, status } = event.object.status?.conditions?.at(-1) ?? {};
        const said = `${type}/${reason}/${status}`;
        if (type !== undefined && said !== seen.at(-1)) seen.push(said);
      }
    })().catch(() => undefined);
    await world.until(async () => (await stateOf(world)) === state);
    stop.now();
    await watching;
    return seen;
  }

  test("F1: what is being deleted and does not carry our finalizer is left alone", async () => {
    const world = await prepare();
    const { metadata, ...rest } = runtimeObject();
    await create(world, { ...rest, metadata: { ...metadata, finalizers: [foreign] } });
    await world.kcp.client.delete(ref);
    run(world);
    await world.clock.advance(60_000);

    deepEqual(world.kcp.writes(), []);
    deepEqual(gardenWrites(world), []);
    equal(
      await metricOf(world, /^infrastructure_manager_unexpected_stops_total \d+/m),
      "infrastructure_manager_unexpected_stops_total 1",
    );
  });

  test("F2: with our finalizer and without a Shoot it goes at once", async () => {
    const world = await prepare();
    const { metadata, ...rest } = runtimeObject();
    await create(world, { ...rest, metadata: { ...metadata, finalizers: [finalizer] } });
    await world.kcp.client.delete(ref);
    run(world);
    await world.until(async () => (await runtimeOf(world)) === undefined, 10_000);
    deepEqual(
      gardenWrites(world).filter((line) => line.includes("/shoots")),
      [],
    );
  });

  test("F3, F28: the Shoot stays until the GardenerCluster is gone", async () => {
    const world = await start();
    await ready(world);
    await finalizers(world, clusterRef, [foreign]);
    await world.kcp.client.delete(ref);
    await world.clock.advance(120_000);
    equal(await stateOf(world), "Terminating");
    equal((await reportsOf(world)).at(-1), "Deprovisioned/GardenerClusterCRDeleted/Unknown");
    equal((await shootOf(world))?.metadata.deletionTimestamp, undefined);

    await finalizers(world, clusterRef, []);
    await world.until(async () => (await runtimeOf(world)) === undefined);
  });

  test("F27: the deletion is confirmed in the Shoot before it is asked for", async () => {
    const world = await prepare({ deleteMs: 60_000 });
    run(world);
    await ready(world);
    const before = gardenWrites(world).length;
    await world.kcp.client.delete(ref);
    await world.until(async () => (await shootOf(world))?.metadata.deletionTimestamp !== undefined);
    equal((await shootOf(world))?.metadata.annotations?.[gardenerAnnotations.confirmDeletion], "true");
    deepEqual(gardenWrites(world).slice(before), [`patch ${gardenPath}/c-1`, `delete ${gardenPath}/c-1`]);
  });

  test("F4, F5, F6: first the finalizer, then the status, then the Shoot", async () => {
    const world = await start();
    await create(world);
    await world.until(async () => (await shootOf(world)) !== undefined);
    const path = `/apis/infrastructuremanager.kyma-project.io/v1/namespaces/kcp-system/runtimes/${name}`;
    const [first, second] = world.kcp.writes();
    deepEqual([first?.path, second?.path], [path, `${path}/status`]);
    deepEqual((await runtimeOf(world))?.metadata.finalizers, [finalizer]);
    equal(gardenWrites(world)[0], `create ${gardenPath}`);
  });

  test("subnets that AWS will not make are said at once, and refused by nobody here", async () => {
    const world = await start({ auditLogMandatory: false });
    const [worker] = (runtimeObject()["spec"] as Runtime["spec"]).shoot.provider.workers;
    const zones = ["a", "b", "c", "d"].map((letter) => `eu-central-1${letter}`);
    const networking = { type: "calico", nodes: "10.250.0.0/24", pods: "100.64.0.0/12", services: "100.104.0.0/13" };
    await ready(
      world,
      runtimeObject({ shoot: { networking, provider: { type: "aws", workers: [{ ...worker, maximum: 4, zones }] } } }),
    );
    const notes = (await world.kcp.list("events.k8s.io/v1", "Event")).map((event) => String(event["note"]));
    ok(
      notes.some((note) => /^Shoot is pending; AWS makes no subnet smaller than \/28, found .*\/30/.test(note)),
      notes.join(),
    );
  });

  test("F11, F12, F13, F14, F34: every step is said before the next begins", async () => {
    const world = await prepare({ createMs: 60_000 });
    // Gardener's side of the kubeconfig is held back, so that the wait for it shows.
    const { operatorGarden: gardener, remote } = world;
    addRuntimeController(world.context, { gardener, remote, landscape: () => landscape });
    world.start();
    await create(world);
    await world.until(async () => (await reportsOf(world)).length === 2);
    await world.clock.advance(60_000);
    deepEqual(await reportsOf(world), [
      "Provisioned/ShootCreationCompleted/True",
      "KubeconfigReady/GardenerClusterCRCreated/Unknown",
    ]);
    equal(await stateOf(world), "Pending");
    equal((await optional(world.kcp.client.get(clusterRef)))?.metadata.name, name);
    equal(world.clusterRequests.length, 0);
  });

  test("F5, F7, F34: a watcher sees each state of the way once, whatever Gardener says in between", async () => {
    const world = await start();
    world.gardener.fail("c-1", { codes: ["ERR_INFRA_QUOTA_EXCEEDED"], description: "quota exceeded" });
    await create(world);
    deepEqual(await story(world, "Ready"), [
      "Provisioned/Initialised/Unknown",
      "Provisioned/Pending/Unknown",
      "KubeconfigReady/GardenerClusterCRCreated/Unknown",
      "Configured/AdministratorsConfigured/True",
    ]);
  });

  test("a GardenerCluster that somebody deleted is made again, with its kubeconfig", async () => {
    const world = await start();
    await ready(world);
    const uidOf = async (): Promise<string | undefined> =>
      (await optional(world.kcp.client.get(clusterRef)))?.metadata.uid;
    const before = await uidOf();
    await world.kcp.client.delete(clusterRef);
    await world.until(async () => ![undefined, before].includes(await uidOf()));
    await world.until(async () => (await stateOf(world)) === "Ready");
    deepEqual(
      (await world.kcp.list("v1", "Secret")).map(({ metadata }) => metadata.name),
      [`kubeconfig-${name}`],
    );
  });

  test("F9: a suspended Runtime is not patched, and is once it is not", async () => {
    const world = await start();
    await ready(world);
    const before = gardenWrites(world).length;
    await world.kcp.client.mergePatch(ref, {
      metadata: { annotations: { [annotations.suspendPatch]: "true" } },
      spec: { shoot: { kubernetes: { version: "1.32.6" } } },
    });
    await world.clock.advance(120_000);
    deepEqual(gardenWrites(world).slice(before), []);

    await world.kcp.client.mergePatch(ref, { metadata: { annotations: { [annotations.suspendPatch]: null } } });
    await world.until(async () => (await shootOf(world))?.spec.kubernetes.version === "1.32.6");
  });

  test("S1, S3: identity providers are configured unless the extension is disabled", async () => {
    const world = await start();
    await ready(world);
    const messageOf = async (): Promise<string | undefined> =>
      (await runtimeOf(world))?.status?.conditions?.find(({ type }) => type === "OidcConfigured")?.message;
    const change = async (disabled: boolean | undefined, administrator: string): Promise<void> => {
      const extensions = ((await shootOf(world))?.spec.extensions ?? []).map((extension) =>
        extension.type === "shoot-oidc-service" ? { type: extension.type, disabled } : extension,
      );
      await world.garden.mergePatch(shootRef, { spec: { extensions } });
      await world.kcp.client.mergePatch(ref, { metadata: { annotations: { [annotations.suspendPatch]: "true" } } });
      await world.kcp.client.mergePatch(ref, { spec: { security: { administrators: [administrator] } } });
    };
    await change(true, "b@example.test");
    await world.until(async () => (await messageOf()) === "OIDC extension disabled");
    await world.until(async () => (await stateOf(world)) === "Ready");
    await change(undefined, "c@example.test");
    await world.until(async () => (await messageOf()) === "OIDC configuration completed");
  });

  test("E10, E11: the ConfigMap with the identity provider is replaced, comes before the Shoot and goes after it", async () => {
    const world = await prepare();
    const map = { resource: configMaps, namespace: "garden-kyma-dev", name: "structured-auth-config-c-1" };
    await world.garden.create(configMaps, {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: map.name, namespace: map.namespace },
      data: { "config.yaml": "an older one" },
    });
    run(world);
    await ready(world, runtimeObject({ shoot: { kubernetes: { version: "1.32.6" } } }));
    const { data } = (await world.garden.get(map)) as { data?: Record<string, string> };
    match(data?.["config.yaml"] ?? "", /issuer/);

    await world.kcp.client.delete(ref);
    await world.until(async () => (await runtimeOf(world)) === undefined);
    equal(await optional(world.garden.get(map)), undefined);
    const lines = gardenWrites(world).map((line) => line.replace(/.*\/garden-kyma-dev\//, ""));
    ok(lines.indexOf("configmaps/structured-auth-config-c-1") < lines.indexOf("shoots"), lines.join());
    equal(lines.at(-1), "configmaps/structured-auth-config-c-1");
  });

  test("S10: a cluster that can't be opened leaves the Runtime Pending and says why, until it can", async () => {
    const world = await prepare();
    let isDown = true;
    const { remote } = world;
    run(world, {
      remote: {
        ...remote,
        open: (key, revision, kubeconfig) => {
          if (isDown) throw new Error("no route to the cluster");
          return remote.open(key, revision, kubeconfig);
        },
      },
    });
    await create(world);
    const last = async (): Promise<string> => {
      const { type, status, message } = (await runtimeOf(world))?.status?.conditions?.at(-1) ?? {};
      return `${type}/${status}/${message}`;
    };
    await world.until(async () => (await last()).startsWith("OidcConfigured"));
    match(await last(), /^OidcConfigured\/Unknown\/failed to configure OIDC: .*no route to the cluster/);
    equal(await stateOf(world), "Pending");
    isDown = false;
    await world.until(async () => (await stateOf(world)) === "Ready");
  });

  test("a hibernated cluster is left in peace, and what was asked for meanwhile is done when it wakes up", async () => {
    const world = await start();
    await ready(world);
    const sleep = (enabled: boolean): Promise<unknown> =>
      world.garden.mergePatch(shootRef, { spec: { hibernation: { enabled } } });
    await sleep(true);
    await world.until(async () => (await shootOf(world))?.status?.hibernated === true);
    await world.until(async () => (await stateOf(world)) === "Ready");
    const before = world.clusterRequests.length;
    await world.kcp.client.mergePatch(ref, { spec: { security: { administrators: ["b@example.test"] } } });
    await world.until(async () => (await reportsOf(world)).at(-1) === "Configured/Processing/Unknown");
    await world.clock.advance(600_000);
    equal(world.clusterRequests.length, before);

    await sleep(false);
    await world.until(async () => (await stateOf(world)) === "Ready");
    ok(world.clusterRequests.length > before);
  });

  test("the namespace of the modules is made, and found again", async () => {
    const world = await start();
    await ready(world);
    const path = "/api/v1/namespaces";
    const made = (): number =>
      world.clusterRequests.filter((request) => request.verb === "create" && request.path === path).length;
    equal(made(), 1);
    await world.kcp.client.mergePatch(ref, { spec: { security: { administrators: ["b@example.test"] } } });
    await world.until(async () => (await runtimeOf(world))?.status?.conditions?.at(-1)?.observedGeneration === 2);
    equal(made(), 1);
  });

  test("a Runtime that is tried out without its audit-log tenant says so", async () => {
    const landscapeWithout = { ...landscape, auditLogTenants: {} };
    const world = await start({ controlledByProvisionerCheck: true, landscape: () => landscapeWithout });
    await create(world, runtimeObject());
    await world.until(async () => (await stateOf(world)) === "Failed");
    deepEqual(await reportsOf(world), ["ProvisionedDryRun/AuditLogErr/False"]);
  });

  test("the Provisioner's Runtimes are only tried out: that is said, and nothing is sent for them", async () => {
    const world = await start({ controlledByProvisionerCheck: true });
    const labels = { "kyma-project.io/subaccount-id": "" };
    await create(world, runtimeObject({ labels }));
    await world.until(async () => (await stateOf(world)) === "Failed");
    deepEqual(await reportsOf(world), ["ProvisionedDryRun/ConversionErr/False"]);

    await world.kcp.client.mergePatch(ref, { metadata: { labels: { "kyma-project.io/subaccount-id": "s" } } });
    await world.until(async () => (await stateOf(world)) === "Ready");
    const { status, metadata } = (await runtimeOf(world)) ?? {};
    deepEqual(await reportsOf(world), ["ProvisionedDryRun/ConfigurationCompleted/True"]);
    deepEqual([status?.provisioningCompleted, metadata?.finalizers, gardenWrites(world)], [undefined, undefined, []]);

    await world.kcp.client.mergePatch(ref, {
      metadata: { labels: { "kyma-project.io/controlled-by-provisioner": "false" } },
    });
    await world.until(async () => (await runtimeOf(world))?.status?.provisioningCompleted === true);
  });

  test("a deletion is forced only where the landscape, the Runtime and Gardener's error allow it", async () => {
    for (const forceDeletion of [false, true]) {
      const world = await prepare();
      run(world, { forceDeletion });
      await ready(world, runtimeObject({ annotations: { [annotations.forceDelete]: "true" } }));
      world.gardener.fail("c-1", { codes: ["ERR_CLEANUP_CLUSTER_RESOURCES"], description: "resources are left" });
      await world.kcp.client.delete(ref);
      const forced = async (): Promise<string | undefined> =>
        (await shootOf(world))?.metadata.annotations?.[gardenerAnnotations.confirmForceDeletion];
      if (forceDeletion) {
        await world.until(async () => (await forced()) === "true" || (await runtimeOf(world)) === undefined);
        await world.until(async () => (await runtimeOf(world)) === undefined);
      } else {
        await world.clock.advance(1_200_000);
        equal(await forced(), undefined);
      }
    }
  });

  test("a deletion that takes long is complained about and goes on", async () => {
    const world = await prepare({ deleteMs: 10_800_000 });
    run(world);
    await ready(world);
    await world.kcp.client.delete(ref);
    const complaints = async (): Promise<readonly AnyObject[]> =>
      (await world.kcp.list("events.k8s.io/v1", "Event")).filter(({ note }) =>
        String(note).includes("being deleted for"),
      );
    await world.until(async () => (await complaints()).length > 0, 8_000_000);
    match(String((await complaints())[0]?.["note"]), /^Shoot c-1 is being deleted for 12\dm, Gardener says: /);
    equal(await stateOf(world), "Terminating");
    await world.until(async () => (await runtimeOf(world)) === undefined, 8_000_000);
  });

  test("metrics follow a Runtime and leave with it", async () => {
    const world = await start();
    await ready(world);
    const own = new RegExp(`^infrastructure_manager_im_runtime_state\\{[^}]*runtimeId="${name}"[^}]*\\} 1`, "m");
    match((await metricOf(world, own)) ?? "", /provider="aws",state="Ready",reason="AdministratorsConfigured"/);
    const created = /^infrastructure_manager_im_runtime_operation_duration_seconds_count\{[^}]*operation="create".*/m;
    match((await metricOf(world, created)) ?? "", /result="succeeded"\} 1$/);
    ok(await metricOf(world, /^infrastructure_manager_im_gardener_requests_total\{verb="create",code="200"\} \d/m));

    const nameless = /^infrastructure_manager_im_runtime_state\{runtimeId="",.*/m;
    await world.kcp.client.mergePatch(ref, { metadata: { labels: { "kyma-project.io/runtime-id": null } } });
    await world.until(async () => (await metricOf(world, nameless)) !== undefined);
    equal(await metricOf(world, own), undefined);

    await world.kcp.client.delete(ref);
    await world.until(async () => (await runtimeOf(world)) === undefined);
    await world.clock.advance(1_000);
    equal(await metricOf(world, nameless), undefined);
  });
});

function stoppable(): { readonly signal: AbortSignal; now(): void } {
  const controller = new AbortController();
  return { signal: controller.signal, now: () => controller.abort(new Error("seen enough")) };
}
