import { builtIn, createClient, createHttpTransport, loadKubeconfig, systemClock } from "@kyma-operators/kube";
import {
  type Context,
  createLogger,
  createManager,
  healthPages,
  jsonEqual,
  type ManagerContext,
  metricsPages,
  type Outcome,
  serveOperations,
} from "@kyma-operators/runtime";

const { namespaces, configMaps } = builtIn;
const lease = { name: "about.example.com", namespace: "default" };

export function addAboutController(context: ManagerContext): void {
  const all = context.informer(namespaces, { labelSelector: "about" });
  const ours = context.informer(configMaps, { labelSelector: "managed-by=about" });

  async function reconcile(key: { name: string }, { signal, log }: Context): Promise<Outcome> {
    const namespace = all.store.get({ namespace: "", name: key.name });
    if (namespace === undefined || namespace.metadata.deletionTimestamp !== undefined) return { kind: "done" };
    const name = `${key.name}-about`;
    const data = { about: namespace.metadata.labels?.["about"] ?? "" };
    const present = ours.store.get({ namespace: key.name, name });
    if (jsonEqual(present?.["data"], data)) return { kind: "done" };
    const metadata = { name, namespace: key.name, labels: { "managed-by": "about" } };
    const wanted = { apiVersion: "v1", kind: "ConfigMap", metadata, data };
    await context.client.apply(configMaps, wanted, { fieldManager: "about", force: true, signal });
    context.events.event(namespace, { type: "Normal", reason: "Described", note: `wrote ConfigMap ${name}` });
    log.info({ configMap: name }, "the namespace is described");
    return { kind: "done" };
  }

  const toNamespace = ({ namespace = "" }: { namespace?: string }) => [{ namespace: "", name: namespace }];
  context.addController({
    name: "about",
    watches: [{ informer: all }, { informer: ours, map: ({ object }) => toNamespace(object.metadata) }],
    reconcile,
  });
}

export async function main(identity: string, signal: AbortSignal): Promise<void> {
  const access = await loadKubeconfig({ clock: systemClock });
  const client = createClient({ transport: createHttpTransport(access), clock: systemClock });
  const manager = createManager({ client, clock: systemClock, identity, leases: [lease], log: createLogger() });
  addAboutController(manager.context(lease.name));
  const pages = { ...metricsPages(manager.metrics), ...healthPages(manager) };
  const server = await serveOperations(":8080", pages);
  try {
    await manager.run(signal);
  } finally {
    await server.close();
  }
}
