import { apiVersion } from "../../../apis/operator/group.ts";
import { type Watcher, watcherManager } from "../../../apis/operator/watcher.ts";
import { watcherErrors } from "../errors.ts";
import type { Gateway, VirtualService } from "./istio.ts";

/**
 * The route from the gateways to the Service that receives a Watcher's events. Throws `WATCHER_INVALID` in the words
 * of the original.
 */
export function buildVirtualService(watcher: Watcher | null, gateways: readonly Gateway[]): VirtualService {
  if (watcher === null) throw refused("watcher must not be nil");
  const { name = "", namespace = "", uid = "" } = watcher.metadata;
  if (name === "") throw refused("watcher.Name must not be empty");
  if (namespace === "") throw refused("watcher.Namespace must not be empty");
  if (gateways.length === 0) throw refused("gateways must not be empty");
  return {
    apiVersion: "networking.istio.io/v1",
    kind: "VirtualService",
    metadata: { name, namespace, ownerReferences: [{ apiVersion, kind: "Watcher", name, uid }] },
    spec: { gateways: gateways.map(keyOf), hosts: gateways.flatMap(hostsOf), http: [routeOf(watcher)] },
  };
}

function keyOf({ metadata }: Gateway): string {
  return `${metadata.namespace ?? ""}/${metadata.name ?? ""}`;
}

/** Hosts of all servers in their order; repeated ones stay. */
function hostsOf(gateway: Gateway): readonly string[] {
  const servers = gateway.spec?.servers ?? [];
  if (servers.length > 0 && servers.every(({ hosts = [] }) => hosts.length > 0)) {
    return servers.flatMap(({ hosts = [] }) => hosts);
  }
  const where = `for gateway ${keyOf(gateway)}: can't find Istio Gateway servers hosts`;
  throw watcherErrors.INVALID({ problem: `unable to construct hosts from gateways: invalid argument\n${where}` });
}

function routeOf(watcher: Watcher): object {
  const manager = watcherManager(watcher);
  const { name, namespace, port } = watcher.spec.serviceInfo;
  if (manager === "") throw refusedRoute("unable to GetManagerName()");
  if (name === "") throw refusedRoute("watcher.Spec.ServiceInfo.Name must not be empty");
  if (namespace === "") throw refusedRoute("watcher.Spec.ServiceInfo.Namespace must not be empty");
  if (port === 0) throw refusedRoute("watcher.Spec.ServiceInfo.Port must not be 0 as it is reserved");
  if (port < 1 || port > 65_535) throw refusedRoute("watcher.Spec.ServiceInfo.Port must be between 1 and 65535");
  return {
    name: `${watcher.metadata.namespace ?? ""}/${watcher.metadata.name ?? ""}`,
    match: [{ uri: { prefix: `/v2/${manager}/event` } }],
    route: [{ destination: { host: `${name}.${namespace}.svc.cluster.local`, port: { number: port } } }],
  };
}

function refused(problem: string): Error {
  return watcherErrors.INVALID({ problem: `${problem}: invalid argument` });
}

function refusedRoute(problem: string): Error {
  return watcherErrors.INVALID({
    problem: `unable to construct httpRoute from watcher: invalid argument\n${problem}: invalid argument`,
  });
}
