import { isDeepStrictEqual } from "node:util";
import { isObject, type JsonObject, type Shoot, type ShootWorker } from "@kyma-operators/gardener";

/** What Gardener fills in where a pool says nothing. */
const poolDefaults = {
  cri: { name: "containerd" },
  machine: { architecture: "amd64" },
  maxSurge: 1,
  maxUnavailable: 0,
  systemComponents: { allow: true },
  updateStrategy: "AutoRollingUpdate",
} satisfies JsonObject;

/**
 * Whether the pools of a Shoot must be replaced by an update before they are applied.
 *
 * Server-side apply adds and changes pools, but it can't take away a pool or a field that another manager owns, and
 * the creation of the Shoot was another manager. Gardener's defaults count as absent.
 */
export function poolsNeedUpdate(current: Shoot, wanted: Shoot): boolean {
  const next = new Map((wanted.spec.provider.workers ?? []).map((worker) => [worker.name, worker]));
  return (current.spec.provider.workers ?? []).some((worker) => {
    const target = next.get(worker.name);
    return target === undefined || hasMore(strip(worker, poolDefaults, target), target);
  });
}

/** A pool as Gardener fills it in. */
export function withDefaults(worker: ShootWorker): ShootWorker {
  return { ...poolDefaults, ...worker, machine: { ...poolDefaults.machine, ...worker.machine } };
}

/** Drops fields that only a default put there. */
function strip(value: unknown, defaults: unknown, wanted: unknown): unknown {
  if (!isObject(value) || !isObject(defaults)) return value;
  const entries = Object.entries(value).flatMap(([key, inner]) => {
    const target = isObject(wanted) ? wanted[key] : undefined;
    if (target === undefined && isDeepStrictEqual(inner, defaults[key])) return [];
    return [[key, strip(inner, defaults[key], target)] as const];
  });
  return Object.fromEntries(entries);
}

/** True when the value has a field that the other lacks. Lists are replaced by an apply as a whole. */
export function hasMore(value: unknown, other: unknown): boolean {
  if (!isObject(value) || !isObject(other)) return false;
  return Object.entries(value).some(([key, inner]) => other[key] === undefined || hasMore(inner, other[key]));
}
