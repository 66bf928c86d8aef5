import { BlockList, isIP } from "node:net";

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8, "ipv4");
loopback.addSubnet("0.0.0.0", 8, "ipv4");
loopback.addAddress("::1", "ipv6");
loopback.addAddress("::", "ipv6");

// 169.254.169.254 and fd00:ec2::254 are where clouds hand out machine credentials.
const linkLocal = new BlockList();
linkLocal.addSubnet("169.254.0.0", 16, "ipv4");
linkLocal.addSubnet("fe80::", 10, "ipv6");
linkLocal.addAddress("fd00:ec2::254", "ipv6");

function contains(list: BlockList, address: string): boolean {
  const family = isIP(address);
  return family !== 0 && list.check(address, family === 6 ? "ipv6" : "ipv4");
}

/** Host of a URL without the brackets of an IPv6 address and without port. */
export function bareHost(host: string): string {
  const bracketed = /^\[([^\]]+)\]/.exec(host);
  return bracketed?.[1] ?? host.split(":")[0] ?? host;
}

/** True for `localhost` and the addresses of this machine; a port is ignored. */
export function isLoopbackHost(host: string): boolean {
  const bare = bareHost(host).toLowerCase();
  return bare === "localhost" || bare.endsWith(".localhost") || contains(loopback, bare);
}

/** True for an IP address that a remote registry must not send us to. */
export function isGuardedAddress(address: string): boolean {
  return contains(loopback, address) || contains(linkLocal, address);
}

/** True for a host name or address that is refused without asking DNS. */
export function isGuardedHost(host: string): boolean {
  return isLoopbackHost(host) || isGuardedAddress(bareHost(host));
}

/** True for addresses that no redirect may name, even when the registry itself is local. */
export function isLinkLocalHost(host: string): boolean {
  return contains(linkLocal, bareHost(host));
}
