import { narrowSubnets, providerFor, type Shoot, type ShootProvider, type ShootWorker } from "@kyma-operators/gardener";
import type { Runtime } from "../../../apis/infrastructure/index.ts";
import type { LandscapeConfig } from "./config.ts";
import { conversionErrors } from "./errors.ts";
import { inShootOrder, patchedWorker, poolsOf, workerFor, zonesOf } from "./workers.ts";

/** `spec.provider` of a new Shoot. */
export function createProvider(runtime: Runtime, config: LandscapeConfig): ShootProvider {
  const { type } = runtime.spec.shoot.provider;
  const pools = poolsOf(runtime);
  const configs = providerFor(type).create(runtime.spec.shoot.networking.nodes, zonesOf(pools));
  return { type, ...configs, ...nodesOf(pools.map((pool) => workerFor(pool, type, config))) };
}

/** `spec.provider` of an existing Shoot: the provider blocks change only where a pool needs a new zone. */
export function patchProvider(runtime: Runtime, config: LandscapeConfig, shoot: Shoot): ShootProvider {
  const { type } = runtime.spec.shoot.provider;
  const { infrastructureConfig, controlPlaneConfig = {}, workers = [] } = shoot.spec.provider;
  const name = shoot.metadata.name ?? "";
  const found = shoot.spec.provider.type;
  if (found !== type) throw conversionErrors.PROVIDER_CHANGED({ shoot: name, found, wanted: type });
  if (infrastructureConfig === undefined) throw conversionErrors.NO_INFRASTRUCTURE({ shoot: name });
  if (workers.length === 0) throw conversionErrors.NO_SHOOT_WORKERS({ shoot: name });

  const pools = inShootOrder(poolsOf(runtime), shoot);
  const known = zonesOf(workers);
  const zones = [...new Set([...known, ...zonesOf(pools)])];
  const existing = { infrastructureConfig, controlPlaneConfig };
  const nodes = runtime.spec.shoot.networking.nodes;
  const configs = zones.length === known.length ? existing : providerFor(type).extend(existing, nodes, zones);
  return { type, ...configs, ...nodesOf(pools.map((pool) => patchedWorker(workerFor(pool, type, config), shoot))) };
}

/** What to add to a message about a Shoot whose subnets its provider will not make; empty for all others. */
export function subnetWarning({ spec }: Shoot): string {
  const { type, infrastructureConfig = {} } = spec.provider;
  const narrow = type === "aws" ? narrowSubnets(infrastructureConfig) : [];
  if (narrow.length === 0) return "";
  return `; AWS makes no subnet smaller than /28, found ${narrow.join(", ")}: spec.shoot.networking.nodes is too small for so many zones`;
}

function nodesOf(workers: readonly ShootWorker[]): Pick<ShootProvider, "workers" | "workersSettings"> {
  return { workers, workersSettings: { sshAccess: { enabled: false } } };
}
