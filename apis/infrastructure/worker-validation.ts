import { filled, type Problem } from "./problem.ts";
import type { RuntimeProvider } from "./runtime.ts";
import type { Worker } from "./worker.ts";

const nameLimit = 15;
const dnsLabel = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const volumeSize = /^\d+Gi$/;
const zonesRequired = new Set(["aws", "gcp", "alicloud"]);
/** Most zones that the network of the nodes is cut into. */
const zoneLimit = 8;
const cutByZone = new Set(["aws", "azure", "alicloud"]);

/** Problems of the worker pools, named by their path in the Runtime. */
export function validateWorkers(provider: RuntimeProvider): readonly Problem[] {
  const base = "spec.shoot.provider";
  const pools = [
    ...provider.workers.map((worker, index) => ({ worker, path: `${base}.workers[${index}]` })),
    ...(provider.additionalWorkers ?? []).map((worker, index) => ({
      worker,
      path: `${base}.additionalWorkers[${index}]`,
    })),
  ];
  const seen = new Set<string>();
  const problems: Problem[] = [];
  if (provider.workers.length !== 1) {
    problems.push({
      field: `${base}.workers`,
      message: `must have exactly one main pool, found ${provider.workers.length}`,
    });
  }
  for (const { worker, path } of pools) {
    if (seen.has(worker.name))
      problems.push({ field: `${path}.name`, message: `"${worker.name}" is used by another pool` });
    seen.add(worker.name);
    problems.push(
      ...filled(`${path}.machine.type`, worker.machine.type),
      ...validateSizes(worker, path),
      ...validateSpread(worker, path),
      ...validateZones(worker, provider.type, path),
    );
  }
  const workers = pools.map(({ worker }) => worker);
  return [...problems, ...validateSystemPools(workers), ...validateZoneCount(provider.type, workers)];
}

/** The pods that every cluster needs must find a place. */
function validateSystemPools(pools: readonly Worker[]): readonly Problem[] {
  if (pools.length === 0 || pools.some((pool) => takesSystemPods(pool) && pool.maximum > 0)) return [];
  return [{ field: "spec.shoot.provider", message: "needs a pool with nodes that allows system components" }];
}

/** Gardener wants a node in every zone where such a pod may have to run. */
function validateSpread(worker: Worker, path: string): readonly Problem[] {
  const { maximum, zones = [] } = worker;
  if (!takesSystemPods(worker) || maximum === 0 || maximum >= zones.length) return [];
  return [{ field: `${path}.maximum`, message: `${maximum} is below the number of zones, ${zones.length}` }];
}

function takesSystemPods({ systemComponents }: Worker): boolean {
  return systemComponents?.allow !== false;
}

function validateZoneCount(provider: string, pools: readonly Worker[]): readonly Problem[] {
  const count = new Set(pools.flatMap(({ zones = [] }) => zones)).size;
  if (!cutByZone.has(provider) || count <= zoneLimit) return [];
  const message = `the pools name ${count} zones, ${provider} takes at most ${zoneLimit}`;
  return [{ field: "spec.shoot.provider", message }];
}

function validateSizes(worker: Worker, path: string): readonly Problem[] {
  const problems: Problem[] = [];
  if (!dnsLabel.test(worker.name) || worker.name.length > nameLimit) {
    problems.push({
      field: `${path}.name`,
      message: `"${worker.name}" must be a DNS label of at most ${nameLimit} characters`,
    });
  }
  if (worker.minimum < 0) problems.push({ field: `${path}.minimum`, message: "must not be negative" });
  if (worker.maximum < worker.minimum) {
    problems.push({ field: `${path}.maximum`, message: `${worker.maximum} is below the minimum of ${worker.minimum}` });
  }
  if (isZero(worker.maxSurge) && isZero(worker.maxUnavailable)) {
    problems.push({ field: `${path}.maxUnavailable`, message: "may not be 0 when maxSurge is 0" });
  }
  if (worker.volume !== undefined && !volumeSize.test(worker.volume.size)) {
    problems.push({
      field: `${path}.volume.size`,
      message: `"${worker.volume.size}" must be a number of Gi, for example 50Gi`,
    });
  }
  return problems;
}

function isZero(value: number | string | undefined): boolean {
  return value === 0 || value === "0" || value === "0%";
}

function validateZones({ zones = [] }: Worker, provider: string, path: string): readonly Problem[] {
  const field = `${path}.zones`;
  const problems: Problem[] = [];
  if (zones.length === 0 && zonesRequired.has(provider)) {
    problems.push({ field, message: `at least one zone is required for ${provider}` });
  }
  if (zones.includes("")) problems.push({ field, message: "names a zone without a name" });
  if (new Set(zones).size !== zones.length) problems.push({ field, message: "names a zone twice" });
  const odd = provider === "azure" ? zones.find((zone) => !/^[1-8]$/.test(zone)) : undefined;
  if (odd !== undefined) problems.push({ field, message: `zone "${odd}" must be a number between 1 and 8` });
  return problems;
}
