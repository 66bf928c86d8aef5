import { KymaFleet, modules } from "./kyma-fleet.ts";
import { cpuSeconds, type Measurement, quantile, type RunOptions, usedBytes, type Workload } from "./measurement.ts";

const hourMs = 3_600_000;
const gib = 2 ** 30;
const shortIntervalMs = 10_000;

/** P1, P4, P5, P7 and P8 over growing fleets: Kymas with five modules and a cluster each. */
export const kymas: Workload = {
  name: "kymas",
  run: async ({ smoke }: RunOptions) => [
    ...(await rolloutCurve(smoke ? [2, 4] : [100, 300, 1_000])),
    ...(await curve(smoke ? [2, 4] : [100, 1_000, 5_000, 10_000])),
  ],
};

interface Figures {
  readonly count: number;
  readonly manifests: number;
  readonly idleWrites: number;
  /** To remote clusters, per Manifest and hour. */
  readonly idleRequests: number;
  readonly passesPerSecond: number;
  readonly changes: readonly number[];
  readonly cold: { readonly seconds: number; readonly writes: number; readonly bytes: number };
}

/** From nothing to Ready, everything on the clusters included. */
async function rolloutCurve(counts: readonly number[]): Promise<readonly Measurement[]> {
  const points: (readonly [number, number])[] = [];
  // What is compiled while a small fleet runs would count against the smallest of the curve.
  for (const count of [Math.min(20, counts[0] ?? 1), ...counts]) {
    const fleet = await KymaFleet.open(count);
    await fleet.addNew();
    const begun = cpuSeconds();
    fleet.start();
    await fleet.untilReady();
    points.push([count, cpuSeconds() - begun]);
    await fleet.stop();
  }
  const figures = points.slice(1).map(([count, seconds]) => {
    const what = `${count} Kymas × ${modules.length} Manifests: to Ready`;
    const point = { curve: "rollout", size: count };
    return { id: "P1", what, value: seconds, unit: "CPU s", target: "none", point };
  });
  return [...figures, slopeFigure("P1", "rollout, processor time", slope(points.slice(1)))];
}

async function curve(counts: readonly number[]): Promise<readonly Measurement[]> {
  const figures: Figures[] = [];
  for (const count of counts) {
    figures.push(await measure(count));
    console.error(`  ${JSON.stringify(figures.at(-1), (key, value) => (key === "changes" ? undefined : value))}`);
  }
  const of = (value: (one: Figures) => number): number => slope(figures.map((one) => [one.count, value(one)]));
  return [
    ...figures.flatMap(fleetFigures),
    slopeFigure(
      "P5",
      "cold start, processor time",
      of((one) => one.cold.seconds),
    ),
    slopeFigure(
      "P7",
      "memory of the operator",
      of((one) => one.cold.bytes),
    ),
  ];
}

/** Starts the operator on a fleet where everything is installed, leaves it alone for an hour, then changes it. */
async function measure(count: number): Promise<Figures> {
  const fleet = await KymaFleet.open(count);
  await fleet.addInstalled();
  // Timers of the former process end, and with them what they hold.
  await fleet.clock.advance(hourMs);
  const cold = await coldStart(fleet, count);
  const idle = await idleHour(fleet, count);
  const changes: number[] = [];
  const samples = Math.min(count, 100);
  for (let round = 0; round < samples; round += 1) {
    changes.push(await fleet.change(Math.floor((round * count) / samples), 1 + (round % 6)));
  }
  await fleet.halt();
  const passesPerSecond = await idlePasses(fleet);
  const manifests = await fleet.manifests();
  await fleet.stop();
  return { count, manifests, ...idle, passesPerSecond, changes, cold };
}

async function idleHour(fleet: KymaFleet, count: number) {
  // In its first hour a process asks every cluster once what it serves.
  await fleet.clock.advance(hourMs);
  await fleet.untilQuiet();
  const before = fleet.traffic();
  await fleet.clock.advance(hourMs);
  await fleet.untilQuiet();
  const after = fleet.traffic();
  return {
    idleWrites: after.writes - before.writes,
    idleRequests: (after.remote - before.remote) / (count * modules.length),
  };
}

/** A new process on clusters where everything is as it should be. */
async function coldStart(fleet: KymaFleet, count: number): Promise<Figures["cold"]> {
  const memory = await usedBytes();
  const [before, begun] = [fleet.traffic(), cpuSeconds()];
  fleet.start();
  while (fleet.passes("kyma") < count || fleet.passes("manifest") < count * modules.length) {
    await fleet.clock.advance(10);
  }
  await fleet.untilQuiet();
  const seconds = cpuSeconds() - begun;
  const bytes = (await usedBytes()) - memory;
  const writes = fleet.traffic().writes - before.writes;
  return { seconds, writes, bytes };
}

/** Kymas are looked at so often that nothing else counts; the clock that is moved by hand is part of the cost. */
async function idlePasses(fleet: KymaFleet): Promise<number> {
  fleet.start(shortIntervalMs);
  await fleet.clock.advance(5 * shortIntervalMs);
  await fleet.untilQuiet();
  const [before, begun] = [fleet.passes("kyma"), cpuSeconds()];
  await fleet.clock.advance(20 * shortIntervalMs);
  return (fleet.passes("kyma") - before) / (cpuSeconds() - begun);
}

/** By how much the logarithm of the work grows with the logarithm of the size, fitted over all sizes. */
function slope(points: readonly (readonly [size: number, work: number])[]): number {
  const logs = points.map(([size, work]) => [Math.log(size), Math.log(work)] as const);
  const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [meanX, meanY] = [mean(logs.map(([x]) => x)), mean(logs.map(([, y]) => y))];
  const covariance = mean(logs.map(([x, y]) => (x - meanX) * (y - meanY)));
  return covariance / mean(logs.map(([x]) => (x - meanX) ** 2));
}

function slopeFigure(id: string, what: string, value: number): Measurement {
  return { id, what: `slope: ${what}`, value, unit: "log-log", target: "≤ 1.05", met: value <= 1.05 };
}

function fleetFigures(figures: Figures): readonly Measurement[] {
  const { count, cold, changes, idleRequests, idleWrites, passesPerSecond } = figures;
  const name = `${count} Kymas × ${modules.length} Manifests`;
  const p99 = quantile(changes, 0.99);
  const memory = cold.bytes / gib;
  return [
    { id: "P1", what: `${name}: an hour idle`, value: idleWrites, unit: "writes", target: "0", met: idleWrites === 0 },
    {
      id: "P1",
      what: `${name}: an hour idle`,
      value: idleRequests,
      unit: "requests per Manifest",
      target: "≤ 1",
      met: idleRequests <= 1,
    },
    {
      id: "P8",
      what: `${name}: passes of Kymas with nothing to do`,
      value: passesPerSecond,
      unit: "per CPU s",
      target: "≥ 5,000",
      met: passesPerSecond >= 5_000,
    },
    {
      id: "P4",
      what: `${name}: a user's change to Ready, p99`,
      value: p99,
      unit: "ms",
      target: "≤ 2,000 ms",
      met: p99 <= 2_000,
      point: { curve: "a user's change to Ready p99", size: count },
      note: `median ${quantile(changes, 0.5).toFixed(1)} ms, of processor time`,
    },
    {
      id: "P5",
      what: `${name}: cold start`,
      value: cold.seconds,
      unit: "CPU s",
      target: "≤ 30 s",
      met: cold.seconds <= 30,
      point: { curve: "cold start", size: count },
    },
    { id: "P5", what: `${name}: cold start`, value: cold.writes, unit: "writes", target: "0", met: cold.writes === 0 },
    {
      id: "P5",
      what: `${name}: memory after it`,
      value: memory,
      unit: "GiB",
      target: "≤ 1 GiB",
      met: memory <= 1,
      point: { curve: "memory after a cold start", size: count },
      note: "of the controllers, without the clusters beside them",
    },
  ];
}
