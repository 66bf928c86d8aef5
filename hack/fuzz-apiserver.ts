/** `fuzz-apiserver.ts [--inputs N] [--seed N]`: sends strange requests to one embedded server; none may be its fault. */
import { parseArgs } from "node:util";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { sample } from "fast-check";
import { askStrangely, type StrangeRequest, startServerForStrangers, strangeRequests } from "../testing/index.ts";

/** No request may take a second, nor all of them together grow the server by 256 MiB. */
const limits = { slowestMs: 1_000, growthMiB: 256 } as const;
const batch = 10_000;

const { values } = parseArgs({
  options: { inputs: { type: "string", default: "1000000" }, seed: { type: "string", default: "1" } },
});
const [inputs, seed] = [Number(values.inputs), Number(values.seed)];
setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;
const usedMiB = (): number => {
  collectGarbage();
  return process.memoryUsage().heapUsed / 2 ** 20;
};

const faults: string[] = [];
process.on("unhandledRejection", (error) => faults.push(`unhandled rejection: ${String(error)}`));
const server = await startServerForStrangers((where, error) => {
  faults.push(`${where}: ${error instanceof Error ? error.stack : String(error)}`);
});
const statuses = new Map<number, number>();
let slowestMs = 0;
let slowest = "";
let startMiB: number | undefined;
let peakMiB = 0;

for (let sent = 0; sent < inputs; sent += batch) {
  const requests = sample(strangeRequests, { numRuns: Math.min(batch, inputs - sent), seed: seed + sent });
  for (const request of requests) await ask(request);
  // The first batch fills caches and compiles code; what grows after it is growth.
  startMiB ??= usedMiB();
  peakMiB = Math.max(peakMiB, usedMiB());
}
await server.stop();
console.log(
  `statuses: ${[...statuses]
    .sort(([a], [b]) => a - b)
    .map(([code, count]) => `${code}: ${count}`)
    .join(", ")}`,
);
const growthMiB = peakMiB - (startMiB ?? 0);
console.log(`${inputs} requests, slowest ${slowestMs.toFixed(0)} ms (${slowest}), memory +${growthMiB.toFixed(0)} MiB`);
if (slowestMs > limits.slowestMs || growthMiB > limits.growthMiB) throw new Error("beyond the limits");

async function ask(request: StrangeRequest): Promise<void> {
  const started = performance.now();
  const { status, isFault } = await askStrangely(server, request);
  const tookMs = performance.now() - started;
  statuses.set(status, (statuses.get(status) ?? 0) + 1);
  if (tookMs > slowestMs) [slowestMs, slowest] = [tookMs, `${request.method} ${request.path}`];
  if (faults.length > 0 || isFault)
    throw new Error(`${JSON.stringify(request)} is answered ${status}: ${faults.join("\n")}`);
}
