import { contains, formatNetwork, maskNetwork, type Network, overlap, parseNetwork, sizeOf } from "./cidr.ts";
import { gardenerErrors } from "./errors.ts";

/** Most zones a node network is cut for. */
export const zoneLimit = 8;

/** The three subnets of one AWS zone. */
export interface ZoneSubnets {
  readonly workers: string;
  readonly public: string;
  readonly internal: string;
}

/**
 * The subnets of one zone of the AWS layout.
 *
 * The node network is eight blocks. Slots 0 to 2 take two blocks each: one for workers, the halves of the next for
 * public and internal. Slots 3 to 7 share the last two blocks: three subnets of an eighth of a block each.
 *
 * @param nodes - CIDR of the nodes, prefix length 16 to 24.
 * @param slot - position of the zone, 0 to 7.
 */
export function zoneSubnets(nodes: string, slot: number, zone: string): ZoneSubnets {
  const network = parseNodes(nodes);
  const block = sizeOf(network.prefix + 3);
  const start = maskNetwork(network, network.prefix + 3).address;
  const small = block / 8;
  const at = slot < 3 ? start + slot * 2 * block : start + 6 * block + (slot - 3) * 3 * small;
  const parts =
    slot < 3
      ? { workers: [0, 3], public: [block, 4], internal: [block * 1.5, 4] }
      : { workers: [0, 6], public: [small, 6], internal: [small * 2, 6] };
  const subnet = (kind: keyof ZoneSubnets): string => {
    const [offset = 0, bits = 0] = parts[kind];
    return checkInside({ address: at + offset, prefix: network.prefix + bits }, network, { kind, zone, nodes });
  };
  return { workers: subnet("workers"), public: subnet("public"), internal: subnet("internal") };
}

/** The one subnet of an Azure zone: the block of that number out of eight. */
export function zoneBlock(nodes: string, slot: number): string {
  const network = parseNodes(nodes);
  const block = sizeOf(network.prefix + 3);
  const start = maskNetwork(network, network.prefix + 3).address;
  return formatNetwork({ address: start + slot * block, prefix: network.prefix + 3 });
}

/**
 * The first slot whose subnets overlap none of those in use.
 *
 * Zones that exist keep their subnets whatever layout they came from, so a free place is looked for rather than counted.
 */
export function freeSlot(
  used: readonly string[],
  subnetsOf: (slot: number) => readonly string[],
  where: { readonly zone: string; readonly nodes: string },
): number {
  const taken = used.flatMap((text) => parseNetwork(text) ?? []);
  for (let slot = 0; slot < zoneLimit; slot += 1) {
    const wanted = subnetsOf(slot).flatMap((text) => parseNetwork(text) ?? []);
    if (!wanted.some((network) => taken.some((other) => overlap(network, other)))) return slot;
  }
  throw gardenerErrors.ZONES_FULL(where);
}

/** Refuses zones that are too few, too many or named twice. */
export function checkZones(zones: readonly string[], minimum: 0 | 1): void {
  checkZoneCount(zones, minimum);
  checkZonesUnique(zones);
}

export function checkZoneCount(zones: readonly string[], minimum: 0 | 1): void {
  if (zones.length >= minimum && zones.length <= zoneLimit) return;
  throw gardenerErrors.ZONE_COUNT({ minimum, found: zones.length });
}

export function checkZonesUnique(zones: readonly string[]): void {
  const twice = zones.find((zone, index) => zones.indexOf(zone) !== index);
  if (twice !== undefined) throw gardenerErrors.ZONE_DUPLICATED({ zone: twice });
}

/** The node network, or an error with the provider's wording. */
export function parseNodes(nodes: string): Network {
  const network = parseNetwork(nodes);
  if (network === undefined) throw gardenerErrors.NODES_NOT_A_CIDR({ nodes });
  return network;
}

function checkInside(
  subnet: Network,
  network: Network,
  where: { readonly kind: string; readonly zone: string; readonly nodes: string },
): string {
  const text = formatNetwork(subnet);
  if (!contains(network, subnet)) throw gardenerErrors.SUBNET_OUTSIDE({ ...where, subnet: text });
  return text;
}
