import ipaddr from "ipaddr.js";
import { isIpv4 } from "../../formats.ts";
import { fail, OpaqueValue } from "../values.ts";
import { declare } from "./registry.ts";

type Address = ipaddr.IPv4 | ipaddr.IPv6;

class Ip extends OpaqueValue {
  readonly typeName = "net.IP";
  readonly address: Address;

  constructor(address: Address) {
    super();
    this.address = address;
  }

  toString(): string {
    return formatAddress(this.address);
  }
}

class Cidr extends OpaqueValue {
  readonly typeName = "net.CIDR";
  readonly address: Address;
  readonly bits: number;

  constructor(address: Address, bits: number) {
    super();
    this.address = address;
    this.bits = bits;
  }

  toString(): string {
    return `${formatAddress(this.address)}/${this.bits}`;
  }
}

function formatAddress(address: Address): string {
  return address instanceof ipaddr.IPv6 ? address.toRFC5952String() : address.toString();
}

/** A text that is an address as Go reads it: no leading zeros, no zone, no IPv4 dressed as IPv6. */
function parseAddress(text: string): Address | string {
  if (isIpv4(text)) return ipaddr.IPv4.parse(text);
  if (!text.includes(":")) return `ParseAddr(${JSON.stringify(text)}): unable to parse IP`;
  if (text.includes("%")) return `IP address ${JSON.stringify(text)} with zone value is not allowed`;
  if (!ipaddr.IPv6.isValid(text)) return `ParseAddr(${JSON.stringify(text)}): unable to parse IP`;
  const address = ipaddr.IPv6.parse(text);
  if (address.isIPv4MappedAddress()) return `IPv4-mapped IPv6 address ${JSON.stringify(text)} is not allowed`;
  return address;
}

function parseIp(text: string): Ip {
  const parsed = parseAddress(text);
  if (typeof parsed !== "string") return new Ip(parsed);
  const prefix = `IP Address ${JSON.stringify(text)} parse error during conversion from string: `;
  return fail(parsed.startsWith("ParseAddr") ? prefix + parsed : parsed);
}

function readCidr(text: string): Cidr | string {
  const [address = "", bits = "", ...rest] = text.split("/");
  const parsed = parseAddress(address);
  const problem = `netip.ParsePrefix(${JSON.stringify(text)}): `;
  if (!text.includes("/")) return `${problem}no '/'`;
  if (typeof parsed === "string") return problem + parsed;
  const limit = parsed.kind() === "ipv4" ? 32 : 128;
  if (rest.length > 0 || !/^(0|[1-9]\d{0,2})$/.test(bits) || Number(bits) > limit) {
    return `${problem}bad bits after slash: ${JSON.stringify(bits)}`;
  }
  return new Cidr(parsed, Number(bits));
}

function parseCidr(text: string): Cidr {
  const parsed = readCidr(text);
  return typeof parsed === "string"
    ? fail(`network address parse error during conversion from string: ${parsed}`)
    : parsed;
}

function inCidr({ address, bits }: Cidr, other: Address): boolean {
  if (address instanceof ipaddr.IPv4) return other instanceof ipaddr.IPv4 && other.match(address, bits);
  return other instanceof ipaddr.IPv6 && other.match(address, bits);
}

function masked({ address, bits }: Cidr): Cidr {
  const octets = address.toByteArray().map((octet, at) => {
    const kept = Math.min(8, Math.max(0, bits - at * 8));
    return octet & (0xff << (8 - kept)) & 0xff;
  });
  return new Cidr(ipaddr.fromByteArray(octets), bits);
}

const rangeOf = ({ address }: Ip): string => address.range();

function isGlobalUnicast(ip: Ip): boolean {
  const excluded = ["unspecified", "loopback", "multicast", "linkLocal", "broadcast"];
  return !excluded.includes(rangeOf(ip));
}

function isLinkLocalMulticast({ address }: Ip): boolean {
  const [first = 0, second = 0, third = 0] = address.toByteArray();
  if (address.kind() === "ipv4") return first === 224 && second === 0 && third === 0;
  return first === 0xff && (second & 0x0f) === 2;
}

const familyOf = ({ address }: Ip): bigint => (address.kind() === "ipv4" ? 4n : 6n);

export const network = declare({
  "ip(string): IP": parseIp,
  "isIP(string): bool": (text: string) => typeof parseAddress(text) !== "string",
  "ip.isCanonical(string): bool": (text: string) => parseIp(text).toString() === text,
  "IP.family(): int": familyOf,
  "IP.isUnspecified(): bool": (ip: Ip) => rangeOf(ip) === "unspecified",
  "IP.isLoopback(): bool": (ip: Ip) => rangeOf(ip) === "loopback",
  "IP.isLinkLocalMulticast(): bool": isLinkLocalMulticast,
  "IP.isLinkLocalUnicast(): bool": (ip: Ip) => rangeOf(ip) === "linkLocal",
  "IP.isGlobalUnicast(): bool": isGlobalUnicast,
  "cidr(string): CIDR": parseCidr,
  "isCIDR(string): bool": (text: string) => typeof readCidr(text) !== "string",
  "CIDR.containsIP(string): bool": (cidr: Cidr, text: string) => inCidr(cidr, parseIp(text).address),
  "CIDR.containsIP(IP): bool": (cidr: Cidr, ip: Ip) => inCidr(cidr, ip.address),
  "CIDR.containsCIDR(string): bool": (cidr: Cidr, text: string) => holds(cidr, parseCidr(text)),
  "CIDR.containsCIDR(CIDR): bool": (cidr: Cidr, other: Cidr) => holds(cidr, other),
  "CIDR.ip(): IP": ({ address }: Cidr) => new Ip(address),
  "CIDR.masked(): CIDR": masked,
  "CIDR.prefixLength(): int": ({ bits }: Cidr) => BigInt(bits),
});

function holds(outer: Cidr, inner: Cidr): boolean {
  return inner.bits >= outer.bits && inCidr(outer, inner.address);
}
