import { gardenerErrors } from "../errors.ts";
import { type JsonObject, objectAt, objectsAt } from "../json.ts";
import { checkZones, freeSlot, parseNodes, zoneSubnets } from "../subnets.ts";
import { kept, type Provider, type ProviderConfigs, typeMeta } from "./provider.ts";

interface Layout {
  readonly provider: "aws" | "alicloud";
  /** Subnets that a zone has, out of workers, public and internal. */
  readonly zone: (name: string, nodes: string, slot: number) => JsonObject;
}

const keptFields = ["ignoreTags", "enableECRAccess", "dualStack"];
/** AWS makes no smaller subnet. */
const narrowestPrefix = 28;
const subnetKeys = ["workers", "public", "internal"];

function subnetsOf(zone: JsonObject): readonly string[] {
  return subnetKeys.flatMap((key) => (typeof zone[key] === "string" ? [zone[key]] : []));
}

/** Subnets in an infrastructureConfig that are smaller than AWS makes them, in their order. */
export function narrowSubnets(infrastructureConfig: JsonObject): readonly string[] {
  const subnets = objectsAt(objectAt(infrastructureConfig, "networks"), "zones").flatMap(subnetsOf);
  return subnets.filter((cidr) => Number(cidr.split("/")[1]) > narrowestPrefix);
}

function checkPrefix(nodes: string): void {
  const { prefix } = parseNodes(nodes);
  if (prefix < 16 || prefix > 24) throw gardenerErrors.NODES_PREFIX({ nodes, expected: "between 16 and 24" });
}

/** Existing zones verbatim, then each unknown one in the next free place. */
function extendZones(existing: readonly JsonObject[], nodes: string, names: readonly string[], zone: Layout["zone"]) {
  const zones = [...existing];
  const known = existing.map((each) => String(each["name"]));
  checkZones(known, 1);
  for (const name of names.filter((each) => !known.includes(each))) {
    const used = zones.flatMap(subnetsOf);
    const slot = freeSlot(used, (each) => subnetsOf(zone(name, nodes, each)), { zone: name, nodes });
    zones.push(zone(name, nodes, slot));
  }
  return zones;
}

/** AWS and Alibaba Cloud cut the node network alike; they differ in the subnets a zone has. */
function zonedProvider({ provider, zone }: Layout): Provider {
  const infrastructure = (networks: JsonObject, rest: JsonObject = {}): ProviderConfigs => ({
    infrastructureConfig: { ...typeMeta(provider, "InfrastructureConfig"), networks, ...rest },
    controlPlaneConfig: typeMeta(provider, "ControlPlaneConfig"),
  });
  return {
    create: (nodes, zones) => {
      checkZones(zones, 1);
      checkPrefix(nodes);
      return infrastructure({ vpc: { cidr: nodes }, zones: zones.map((name, slot) => zone(name, nodes, slot)) });
    },
    extend: ({ infrastructureConfig }, nodes, names) => {
      checkPrefix(nodes);
      const networks = objectAt(infrastructureConfig, "networks");
      const zones = extendZones(objectsAt(networks, "zones"), nodes, names, zone);
      // An existing VPC has an id and must not get a cidr beside it.
      return infrastructure({ vpc: networks["vpc"], zones }, kept(infrastructureConfig, keptFields));
    },
  };
}

export const aws = zonedProvider({
  provider: "aws",
  zone: (name, nodes, slot) => ({ name, ...zoneSubnets(nodes, slot, name) }),
});

export const alicloud = zonedProvider({
  provider: "alicloud",
  zone: (name, nodes, slot) => ({ name, workers: zoneSubnets(nodes, slot, name).workers }),
});
