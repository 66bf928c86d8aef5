import { setTimeout as delay } from "node:timers/promises";
import { type Client, systemClock } from "@kyma-operators/kube";
import { fieldManagers } from "../apis/operator/finalizers.ts";
import type { Manifest } from "../apis/operator/manifest.ts";
import { type Fleet, moduleObjects, smallModule, startFleet } from "./manifest-world.ts";
import { cpuSeconds, type Measurement, type RunOptions, type Workload } from "./measurement.ts";
import { tenantClient } from "./tenants.ts";

const namespace = "kcp-system";
const api = "operator.kyma-project.io/v1beta2";
const workers = 32;
const probes = 5;

/** P3: a new version for every Kyma at once, while somebody deletes an object by hand; beside it what the original does. */
export const upgrades: Workload = {
  name: "upgrades of a fleet",
  run: async ({ smoke }: RunOptions): Promise<readonly Measurement[]> => {
    const count = smoke ? 20 : 5_000;
    const figures = await measure(count);
    return [
      {
        id: "P3",
        what: `${count} Kymas upgraded at once, all Ready again`,
        value: figures.upgradeSeconds,
        unit: "CPU s",
        target: "≤ 300 s",
        ...(smoke ? {} : { met: figures.upgradeSeconds <= 300 }),
        peer: { name: "one apply per object, as the original", value: figures.twinSeconds },
        note: `${figures.requestsPerKyma.toFixed(1)} requests per Kyma on both clusters`,
      },
      {
        id: "P3",
        what: "an object deleted by hand in the middle of it, until it is back; the slowest of five",
        value: figures.repairSeconds,
        unit: "s",
        target: "≤ 5 s",
        ...(smoke ? {} : { met: figures.repairSeconds <= 5 }),
      },
    ];
  },
};

interface Figures {
  readonly upgradeSeconds: number;
  readonly repairSeconds: number;
  readonly requestsPerKyma: number;
  readonly twinSeconds: number;
}

const nameOf = (index: number): string => `k${index}`;

async function measure(count: number): Promise<Figures> {
  const fleet: Fleet = await startFleet({
    clientOf: (kyma) => tenantClient(fleet.skr, kyma, systemClock),
    settings: { concurrency: workers },
  });
  const refs = ["1", "2"].map((version) => fleet.content.put(smallModule("module", version)));
  const [first = "", second = ""] = refs;
  await addFleet(fleet, count, first);
  fleet.start();
  await untilInstalled(fleet, first, count);

  const requests = (): number => fleet.kcp.requests.length + fleet.skr.requests.length;
  const [before, started] = [requests(), cpuSeconds()];
  const [repairSeconds] = await Promise.all([
    repairInTheMiddle(fleet, second, count),
    upgradeAll(fleet, second, count),
  ]);
  await untilInstalled(fleet, second, count);
  const upgradeSeconds = cpuSeconds() - started;
  const requestsPerKyma = (requests() - before) / count;
  const twinSeconds = await upgradeOfTheOriginal(fleet, count);
  await fleet.stop();
  return { upgradeSeconds, repairSeconds, requestsPerKyma, twinSeconds };
}

async function addFleet(fleet: Fleet, count: number, ref: string): Promise<void> {
  const names = Array.from({ length: count }, (_, index) => nameOf(index));
  await fleet.addKymas(new Map(names.map((name) => [name, [name]])));
  for (const name of names) {
    await fleet.skr.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name } });
    await fleet.addManifest(name, name, ref);
  }
}

/** What the Kyma controller writes when a release changes. */
async function upgradeAll({ kcp }: Fleet, ref: string, count: number): Promise<void> {
  const resource = await kcp.resource(api, "Manifest");
  await forEach(count, async (name) => {
    await kcp.client.mergePatch({ resource, namespace, name }, { spec: { install: { source: { ref } } } });
  });
}

function installed(fleet: Fleet, ref: string): number {
  const isInstalled = ({ metadata, status }: Manifest): boolean =>
    metadata.annotations?.["sync-oci-ref"] === ref && status?.state === "Ready";
  return fleet.list().filter(isInstalled).length;
}

async function untilInstalled(fleet: Fleet, ref: string, count: number): Promise<void> {
  while (installed(fleet, ref) < count) await delay(200);
}

/** Deletes an object of a Kyma whose turn has not come, tells of it as the watcher does, and waits until it is back. */
async function repairInTheMiddle(fleet: Fleet, ref: string, count: number): Promise<number> {
  while (installed(fleet, ref) < count / 4) await delay(200);
  let slowest = 0;
  for (let probe = 1; probe <= probes; probe += 1) {
    const name = nameOf(count - probe);
    const resource = await fleet.skr.resource("v1", "Service");
    const service = { resource, namespace: name, name: "module" };
    await fleet.skr.client.delete(service);
    const started = performance.now();
    fleet.controller.remoteChanged(name);
    while (!(await exists(fleet.skr.client, service))) await delay(10);
    slowest = Math.max(slowest, (performance.now() - started) / 1_000);
  }
  return slowest;
}

async function exists(client: Client, ref: Parameters<Client["get"]>[0]): Promise<boolean> {
  return client.get(ref).then(
    () => true,
    () => false,
  );
}

/** What lifecycle-manager does for one upgrade of a Manifest: every object, the state of the manager, the status twice. */
async function upgradeOfTheOriginal({ kcp, skr }: Fleet, count: number): Promise<number> {
  const manifests = await kcp.resource(api, "Manifest");
  const [control, objects] = [kcp.clientFor("twin"), moduleObjects("module", "3")];
  const started = cpuSeconds();
  await forEach(count, async (name) => {
    const client = tenantClient(skr, name, systemClock);
    const options = { fieldManager: fieldManagers.manifestApplier, force: true };
    await Promise.all(
      objects.map(async (object) => {
        await client.apply(await client.resourceFor(object.apiVersion, object.kind), object, options);
      }),
    );
    const deployments = await client.resourceFor("apps/v1", "Deployment");
    await client.get({ resource: deployments, namespace: "kyma-system", name: "module" });
    // The state stays, so that our own controller, which still runs, takes no notice.
    for (const operation of ["resource syncTarget state diff detected", "resources are ready"]) {
      const status = { state: "Ready", lastOperation: { operation } };
      const object = { apiVersion: api, kind: "Manifest", metadata: { name, namespace }, status };
      await control.apply(manifests, object, { ...options, subresource: "status" });
    }
  });
  return cpuSeconds() - started;
}

async function forEach(count: number, action: (name: string) => Promise<void>): Promise<void> {
  const names = Array.from({ length: count }, (_, index) => nameOf(index)).values();
  await Promise.all(
    Array.from({ length: workers }, async () => {
      for (const name of names) await action(name);
    }),
  );
}
