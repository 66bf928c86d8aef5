import type { JsonObject } from "../json.ts";

/** The two provider-specific blocks of a Shoot. */
export interface ProviderConfigs {
  readonly infrastructureConfig: JsonObject;
  readonly controlPlaneConfig: JsonObject;
}

/** How one infrastructure provider lays out its network. All functions are pure and throw `GARDENER_…` errors. */
export interface Provider {
  /**
   * The blocks of a new Shoot.
   *
   * @param nodes - CIDR of the nodes.
   * @param zones - zones of all pools in order of first appearance.
   */
  create(nodes: string, zones: readonly string[]): ProviderConfigs;
  /**
   * The blocks of an existing Shoot after pools appear in zones that no pool used before.
   *
   * Zones that exist stay verbatim and in place, because the provider extensions refuse removed zones and zones changed
   * by position. Settings that identify the network or cost addresses are kept; every other foreign setting goes back
   * to the default, as it always did at this point.
   *
   * @param zones - zones of the Shoot's pools, then the new ones.
   */
  extend(existing: ProviderConfigs, nodes: string, zones: readonly string[]): ProviderConfigs;
}

/** `apiVersion` and `kind` of a block. */
export function typeMeta(provider: string, kind: string): { readonly apiVersion: string; readonly kind: string } {
  return { apiVersion: `${provider}.provider.extensions.gardener.cloud/v1alpha1`, kind };
}

/** The fields of that name that are there. */
export function kept(object: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(names.filter((name) => object[name] !== undefined).map((name) => [name, object[name]]));
}
