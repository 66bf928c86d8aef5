import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { shootResource } from "@kyma-operators/gardener";
import {
  type AnyObject,
  type Client,
  type Clock,
  createClient,
  optional,
  systemClock,
  transportFrom,
} from "@kyma-operators/kube";
import { createManager, type Manager } from "@kyma-operators/runtime";
import { parseYaml } from "@kyma-operators/yaml";
import { gardenerClusterResource, type Runtime, runtimeResource } from "../apis/infrastructure/index.ts";
import { addGardenerClusterController } from "../controllers/gardener-cluster/index.ts";
import { dueAt, latestAgeMs, rotationPeriodMs } from "../controllers/gardener-cluster/rotation.ts";
import { buildGardenerCluster } from "../controllers/runtime/gardener-cluster.ts";
import { addRuntimeController, type Landscape } from "../controllers/runtime/index.ts";
import { convertToShoot, parseAuditLogTenants, parseLandscapeConfig } from "../controllers/runtime/shoot/index.ts";
import { gardenCrds } from "../local/gardener/crd-files.ts";
import { type Gardener, startGardener } from "../local/gardener/index.ts";
import {
  FakeClock,
  landscapeText,
  runtimeObject,
  startCluster,
  type TestCluster,
  tenantsText,
} from "../testing/index.ts";
import { type Measurement, median, type RunOptions, type Workload } from "./measurement.ts";

/** P15, P16 and the Runtime rows of P18. */
export const workload: Workload = {
  name: "infrastructure",
  run: async ({ smoke }: RunOptions): Promise<readonly Measurement[]> => [
    conversions(smoke ? 100 : 10_000),
    ...(await resync(smoke ? 20 : 10_000)),
    ...rotations(smoke ? 100 : 10_000),
    ...(await lifecycles(smoke ? 1 : 10)),
    ...(await crowd(smoke ? 5 : 300)),
  ],
};

const landscape: Landscape = {
  config: parseLandscapeConfig(landscapeText(), "converter_config.json"),
  auditLogTenants: parseAuditLogTenants(tenantsText(), "tenants.json"),
  maintenanceWindows: {},
};

/** The sample under another name. */
function numbered(index: number): AnyObject {
  const object = runtimeObject();
  const name = `r-${index}`;
  const spec = object["spec"] as { readonly shoot: object };
  const labels = { ...object.metadata.labels, "kyma-project.io/runtime-id": name };
  return {
    ...object,
    metadata: { ...object.metadata, name, labels, generation: 1 },
    spec: { ...spec, shoot: { ...spec.shoot, name: `c-${index}` } },
  };
}

function conversions(count: number): Measurement {
  const runtimes = Array.from({ length: count }, (_, index) => numbered(index) as unknown as Runtime);
  const convertAll = (): void => {
    for (const runtime of runtimes) convertToShoot({ runtime, config: landscape.config });
  };
  convertAll();
  const begun = performance.now();
  convertAll();
  const value = count / ((performance.now() - begun) / 1000);
  return {
    id: "P15",
    what: "Runtimes converted to Shoots",
    value,
    unit: "/s",
    target: "≥ 10,000/s",
    met: value >= 10_000,
  };
}

/** Runtimes that are Ready and Shoots that are done: a start looks at all of them, and neither it nor rest writes. */
async function resync(count: number): Promise<readonly Measurement[]> {
  const clock = new FakeClock();
  const kcp = await startCluster({ clock, workload: false, crds: await ourCrds() });
  const garden = await startCluster({ clock, workload: false, crds: gardenCrds() });
  await kcp.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name: "kcp-system" } });
  await garden.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name: "garden-kyma-dev" } });
  await inParallel(count, (index) => fill(kcp.client, garden.client, index));

  const seconds = await startSeconds(kcp, garden, count);
  const hour = await requestsOfAnHour(kcp, garden, { clock, count });
  const writes = kcp.writes().length + garden.writes().length;
  await Promise.all([kcp.stop(), garden.stop()]);
  const what = `start over ${count} Ready Runtimes`;
  return [
    { id: "P15", what, value: seconds, unit: "s", target: "≤ 60 s", met: seconds <= 60 },
    {
      id: "P15",
      what: `${what} and an hour of rest: writes`,
      value: writes,
      unit: "writes",
      target: "0",
      met: writes === 0,
    },
    {
      id: "P15",
      what: `an hour of rest over ${count} Ready Runtimes: requests`,
      value: hour,
      unit: "requests",
      target: "watches only",
      met: hour <= 100,
    },
  ];
}

async function ourCrds(): Promise<readonly AnyObject[]> {
  const folder = join(import.meta.dirname, "../crds");
  const files = (await readdir(folder)).filter((name) => name.startsWith("infrastructuremanager."));
  return Promise.all(files.map(async (name) => parseYaml(await readFile(join(folder, name), "utf8")) as AnyObject));
}

async function startSeconds(kcp: TestCluster, garden: TestCluster, count: number): Promise<number> {
  const begun = performance.now();
  const { manager, end } = startRuntimes(kcp, garden, systemClock);
  while ((await passesOf(manager)) < count) await systemClock.sleep(50);
  const seconds = (performance.now() - begun) / 1000;
  await end();
  return seconds;
}

interface Rest {
  readonly clock: FakeClock;
  readonly count: number;
}

/** What an operator that has nothing to do asks both servers in an hour. */
async function requestsOfAnHour(kcp: TestCluster, garden: TestCluster, { clock, count }: Rest): Promise<number> {
  const { manager, end } = startRuntimes(kcp, garden, clock);
  await clock.until(async () => (await passesOf(manager)) >= count);
  const requests = (): number => kcp.requests.length + garden.requests.length;
  const before = requests();
  await clock.advance(3_600_000);
  const made = requests() - before;
  const ended = end();
  await clock.settle();
  await ended;
  return made;
}

function startRuntimes(kcp: TestCluster, garden: TestCluster, clock: Clock) {
  const manager = createManager({
    client: kcp.clientFor("operator"),
    clock,
    identity: "bench",
    leases: [{ name: "bench", namespace: "kcp-system", enabled: false }],
  });
  const remote = { open: () => kcp.client, evict: () => undefined };
  const gardener = garden.clientFor("operator");
  addRuntimeController(manager.context("bench"), { gardener, remote, landscape: () => landscape });
  const stop = new AbortController();
  const running = manager.run(stop.signal);
  const end = (): Promise<void> => {
    stop.abort(new Error("measured"));
    return running;
  };
  return { manager, end };
}

async function fill(kcp: Client, garden: Client, index: number): Promise<void> {
  const object = numbered(index);
  const runtime = await kcp.create(runtimeResource, {
    ...object,
    metadata: {
      ...object.metadata,
      finalizers: ["runtime-controller.infrastructure-manager.kyma-project.io/deletion-hook"],
    },
  });
  const conditions = ["Provisioned", "KubeconfigReady", "OidcConfigured", "Configured"].map((type) => ({
    type,
    status: "True",
    reason: "Done",
    message: "done",
    lastTransitionTime: "2026-01-05T08:00:00Z",
    observedGeneration: 1,
  }));
  await kcp.update(
    runtimeResource,
    { ...runtime, status: { state: "Ready", provisioningCompleted: true, conditions } },
    { subresource: "status" },
  );
  const wanted = convertToShoot({ runtime: object as unknown as Runtime, config: landscape.config });
  const cluster = buildGardenerCluster(object as unknown as Runtime, wanted) as unknown as AnyObject;
  await kcp.create(gardenerClusterResource, cluster);
  const shoot = await garden.create(shootResource, wanted as unknown as AnyObject);
  const lastOperation = {
    type: "Create",
    state: "Succeeded",
    progress: 100,
    description: "done",
    lastUpdateTime: "2026-01-05T08:00:00Z",
  };
  const gardenStatus = { gardener: { id: "", name: "", version: "" }, hibernated: false, technicalID: "t", uid: "u" };
  await garden.update(
    shootResource,
    { ...shoot, status: { ...gardenStatus, observedGeneration: 1, lastOperation } },
    { subresource: "status" },
  );
}

async function inParallel(count: number, work: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: 16 }, worker));
}

async function passesOf(manager: Manager): Promise<number> {
  const { text } = await manager.metrics.scrape();
  const passes = [...text.matchAll(/^controller_runtime_reconcile_total\{controller="runtime"[^}]*\} (\d+)/gm)];
  return passes.reduce((sum, [, value]) => sum + Number(value), 0);
}

/** All kubeconfigs written at once, as after an outage; their rotations over the periods that follow. */
function rotations(count: number): readonly Measurement[] {
  const settings = { lifetimeMs: 86_400_000, ratio: 0.6 };
  const period = latestAgeMs(rotationPeriodMs(settings));
  const bins = 20;
  const counts = new Map<number, number>();
  let oldest = 0;
  for (let index = 0; index < count; index += 1) {
    for (let at = 0; at < 4 * period; ) {
      const next = dueAt({ lastSync: at, name: `cluster-${index}` }, settings);
      oldest = Math.max(oldest, next - at);
      const bin = Math.floor(next / (period / bins));
      counts.set(bin, (counts.get(bin) ?? 0) + 1);
      at = next;
    }
  }
  const ratioOf = (from: number): number => {
    const values = Array.from({ length: bins }, (_, bin) => counts.get(from * bins + bin) ?? 0);
    return Math.max(...values) / (values.reduce((sum, value) => sum + value, 0) / bins);
  };
  const hours = oldest / 3_600_000;
  const what = `${count} kubeconfigs written at once`;
  const settled = ratioOf(2);
  return [
    {
      id: "P16",
      what: `${what}: peak to mean two periods later`,
      value: settled,
      unit: "×",
      target: "≤ 1.3",
      met: settled <= 1.3,
    },
    { id: "P16", what: `${what}: oldest`, value: hours, unit: "h", target: "< 24 h", met: hours < 24 },
  ];
}

/** Runs something against a control plane with the operator, and a simulated Gardener. */
async function withOperator<T>(measure: (kcp: TestCluster, gardener: Gardener) => Promise<T>): Promise<T> {
  const kcp = await startCluster({ clock: systemClock, workload: false, crds: await ourCrds() });
  const gardener = await startGardener({
    server: { listen: false },
    shootServer: () => ({ listen: false, workload: false }),
  });
  await kcp.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name: "kcp-system" } });
  const stop = new AbortController();
  const running = startOperator(kcp, gardener, stop.signal);
  try {
    return await measure(kcp, gardener);
  } finally {
    stop.abort(new Error("measured"));
    await running;
    await Promise.all([kcp.stop(), gardener.stop()]);
  }
}

/** Runtimes that are all created, and then all deleted at once; each has a cluster of its own. */
async function crowd(count: number): Promise<readonly Measurement[]> {
  return withOperator(async (kcp) => {
    const runtimes = (): Promise<readonly (Runtime & AnyObject)[]> =>
      kcp.list("infrastructuremanager.kyma-project.io/v1", "Runtime") as Promise<readonly (Runtime & AnyObject)[]>;
    const begun = performance.now();
    await inParallel(count, async (index) => void (await kcp.client.create(runtimeResource, numbered(index))));
    const ready = await when(async () => {
      const all = await runtimes();
      return all.length === count && all.every(({ status }) => status?.state === "Ready");
    }, 250);
    await inParallel(count, async (index) => {
      await kcp.client.delete({ resource: runtimeResource, namespace: "kcp-system", name: `r-${index}` });
    });
    const gone = await when(async () => (await runtimes()).length === 0, 250);
    const row = (what: string, ms: number): Measurement => ({
      id: "P18",
      what: `${count} Runtimes at once, ${what}`,
      value: ms / 1000,
      unit: "s",
      target: "≤ 60 s",
      met: ms <= 60_000,
    });
    return [row("all Ready on the simulated Gardener", ready - begun), row("all gone", gone - ready)];
  });
}

async function lifecycles(runs: number): Promise<readonly Measurement[]> {
  const [ready, gone]: [number[], number[]] = [[], []];
  await withOperator(async (kcp, gardener) => {
    for (let run = 0; run < runs; run += 1) {
      const [toReady, toGone] = await lifecycle(kcp, gardener, run);
      ready.push(toReady);
      gone.push(toGone);
    }
  });
  const row = (what: string, values: readonly number[], peer: number): Measurement => {
    const value = median(values) / 1000;
    return {
      id: "P18",
      what,
      value,
      unit: "s",
      target: "≤ 1 s",
      met: value <= 1,
      peer: { name: "the original", value: peer },
    };
  };
  return [row("Runtime Ready after Gardener's success", ready, 20), row("Runtime gone after Gardener's end", gone, 84)];
}

function startOperator(kcp: TestCluster, gardener: Gardener, signal: AbortSignal): Promise<void> {
  const manager = createManager({
    client: kcp.clientFor("operator"),
    clock: systemClock,
    identity: "bench",
    leases: [{ name: "bench", namespace: "kcp-system", enabled: false }],
  });
  const context = manager.context("bench");
  const garden = clientOf(gardener.server);
  const remote = {
    open: async (_key: string, _revision: string, kubeconfig: () => string): Promise<Client> => {
      const [, name = ""] = /current-context: \S+?--(\S+)-external/.exec(kubeconfig()) ?? [];
      const server = await gardener.shootCluster(gardener.namespace, name);
      if (server === undefined) throw new Error(`Shoot ${name} has no cluster`);
      return clientOf(server);
    },
    evict: () => undefined,
  };
  addRuntimeController(context, { gardener: garden, remote, landscape: () => landscape });
  addGardenerClusterController(context, { gardener: garden, projectName: "kyma-dev" });
  return manager.run(signal);
}

function clientOf(server: Gardener["server"]): Client {
  return createClient({ transport: transportFrom(server.transport), clock: systemClock });
}

/** Milliseconds from the Shoot's success to Ready, and from the Shoot's end to the Runtime's. */
async function lifecycle(kcp: TestCluster, gardener: Gardener, run: number): Promise<readonly [number, number]> {
  const garden = clientOf(gardener.server);
  const object = numbered(run);
  const ref = { resource: runtimeResource, namespace: "kcp-system", name: object.metadata.name ?? "" };
  const shoot = { resource: shootResource, namespace: gardener.namespace, name: `c-${run}` };
  const stateOf = async (client: Client, of: typeof ref | typeof shoot): Promise<AnyObject | undefined> =>
    optional(client.get(of));
  await kcp.client.create(runtimeResource, { ...object, metadata: { ...object.metadata } });
  const built = await when(async () => {
    const { status } = ((await stateOf(garden, shoot)) ?? {}) as { status?: { lastOperation?: { state?: string } } };
    return status?.lastOperation?.state === "Succeeded";
  });
  const ready = await when(
    async () => ((await stateOf(kcp.client, ref)) as { status?: { state?: string } }).status?.state === "Ready",
  );
  await kcp.client.delete(ref);
  const down = await when(async () => (await stateOf(garden, shoot)) === undefined);
  const gone = await when(async () => (await stateOf(kcp.client, ref)) === undefined);
  return [ready - built, gone - down];
}

/** @returns when the condition held first, in milliseconds. */
async function when(condition: () => Promise<boolean>, everyMs = 2): Promise<number> {
  while (!(await condition())) await systemClock.sleep(everyMs);
  return performance.now();
}
