import { isObject, type JsonObject, objectAt, objectsAt } from "@kyma-operators/gardener";
import type { Problem, Runtime, Worker } from "../../../apis/infrastructure/index.ts";

/**
 * What a Runtime asks for that the CloudProfile of its provider does not offer.
 *
 * @param old - the Runtime before an update: only what changed is checked, since offers expire under running clusters.
 */
export function catalogueProblems(runtime: Runtime, profile: JsonObject, old?: Runtime): readonly Problem[] {
  const { shoot } = runtime.spec;
  const spec = objectAt(profile, "spec");
  const region = objectsAt(spec, "regions").find(({ name }) => name === shoot.region);
  if (region === undefined) return [{ field: "spec.shoot.region", message: `"${shoot.region}" is not offered` }];
  const before = new Map(old === undefined ? [] : poolsOf(old).map(({ worker }) => [worker.name, worker]));
  return [
    ...versionProblems(runtime, spec, old),
    ...poolsOf(runtime).flatMap((pool) => poolProblems(pool, { spec, region, before: before.get(pool.worker.name) })),
  ];
}

interface Pool {
  readonly worker: Worker;
  readonly path: string;
}

function poolsOf({ spec }: Runtime): readonly Pool[] {
  const { workers, additionalWorkers = [] } = spec.shoot.provider;
  const base = "spec.shoot.provider";
  return [
    ...workers.map((worker, index) => ({ worker, path: `${base}.workers[${index}]` })),
    ...additionalWorkers.map((worker, index) => ({ worker, path: `${base}.additionalWorkers[${index}]` })),
  ];
}

function versionProblems({ spec: { shoot } }: Runtime, spec: JsonObject, old: Runtime | undefined): readonly Problem[] {
  const version = shoot.kubernetes?.version;
  if (version === undefined || version === "" || version === old?.spec.shoot.kubernetes?.version) return [];
  const offered = objectsAt(objectAt(spec, "kubernetes"), "versions").map((entry) => String(entry["version"]));
  const isOffered = offered.some((each) => each === version || each.startsWith(`${version}.`));
  return isOffered ? [] : [{ field: "spec.shoot.kubernetes.version", message: `"${version}" is not offered` }];
}

interface Offers {
  readonly spec: JsonObject;
  readonly region: JsonObject;
  readonly before: Worker | undefined;
}

function poolProblems(pool: Pool, { spec, region, before }: Offers): readonly Problem[] {
  const { worker, path } = pool;
  const known = new Set(before?.zones ?? []);
  const zones = new Set(objectsAt(region, "zones").map(({ name }) => name));
  const missing = (worker.zones ?? []).filter((zone) => !known.has(zone) && !zones.has(zone));
  const was = new Map(choicesOf(before).map(({ list, name }) => [list, name]));
  const changed = choicesOf(worker).filter(({ list, name }) => name !== was.get(list));
  return [
    ...changed
      .filter(({ list, name }) => name !== undefined && !offers(spec, list, name))
      .map(({ field, name }) => ({ field: `${path}.${field}`, message: `"${name}" is not offered` })),
    ...missing.map((zone) => ({
      field: `${path}.zones`,
      message: `zone "${zone}" is not in region ${String(region["name"])}`,
    })),
  ];
}

/** What a pool takes from which list of the catalogue. */
function choicesOf(worker: Worker | undefined) {
  return [
    { field: "machine.type", list: "machineTypes", name: worker?.machine.type },
    { field: "volume.type", list: "volumeTypes", name: worker?.volume?.type },
    { field: "machine.image.name", list: "machineImages", name: worker?.machine.image?.name },
  ];
}

function offers(spec: JsonObject, list: string, name: string): boolean {
  return objectsAt(spec, list).some((entry) => isObject(entry) && entry["name"] === name && entry["usable"] !== false);
}
