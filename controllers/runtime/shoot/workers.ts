import { isObject, type JsonObject, type Shoot, type ShootWorker, withoutDowngrade } from "@kyma-operators/gardener";
import type { Runtime, Worker } from "../../../apis/infrastructure/index.ts";
import type { LandscapeConfig } from "./config.ts";
import { conversionErrors } from "./errors.ts";

/** Main pool and further pools in the order of the Runtime. Throws `CONVERSION_MAIN_WORKER`. */
export function poolsOf({ spec: { shoot } }: Runtime): readonly Worker[] {
  const { workers, additionalWorkers = [] } = shoot.provider;
  if (workers.length !== 1) throw conversionErrors.MAIN_WORKER({ found: workers.length });
  return [...workers, ...additionalWorkers];
}

/** Zones of all pools in order of first appearance. */
export function zonesOf(pools: readonly { readonly zones?: readonly string[] }[]): readonly string[] {
  return [...new Set(pools.flatMap(({ zones = [] }) => zones))];
}

/** The pool as a new Shoot gets it: with an image, and on AWS with the instance metadata service closed to pods. */
export function workerFor(worker: Worker, provider: string, config: LandscapeConfig): ShootWorker {
  const image = imageOf(worker, config);
  const isHardened = provider === "aws" && config.converter.provider.aws.enableIMDSv2;
  return {
    ...worker,
    machine: { ...worker.machine, image },
    ...(isHardened ? { providerConfig: withMetadataOptions(worker.providerConfig) } : {}),
  };
}

/** The pool as an existing Shoot gets it: neither images nor zones go back, what Gardener decided stays. */
export function patchedWorker(worker: ShootWorker, shoot: Shoot): ShootWorker {
  const running = shoot.spec.provider.workers?.find(({ name }) => name === worker.name);
  if (running === undefined) return worker;
  const zones = mergeZones(running.zones ?? [], worker.zones ?? []);
  const updateStrategy = worker.updateStrategy ?? running.updateStrategy;
  return {
    ...worker,
    machine: { ...worker.machine, ...newerImage(worker.machine.image, running.machine.image) },
    ...(updateStrategy === undefined ? {} : { updateStrategy }),
    ...(zones.length > 0 ? { zones } : {}),
  };
}

/** Pools in the order of the Shoot; those it does not know come last, in the order of the Runtime. */
export function inShootOrder<T extends { readonly name: string }>(pools: readonly T[], shoot: Shoot): readonly T[] {
  const order = new Map((shoot.spec.provider.workers ?? []).map(({ name }, index) => [name, index]));
  const rank = ({ name }: T): number => order.get(name) ?? order.size;
  return pools.toSorted((a, b) => rank(a) - rank(b));
}

/** Zones that the Runtime dropped from pools of the Shoot; they stay, because Gardener can't take them back. */
export function keptZones({ spec: { shoot: wanted } }: Runtime, shoot: Shoot): readonly string[] {
  const pools = [...wanted.provider.workers, ...(wanted.provider.additionalWorkers ?? [])];
  return (shoot.spec.provider.workers ?? []).flatMap((running) => {
    const pool = pools.find(({ name }) => name === running.name);
    const dropped = pool === undefined ? [] : (running.zones ?? []).filter((zone) => !pool.zones?.includes(zone));
    return dropped.map((zone) => `${running.name}/${zone}`);
  });
}

function mergeZones(running: readonly string[], wanted: readonly string[]): readonly string[] {
  return [...running, ...wanted.filter((zone) => !running.includes(zone))];
}

type Image = NonNullable<ShootWorker["machine"]["image"]>;

function imageOf({ machine: { image } }: Worker, config: LandscapeConfig): Image {
  const { defaultName, defaultVersion } = config.converter.machineImage;
  return { ...image, name: image?.name || defaultName, version: image?.version || defaultVersion };
}

function newerImage(wanted: Image | undefined, running: Image | undefined): { readonly image?: Image } {
  if (wanted === undefined) return {};
  if (wanted.version === undefined || wanted.name !== running?.name) return { image: wanted };
  return { image: { ...wanted, version: withoutDowngrade(wanted.version, running.version) } };
}

/** Version 2 of the metadata service only, and out of reach of pods; explicit settings of the Runtime stay. */
function withMetadataOptions(config: JsonObject | undefined): JsonObject {
  const options = config?.["instanceMetadataOptions"];
  return {
    apiVersion: "aws.provider.extensions.gardener.cloud/v1alpha1",
    kind: "WorkerConfig",
    ...config,
    instanceMetadataOptions: {
      httpTokens: "required",
      httpPutResponseHopLimit: 2,
      ...(isObject(options) ? options : {}),
    },
  };
}
