import { gardenerErrors } from "../errors.ts";
import { type JsonObject, objectAt, objectsAt } from "../json.ts";
import { checkZoneCount, checkZonesUnique, freeSlot, parseNodes, zoneBlock } from "../subnets.ts";
import { kept, type Provider, type ProviderConfigs, typeMeta } from "./provider.ts";

const keptNetworks = ["vnet", "serviceEndpoints", "natGateway", "workers"];

function zoneNumber(zone: string): number {
  if (!/^[+-]?\d+$/.test(zone)) throw gardenerErrors.ZONE_NAME_NOT_A_NUMBER({ zone });
  const number = Number(zone);
  if (number < 1 || number > 8) throw gardenerErrors.ZONE_NAME_OUT_OF_RANGE({ zone });
  return number;
}

function checkPrefix(nodes: string): void {
  const { prefix } = parseNodes(nodes);
  if (prefix > 24) throw gardenerErrors.NODES_PREFIX({ nodes, expected: "less than or equal to 24" });
  if (prefix < 16) throw gardenerErrors.NODES_PREFIX({ nodes, expected: "bigger than or equal to 16" });
}

function zone(name: number, nodes: string, slot: number): JsonObject {
  return { name, cidr: zoneBlock(nodes, slot), natGateway: { enabled: true, idleConnectionTimeoutMinutes: 4 } };
}

function configs(networks: JsonObject, zones: readonly JsonObject[], rest: JsonObject = {}): ProviderConfigs {
  return {
    infrastructureConfig: {
      ...typeMeta("azure", "InfrastructureConfig"),
      networks: { ...networks, ...(zones.length > 0 ? { zones } : {}) },
      zoned: zones.length > 0,
      ...rest,
    },
    controlPlaneConfig: typeMeta("azure", "ControlPlaneConfig"),
  };
}

function checkAll(names: readonly string[], nodes: string): readonly number[] {
  checkZoneCount(names, 0);
  const numbers = names.map(zoneNumber);
  checkZonesUnique(numbers.map(String));
  checkPrefix(nodes);
  return numbers;
}

export const azure: Provider = {
  create: (nodes, names) => {
    const zones = checkAll(names, nodes).map((number, slot) => zone(number, nodes, slot));
    return configs({ vnet: { cidr: nodes } }, zones);
  },
  extend: (existing, nodes, names) => {
    const networks = objectAt(existing.infrastructureConfig, "networks");
    const zones = [...objectsAt(networks, "zones")];
    // Clusters of the old lite plan have no zones and can't get any; their pools name zones all the same.
    if (zones.length === 0) return existing;
    const known = zones.map((each) => String(each["name"]));
    const added = names.filter((name) => !known.includes(name));
    for (const number of checkAll([...known, ...added], nodes).slice(known.length)) {
      const used = zones.map((each) => String(each["cidr"]));
      const slot = freeSlot(used, (each) => [zoneBlock(nodes, each)], { zone: String(number), nodes });
      zones.push(zone(number, nodes, slot));
    }
    return configs(kept(networks, keptNetworks), zones, kept(existing.infrastructureConfig, ["resourceGroup"]));
  },
};
