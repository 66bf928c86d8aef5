import { setTimeout as delay } from "node:timers/promises";
import { type Client, kubeErrors } from "@kyma-operators/kube";
import { smallModule, startFleet } from "./manifest-world.ts";
import { type Measurement, median, type RunOptions, type Workload } from "./measurement.ts";

/** P17: clusters that are silent, slow or throttling do not slow the others down. */
export const faults: Workload = {
  name: "faults of remote clusters",
  run: async ({ smoke }: RunOptions): Promise<readonly Measurement[]> => {
    const kymas = smoke ? 10 : 300;
    const calms: number[] = [];
    const troubles: number[] = [];
    // By turns, so that other work on the machine slows both down.
    for (let round = 0; round < (smoke ? 1 : rounds); round += 1) {
      calms.push(await rollout(kymas, () => undefined));
      troubles.push(await rollout(kymas, troubleOf));
    }
    const [calm, troubled] = [median(calms), median(troubles)];
    const worse = (troubled / calm - 1) * 100;
    return [
      {
        id: "P17",
        what: `${kymas} clusters, 1 % each silent, slow and throttling: p99 of the others from creation to Ready`,
        value: worse,
        unit: "% longer",
        target: "≤ 5 %",
        ...(smoke ? {} : { met: worse <= 5 }),
        note: `${Math.round(calm)} ms when all are well; medians of ${rounds} runs each`,
      },
    ];
  },
};

const rounds = 3;

type Trouble = "silent" | "slow" | "throttling" | undefined;

function troubleOf(index: number): Trouble {
  const troubles: readonly Trouble[] = ["silent", "slow", "throttling"];
  return troubles[index % 100];
}

/** Milliseconds from the start until 99 of 100 healthy clusters are Ready. */
async function rollout(kymas: number, trouble: (index: number) => Trouble): Promise<number> {
  const fleet = await startFleet({
    clientOf: (kyma, client) => troubled(client, trouble(Number(kyma.slice(1)))),
    settings: { concurrency: 32 },
  });
  const names = Array.from({ length: kymas }, (_, index) => `k${index}`);
  await fleet.addKymas(new Map(names.map((name) => [name, [`${name}-m`]])));
  for (const name of names) await fleet.addManifest(`${name}-m`, name, fleet.content.put(smallModule(`${name}-m`)));
  const healthy = names.filter((_, index) => trouble(index) === undefined).length;
  const started = performance.now();
  fleet.start();
  while (fleet.count("Ready") < Math.floor(healthy * 0.99)) await delay(100);
  const tookMs = performance.now() - started;
  await fleet.stop();
  return tookMs;
}

const answered = { method: "GET", path: "", status: 429, reason: "TooManyRequests", message: "slow down" };
const unanswered = { method: "GET", path: "", host: "k", afterMs: 30_000 };

function troubled(client: Client, trouble: Trouble): Client {
  if (trouble === undefined) return client;
  return new Proxy(client, {
    get: (target, name) => {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== "function") return method;
      return async (...args: unknown[]): Promise<unknown> => {
        if (trouble === "throttling") throw kubeErrors.TOO_MANY_REQUESTS(answered);
        const { signal } = (args.at(-1) ?? {}) as { readonly signal?: AbortSignal };
        await delay(trouble === "silent" ? 30_000 : 2_000, undefined, signal === undefined ? {} : { signal });
        if (trouble === "silent") throw kubeErrors.TIMEOUT(unanswered);
        return Reflect.apply(method, target, args);
      };
    },
  });
}
