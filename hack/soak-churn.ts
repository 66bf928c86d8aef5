import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import {
  type Client,
  clusterFromKubeconfig,
  createClient,
  createHttpTransport,
  systemClock,
} from "@kyma-operators/kube";
import { createManager } from "@kyma-operators/runtime";
import type { Measurement } from "../bench/measurement.ts";
import {
  addSampleController,
  parent,
  parents,
  SeededRandom,
  startCluster,
  type TestCluster,
} from "../testing/index.ts";

const lease = { name: "soak", namespace: "default" };
const keys = 200;
const wantedMinutes = 20;
/** Growth that a flat heap may show by chance, in MiB per hour over {@link wantedMinutes} samples. */
const noise = 30;

interface Churned {
  readonly deeds: number;
  /** Once a minute, in MiB. */
  readonly heaps: readonly number[];
}

/**
 * A manager over real sockets while people make, change and remove parents, some fifty times a second at most. Prints
 * the heap each minute and throws when it grows.
 */
export async function churnFor(minutes: number): Promise<readonly Measurement[]> {
  const cluster = await startCluster({ clock: systemClock, listen: true, workload: false });
  const client = await clientOf(cluster);
  const manager = createManager({ client, clock: systemClock, identity: "soak", leases: [lease], relistMs: 60_000 });
  addSampleController(manager.context(lease.name), { concurrency: 4 });
  const ending = new AbortController();
  const running = manager.run(ending.signal);
  const churned = await churn(cluster, minutes);
  ending.abort(new Error("over"));
  await running;
  await client.close();
  await cluster.stop();
  return [verdictOn(churned)];
}

function verdictOn({ deeds, heaps }: Churned): Measurement {
  const value = growthPerHour(heaps);
  const isLong = heaps.length >= wantedMinutes;
  if (isLong && value > noise) throw new Error(`the heap grows by ${value.toFixed(1)} MiB per hour`);
  const what = "sample controller and API server over real sockets: growth of the heap";
  const note = `${heaps.length} minutes, ${deeds} changes by people, ${Math.round(Math.max(...heaps))} MiB at most`;
  return {
    id: "R",
    what,
    value,
    unit: "MiB/h",
    target: `≤ ${noise} MiB/h over 20 min`,
    ...(isLong ? { met: true } : {}),
    note,
  };
}

async function clientOf({ server }: TestCluster): Promise<Client> {
  const access = clusterFromKubeconfig(await server.kubeconfig());
  return createClient({ transport: createHttpTransport(access), clock: systemClock, userAgent: "soak" });
}

async function churn(cluster: TestCluster, minutes: number): Promise<Churned> {
  const random = new SeededRandom(1);
  const heaps: number[] = [];
  let deeds = 0;
  let nextSample = Date.now() + 60_000;
  while (heaps.length < minutes) {
    await deed(cluster, random);
    deeds += 1;
    await systemClock.sleep(20);
    if (Date.now() < nextSample) continue;
    nextSample += 60_000;
    heaps.push(heapOf(cluster));
    console.log(`churn: ${deeds} deeds, ${heaps.at(-1)?.toFixed(1)} MiB`);
  }
  return { deeds, heaps };
}

/** What one person does: a parent comes, changes or goes. That it is gone already, or on its way, is fine. */
async function deed(cluster: TestCluster, random: SeededRandom): Promise<void> {
  const name = `p-${random.below(keys)}`;
  const work = random.chance(0.1)
    ? cluster.client.delete({ resource: parents, namespace: "default", name })
    : cluster.apply(parent(name, { children: random.below(4), value: `v-${random.below(1000)}` }));
  await work.catch(() => undefined);
}

function heapOf(cluster: TestCluster): number {
  // The log of requests belongs to the test cluster and grows without end.
  cluster.requests.length = 0;
  collectGarbage();
  return process.memoryUsage().heapUsed / 2 ** 20;
}

/** The flag of the process can't be asked for by whoever starts `make soak`. */
function collectGarbage(): void {
  setFlagsFromString("--expose-gc");
  const gc = runInNewContext("gc") as () => void;
  gc();
  gc();
}

/** By least squares over the second half, when everything has been seen. */
function growthPerHour(heaps: readonly number[]): number {
  const late = heaps.slice(heaps.length >> 1);
  const [meanX, meanY] = [(late.length - 1) / 2, late.reduce((sum, heap) => sum + heap, 0) / late.length];
  const top = late.reduce((sum, heap, x) => sum + (x - meanX) * (heap - meanY), 0);
  const bottom = late.reduce((sum, _, x) => sum + (x - meanX) ** 2, 0);
  return late.length < 2 ? 0 : (60 * top) / bottom;
}
