import ipaddr from "ipaddr.js";

/** An IPv4 network: the address as written (host bits allowed) as a number, and the prefix length. */
export interface Network {
  readonly address: number;
  readonly prefix: number;
}

const cidr = /^(\d{1,3}(?:\.\d{1,3}){3})\/(\d{1,2})$/;

/** Reads `10.250.0.0/16`. Undefined for anything but four decimal numbers and a prefix length up to 32. */
export function parseNetwork(text: string): Network | undefined {
  const [, address = "", length = ""] = cidr.exec(text) ?? [];
  const prefix = Number(length);
  if (!ipaddr.IPv4.isValidFourPartDecimal(address) || prefix > 32) return undefined;
  const bytes = ipaddr.IPv4.parse(address).octets;
  // Octets with leading zeros are octal to some parsers and decimal to others.
  if (bytes.join(".") !== address) return undefined;
  return { address: bytes.reduce((sum, byte) => sum * 256 + byte, 0), prefix };
}

export function formatNetwork({ address, prefix }: Network): string {
  const bytes = [24, 16, 8, 0].map((shift) => Math.floor(address / 2 ** shift) % 256);
  return `${bytes.join(".")}/${prefix}`;
}

/** Number of addresses. */
export function sizeOf(prefix: number): number {
  return 2 ** (32 - prefix);
}

/** The network without its host bits, cut at `prefix` (default: its own). */
export function maskNetwork(network: Network, prefix: number = network.prefix): Network {
  const size = sizeOf(prefix);
  return { address: Math.floor(network.address / size) * size, prefix };
}

/** True when every address of `inner` lies in `outer`; host bits of both are ignored. */
export function contains(outer: Network, inner: Network): boolean {
  const whole = maskNetwork(outer);
  const part = maskNetwork(inner);
  const start = part.address - whole.address;
  return start >= 0 && start + sizeOf(part.prefix) <= sizeOf(whole.prefix);
}

/** True when the networks share an address. */
export function overlap(a: Network, b: Network): boolean {
  return contains(a, b) || contains(b, a);
}
