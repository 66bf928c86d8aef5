import { type JsonObject, objectsAt, type Shoot, seedRegionLabel } from "@kyma-operators/gardener";
import type { AnyObject } from "@kyma-operators/kube";
import { entriesAt, listAt, textAt, valueAt } from "./validation/json.ts";

/** Where a Shoot goes, or why nowhere. */
export type Placement = { readonly seedName: string } | { readonly problem: string };

interface Filter {
  /** Said when no Seed is left, with their number before the filter. */
  readonly problem: (count: number, shoot: Shoot) => string;
  readonly passes: (seed: AnyObject, shoot: Shoot) => boolean;
}

/** In the order in which Gardener's scheduler narrows the Seeds down. */
const filters: readonly Filter[] = [
  {
    problem: (count) => `none of the ${count} seeds is valid for scheduling (not deleting, visible and ready)`,
    passes: isUsable,
  },
  {
    problem: (count) => `none out of the ${count} seeds has the matching labels required by seed selector of 'Shoot'`,
    passes: (seed, { spec }) =>
      Object.entries(spec.seedSelector?.matchLabels ?? {}).every(
        ([key, value]) => seed.metadata.labels?.[key] === value,
      ),
  },
  {
    problem: (count, { spec }) => `none out of the ${count} seeds has a matching provider for "${spec.provider.type}"`,
    passes: (seed, { spec }) => textAt(seed, "spec", "provider", "type") === spec.provider.type,
  },
  {
    problem: (count) =>
      `none of the ${count} seeds has at least 3 zones for hosting a shoot control plane with failure tolerance type 'zone'`,
    passes: (seed, { spec }) =>
      textAt(spec, "controlPlane", "highAvailability", "failureTolerance", "type") !== "zone" ||
      listAt(seed, "spec", "provider", "zones").length >= 3,
  },
  {
    problem: (count) =>
      `none of the ${count} seeds supports the access restrictions configured in the shoot specification`,
    passes: (seed, { spec }) => {
      const offered = objectsAt((valueAt(seed, "spec") ?? {}) as JsonObject, "accessRestrictions");
      return (spec.accessRestrictions ?? []).every(({ name }) => offered.some((entry) => entry["name"] === name));
    },
  },
  {
    problem: (count) =>
      `0/${count} seed cluster candidate(s) are eligible for scheduling: shoot does not tolerate the seed's taints`,
    passes: (seed, { spec }) => {
      const tolerated = new Set((spec.tolerations ?? []).map(({ key }) => key));
      return entriesAt(seed, "spec", "taints").every(([, taint]) => tolerated.has(textAt(taint, "key")));
    },
  },
];

function isUsable(seed: AnyObject): boolean {
  const isTrue = (type: string): boolean =>
    entriesAt(seed, "status", "conditions").some(([, { type: own, status }]) => own === type && status === "True");
  return (
    seed.metadata.deletionTimestamp === undefined &&
    valueAt(seed, "spec", "settings", "scheduling", "visible") === true &&
    valueAt(seed, "status", "lastOperation") !== undefined &&
    isTrue("GardenletReady") &&
    (valueAt(seed, "spec", "backup") === undefined || isTrue("BackupBucketsReady"))
  );
}

/** Chooses a Seed: one in the region of the Shoot if there is any, otherwise the first by name. */
export function placeShoot(shoot: Shoot, seeds: readonly AnyObject[]): Placement {
  let candidates = seeds.toSorted((a, b) => (a.metadata.name ?? "").localeCompare(b.metadata.name ?? ""));
  for (const { passes, problem } of filters) {
    const left = candidates.filter((seed) => passes(seed, shoot));
    if (left.length === 0) return { problem: `Failed to schedule Shoot: ${problem(candidates.length, shoot)}` };
    candidates = left;
  }
  const near = candidates.find((seed) => seed.metadata.labels?.[seedRegionLabel] === shoot.spec.region);
  return { seedName: (near ?? candidates[0])?.metadata.name ?? "" };
}
