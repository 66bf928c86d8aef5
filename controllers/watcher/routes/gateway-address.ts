import { watcherErrors } from "../errors.ts";
import type { Gateway } from "./istio.ts";

/** Where agents send their events. */
export interface KcpAddress {
  readonly host: string;
  readonly port: number;
}

/**
 * The address of a gateway, which must have one server with one host. `portOverwrite` replaces its port; empty means
 * none. Throws `WATCHER_ADDRESS`.
 */
export function gatewayAddress({ spec }: Gateway, portOverwrite: string): KcpAddress {
  const [server, ...otherServers] = spec?.servers ?? [];
  const [host, ...otherHosts] = server?.hosts ?? [];
  if (host === undefined || otherServers.length + otherHosts.length > 0) {
    throw refused("gateway should have configured exactly one server and one host");
  }
  if (host.trim() === "") throw refused("the gateway has no host specified");
  return { host, port: checkedPort(portOverwrite === "" ? portOf(server) : parsedPort(portOverwrite)) };
}

type Server = NonNullable<NonNullable<Gateway["spec"]>["servers"]>[number];

function portOf(server: Server | undefined): number {
  return server?.port?.number ?? 0;
}

function parsedPort(text: string): number {
  if (/^[+-]?\d{1,18}$/.test(text)) return Number(text);
  const cause = `strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`;
  throw refused(`invalid gateway port specified ${text}, must be a number (${cause})`);
}

function checkedPort(port: number): number {
  if (port >= 1 && port <= 65_535) return port;
  throw refused(`gateway port is ${port}, must be between 1 and 65535`);
}

function refused(problem: string): Error {
  return watcherErrors.ADDRESS({ problem });
}
