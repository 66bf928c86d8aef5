import type { Shoot } from "@kyma-operators/gardener";
import { type GardenerCluster, labels, type Runtime, shootMarks } from "../../apis/infrastructure/index.ts";

/**
 * True for a Shoot that another Runtime has: it may be neither changed nor deleted.
 *
 * A Shoot that names no Runtime is free to be taken over. A Runtime that has lost its id still has its Shoot, unless
 * another one shows the id that the Shoot carries.
 *
 * @param namesakes - all Runtimes that name this Shoot.
 */
export function isForeign(runtime: Runtime, shoot: Shoot, namesakes: readonly Runtime[]): boolean {
  const owner = shoot.metadata.annotations?.[shootMarks.runtimeId];
  const own = idOf(runtime);
  if (owner === undefined || owner === own) return false;
  return Boolean(own) || namesakes.some((other) => idOf(other) === owner);
}

/** True for a GardenerCluster of another Shoot: two Runtimes carry the same id. */
export function isOfOtherShoot({ spec }: GardenerCluster, runtime: Runtime): boolean {
  return spec.shoot.name !== runtime.spec.shoot.name;
}

function idOf({ metadata }: Runtime): string | undefined {
  return metadata.labels?.[labels.runtimeId];
}
