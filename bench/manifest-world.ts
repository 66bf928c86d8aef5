import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { type AnyObject, type Client, type Clock, systemClock } from "@kyma-operators/kube";
import { createManager, type Manager } from "@kyma-operators/runtime";
import { formatYamlDocuments, parseYaml } from "@kyma-operators/yaml";
import type { RegistryClientOptions } from "oras-js";
import { manifests } from "../apis/operator/group.ts";
import type { Manifest } from "../apis/operator/manifest.ts";
import { addManifestController, type ManifestController, type ManifestOptions } from "../controllers/manifest/index.ts";
import {
  accessSecret,
  kymaObject,
  type MemoryDirectory,
  memoryDirectory,
  startCluster,
  type TestCluster,
} from "../testing/index.ts";

const namespace = "kcp-system";
const api = "operator.kyma-project.io/v1beta2";

export interface FleetOptions {
  readonly clock?: Clock;
  readonly settings?: Partial<ManifestOptions>;
  /** Wraps the client of a Kyma's cluster, to play faults. */
  readonly clientOf?: (kyma: string, client: Client) => Client;
  readonly transport?: RegistryClientOptions["transport"];
}

/** A control plane with many Kymas whose remote clusters are one API server, and the Manifest controller. */
export interface Fleet {
  readonly kcp: TestCluster;
  readonly skr: TestCluster;
  readonly content: MemoryDirectory;
  readonly manager: Manager;
  readonly controller: ManifestController;
  /** Creates Kymas with their access Secrets; each mentions these Manifests. */
  addKymas(manifestsByKyma: ReadonlyMap<string, readonly string[]>): Promise<void>;
  addManifest(name: string, kyma: string, ref: string): Promise<void>;
  /** The Manifests as a watch shows them, so that looking at them costs next to nothing. */
  list(): readonly Manifest[];
  /** Number of Manifests in a state. */
  count(state: string): number;
  start(): void;
  stop(): Promise<void>;
}

export async function startFleet(options: FleetOptions = {}): Promise<Fleet> {
  const { clock = systemClock } = options;
  const [kcp, skr] = await Promise.all([startCluster({ clock }), startCluster({ clock })]);
  await kcp.apply(namespaceObject(namespace), ...(await ourCrds()));
  await skr.apply(namespaceObject("kyma-system"));
  const lease = { name: "bench", namespace, enabled: false };
  const manager = createManager({ client: kcp.clientFor("operator"), clock, identity: "bench", leases: [lease] });
  const watched = manager.context(lease.name).informer<Manifest>(manifests);
  const content = memoryDirectory();
  const clients = new Map<string, Client>();
  const controller = addManifestController(manager.context(lease.name), {
    namespace,
    content,
    clusters: {
      open: (key, _revision, kubeconfig) => {
        const known = clients.get(key);
        if (known !== undefined) return known;
        const client = skr.clientFor("operator");
        const made = options.clientOf?.(kubeconfig(), client) ?? client;
        clients.set(key, made);
        return made;
      },
      evict: (key) => void clients.delete(key),
    },
    settings: { concurrency: 32, ...options.settings },
    ...(options.transport === undefined ? {} : { registry: { transport: options.transport } }),
  });
  const stopped = new AbortController();
  let running = Promise.resolve();
  return {
    kcp,
    skr,
    content,
    manager,
    controller,
    addKymas: (manifests) => addKymas(kcp, manifests),
    addManifest: async (name, kyma, ref) => void (await kcp.apply(manifest(name, kyma, ref))),
    list: () => watched.store.list(),
    count: (state) => watched.store.list().filter(({ status }) => status?.state === state).length,
    start: () => {
      running = manager.run(stopped.signal);
    },
    stop: async () => {
      stopped.abort(new Error("the benchmark is over"));
      await running;
      await Promise.all([kcp.stop(), skr.stop()]);
    },
  };
}

async function addKymas(kcp: TestCluster, manifests: ReadonlyMap<string, readonly string[]>): Promise<void> {
  const resource = await kcp.resource(api, "Kyma");
  for (const [name, mentioned] of manifests) {
    await kcp.apply(accessSecret(name, name), kymaObject(name, { channel: "regular" }));
    const modules = mentioned.map((entry) => ({
      name: entry,
      state: "Ready",
      manifest: { metadata: { name: entry, namespace } },
    }));
    const status = { state: "Ready", modules };
    await kcp.client.mergePatch({ resource, namespace, name }, { status }, { subresource: "status" });
  }
}

function manifest(name: string, kyma: string, ref: string): AnyObject {
  const labels = { "operator.kyma-project.io/kyma-name": kyma, "operator.kyma-project.io/module-name": name };
  const source = { type: "oci-ref", repo: "registry.example.org", name: "example.org/module/m", ref };
  return {
    apiVersion: api,
    kind: "Manifest",
    metadata: { name, namespace, labels },
    spec: { remote: false, install: { name: "raw-manifest", source } },
  };
}

/** {@link moduleObjects} as a layer. */
export function smallModule(name: string, version = "1"): string {
  return formatYamlDocuments(moduleObjects(name, version));
}

/** Deployment, ServiceAccount, Service and Ingress of one module. */
export function moduleObjects(name: string, version: string): AnyObject[] {
  const metadata = { name, namespace: "kyma-system" };
  const labels = { app: name };
  const backend = { service: { name, port: { number: 80 } } };
  return [
    { apiVersion: "v1", kind: "ServiceAccount", metadata },
    { apiVersion: "v1", kind: "Service", metadata, spec: { selector: labels, ports: [{ port: 80 }] } },
    {
      apiVersion: "networking.k8s.io/v1",
      kind: "Ingress",
      metadata,
      spec: { rules: [{ host: `${name}.example.org`, http: { paths: [{ path: "/", pathType: "Prefix", backend }] } }] },
    },
    {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata,
      spec: {
        replicas: 1,
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: { serviceAccountName: name, containers: [{ name: "m", image: `example.org/m:${version}` }] },
        },
      },
    },
  ];
}

function namespaceObject(name: string): AnyObject {
  return { apiVersion: "v1", kind: "Namespace", metadata: { name } };
}

async function ourCrds(): Promise<AnyObject[]> {
  const folder = join(import.meta.dirname, "../crds");
  const files = (await readdir(folder)).filter((file) => file.startsWith("operator."));
  return Promise.all(files.map(async (file) => parseYaml(await readFile(join(folder, file), "utf8")) as AnyObject));
}
