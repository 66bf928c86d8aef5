import { type Client, type Clock, createClient, type TransportRequest, transportFrom } from "@kyma-operators/kube";
import type { TestCluster } from "../testing/index.ts";

/** The namespace that every module installs into. */
const shared = "kyma-system";
const namespacedLists =
  /^(\/api\/v1|\/apis\/[^/]+\/[^/]+)\/(serviceaccounts|services|ingresses|deployments|configmaps|pods)(?=\?|$)/;

/**
 * Clients that each see a cluster of their own, although all are served by one API server: what a tenant does in
 * `kyma-system` happens in a namespace of its name, and its lists show nothing else. Thousands of real API servers would
 * not fit into one machine.
 */
export function tenantClient(cluster: TestCluster, tenant: string, clock: Clock): Client {
  const transport = transportFrom(async (request) => {
    const response = await cluster.server.transport(intoTenant(request, tenant));
    return { ...response, body: outOfTenant(response.body, tenant) };
  });
  return createClient({ transport, clock, userAgent: "operator" });
}

function intoTenant(request: TransportRequest, tenant: string): TransportRequest {
  const path = request.path
    .replace(`/namespaces/${shared}`, `/namespaces/${tenant}`)
    .replace(namespacedLists, `$1/namespaces/${tenant}/$2`);
  const { body } = request;
  if (body === undefined) return { ...request, path };
  const text = typeof body === "string" ? body : Buffer.from(body).toString("utf8");
  return { ...request, path, body: text.replaceAll(`"namespace":"${shared}"`, `"namespace":"${tenant}"`) };
}

async function* outOfTenant(body: AsyncIterable<Uint8Array>, tenant: string): AsyncGenerator<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString("utf8");
  yield Buffer.from(text.replaceAll(`"namespace":"${tenant}"`, `"namespace":"${shared}"`));
}
