/** `runtime-soak.ts [--minutes N] [--seconds-per-sample N]`: a manager under churn over real sockets; prints the heap. */
import { parseArgs } from "node:util";
import { clusterFromKubeconfig, createClient, createHttpTransport, systemClock } from "@kyma-operators/kube";
import { createManager } from "@kyma-operators/runtime";
import { addSampleController, parent, parents, SeededRandom, startCluster } from "../testing/index.ts";

const { values } = parseArgs({
  options: { minutes: { type: "string", default: "20" }, "seconds-per-sample": { type: "string", default: "60" } },
});
const endAt = Date.now() + Number(values.minutes) * 60_000;
const sampleMs = Number(values["seconds-per-sample"]) * 1000;
const lease = { name: "soak", namespace: "default" };
const count = 200;

const cluster = await startCluster({ clock: systemClock, listen: true, workload: false });
const access = clusterFromKubeconfig(await cluster.server.kubeconfig());
const client = createClient({ transport: createHttpTransport(access), clock: systemClock, userAgent: "soak" });
const manager = createManager({ client, clock: systemClock, identity: "soak", leases: [lease], relistMs: 60_000 });
addSampleController(manager.context(lease.name), { concurrency: 4 });
const ending = new AbortController();
const running = manager.run(ending.signal);

const random = new SeededRandom(1);
const heaps: number[] = [];
let steps = 0;

/** One person's deed: a parent comes, changes or goes. */
async function churn(): Promise<void> {
  const name = `p-${random.below(count)}`;
  if (random.chance(0.1)) {
    await cluster.client.delete({ resource: parents, namespace: "default", name }).catch(() => undefined);
  } else {
    await cluster
      .apply(parent(name, { children: random.below(4), value: `v-${random.below(1000)}` }))
      .catch(() => undefined);
  }
  steps += 1;
}

function sample(): void {
  globalThis.gc?.();
  // The log of requests is the test cluster's, and grows without end.
  cluster.requests.length = 0;
  globalThis.gc?.();
  const { heapUsed, rss } = process.memoryUsage();
  heaps.push(heapUsed);
  console.log(JSON.stringify({ steps, heapMiB: round(heapUsed), rssMiB: round(rss), cpuSeconds: cpuSeconds() }));
}

const round = (bytes: number): number => Number((bytes / 2 ** 20).toFixed(1));
const cpuSeconds = (): number => Math.round((process.cpuUsage().user + process.cpuUsage().system) / 1e6);

let nextSample = Date.now() + sampleMs;
while (Date.now() < endAt) {
  await churn();
  await systemClock.sleep(20);
  if (Date.now() < nextSample) continue;
  sample();
  nextSample += sampleMs;
}
ending.abort(new Error("over"));
await running;
await client.close();
await cluster.stop();

/** Growth per hour in MiB by least squares over the second half, when everything has been seen. */
function slopePerHour(): number {
  const late = heaps.slice(heaps.length >> 1);
  const [meanX, meanY] = [(late.length - 1) / 2, late.reduce((sum, heap) => sum + heap, 0) / late.length];
  const top = late.reduce((sum, heap, x) => sum + (x - meanX) * (heap - meanY), 0);
  const bottom = late.reduce((sum, _, x) => sum + (x - meanX) ** 2, 0);
  return (top / bottom / 2 ** 20) * (3_600_000 / sampleMs);
}

console.log(JSON.stringify({ samples: heaps.length, steps, heapGrowthMiBPerHour: Number(slopePerHour().toFixed(2)) }));
