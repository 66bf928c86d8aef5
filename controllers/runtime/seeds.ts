import { isObject, type JsonObject, objectAt, objectsAt } from "@kyma-operators/gardener";
import type { AnyObject } from "@kyma-operators/kube";

/** Regions in which a Seed of the provider takes Shoots, sorted. */
export function seedRegions(seeds: readonly AnyObject[], provider: string): readonly string[] {
  const regions = seeds
    .filter((seed) => isUsable(seed) && objectAt(seed, "spec", "provider")["type"] === provider)
    .map((seed) => objectAt(seed, "spec", "provider")["region"])
    .filter((region) => typeof region === "string");
  return [...new Set(regions)].toSorted((a, b) => a.localeCompare(b));
}

function isUsable(seed: AnyObject): boolean {
  const status = objectAt(seed, "status");
  const isTrue = (type: string): boolean =>
    objectsAt(status, "conditions").some((condition) => condition["type"] === type && condition["status"] === "True");
  return (
    seed.metadata.deletionTimestamp === undefined &&
    isVisible(seed) &&
    status["lastOperation"] !== undefined &&
    isTrue("GardenletReady") &&
    (!isObject(objectAt(seed, "spec")["backup"]) || isTrue("BackupBucketsReady"))
  );
}

function isVisible(seed: JsonObject): boolean {
  return objectAt(seed, "spec", "settings", "scheduling")["visible"] === true;
}
