import { setTimeout as delay } from "node:timers/promises";
import { kymas as kymaKind, manifests as manifestKind } from "../apis/operator/group.ts";
import { type Measurement, median, type RunOptions, type Workload } from "./measurement.ts";
import { modules, OperatorWorld } from "./operator-process.ts";

const mib = 2 ** 20;

/** P18: what was measured of the Go operators, done by the built operator on embedded clusters. */
export const originals: Workload = {
  name: "originals",
  run: async ({ smoke }: RunOptions) => [
    ...(await oneKyma(smoke ? 1 : 5)),
    ...(await removal(smoke ? 1 : 5)),
    ...(await manyKymas(smoke ? 2 : 200, smoke ? 500 : 60_000)),
  ],
};

/** The originals were timed where Deployments, that of the agent too, became Available by themselves. */
async function oneKyma(rounds: number): Promise<readonly Measurement[]> {
  const world = await OperatorWorld.start({ agents: false });
  const created: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const begun = performance.now();
    await world.addKyma(`runtime-${round}`, modules);
    await until(async () => (await world.ready()) > round);
    created.push((performance.now() - begun) / 1_000);
  }
  await world.stop();
  return [figure("1 Kyma × 3 modules (18 objects): create → Ready", median(created), { target: 3, original: 20 })];
}

/** A user's change is told by a real agent, as it was to the originals. */
async function removal(rounds: number): Promise<readonly Measurement[]> {
  const world = await OperatorWorld.start({ agents: true });
  const removed: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    await world.addKyma(`runtime-${round}`, modules);
    await until(async () => (await world.ready()) > round);
    removed.push(await timeToRemove(world, `runtime-${round}`));
  }
  await world.stop();
  return [figure("1 Kyma: remove a module", median(removed), { target: 2, original: 11 })];
}

/** Seconds from the user's change until the module's objects are gone. */
async function timeToRemove(world: OperatorWorld, name: string): Promise<number> {
  const [gone = "", ...kept] = modules;
  const user = world.runtime(name);
  const deployments = await user.resourceFor("apps/v1", "Deployment");
  const ref = { resource: kymaKind, namespace: "kyma-system", name: "default" };
  const begun = performance.now();
  await user.mergePatch(ref, { spec: { modules: kept.map((module) => ({ name: module })) } });
  await until(async () => {
    const { items } = await user.list(deployments, { namespace: "kyma-system" });
    const labelSelector = `operator.kyma-project.io/kyma-name=${name}`;
    const left = (await world.kcp.list(manifestKind, { namespace: "kcp-system", labelSelector })).items;
    return left.length === kept.length && !items.some(({ metadata }) => metadata.name === gone);
  });
  return (performance.now() - begun) / 1_000;
}

async function manyKymas(count: number, idleMs: number): Promise<readonly Measurement[]> {
  const world = await OperatorWorld.start({ agents: false });
  for (let index = 0; index < count; index += 1) await world.addKyma(`runtime-${index}`, modules);
  await until(async () => (await world.ready()) === count, 500);
  const { cpuSeconds, peakBytes } = await world.usage();
  const what = `${count} Kymas × ${modules.length} modules`;
  await delay(idleMs / 6);
  const [writes, remote] = [world.traffic.writes, world.traffic.remote];
  await delay(idleMs);
  const idle = { writes: world.traffic.writes - writes, remote: (world.traffic.remote - remote) / count };
  await world.stop();
  return [
    {
      id: "P18",
      what: `${what} to Ready`,
      value: cpuSeconds,
      unit: "CPU s",
      target: "≤ 25 CPU s",
      met: cpuSeconds <= 25,
      peer: { name: "the original", value: 75 },
    },
    {
      id: "P18",
      what: `${what}: peak memory of the operator`,
      value: peakBytes / mib,
      unit: "MiB",
      target: "≤ 200 MiB",
      met: peakBytes / mib <= 200,
      peer: { name: "the original", value: 427 },
    },
    {
      id: "P18",
      what: `${what}: a minute idle`,
      value: idle.writes,
      unit: "writes",
      target: "0",
      met: idle.writes === 0,
      peer: { name: "remote requests of the original, per Kyma", value: 576 / 60 },
      note: `${idle.remote.toFixed(2)} remote requests per Kyma`,
    },
  ];
}

function figure(
  what: string,
  seconds: number,
  { target, original }: { readonly target: number; readonly original: number },
): Measurement {
  const peer = { name: "the original", value: original };
  return { id: "P18", what, value: seconds, unit: "s", target: `≤ ${target} s`, met: seconds <= target, peer };
}

async function until(condition: () => Promise<boolean>, everyMs = 20): Promise<void> {
  while (!(await condition())) await delay(everyMs);
}
