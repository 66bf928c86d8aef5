import { setImmediate } from "node:timers/promises";
import {
  type AnyObject,
  type Client,
  createClient,
  type KubeObject,
  type Resource,
  transportFrom,
} from "@kyma-operators/kube";
import { createManager, createMetrics, type MetricsExport } from "@kyma-operators/runtime";
import { kymas as kymaKind, manifests as manifestKind } from "../apis/operator/group.ts";
import type { Kyma } from "../apis/operator/kyma.ts";
import type { Manifest } from "../apis/operator/manifest.ts";
import { type ApiServer, startApiServer } from "../apiserver/index.ts";
import { addKymaController, type KymaController, type KymaControllerOptions } from "../controllers/kyma/index.ts";
import { kymaSettings } from "../controllers/kyma/kyma-stage.ts";
import { addManifestController } from "../controllers/manifest/index.ts";
import { fingerprintOf } from "../controllers/manifest/inventory/fingerprint.ts";
import type { Descriptor } from "../modules/descriptor.ts";
import { defaultIntervals } from "../modules/requeue.ts";
import { accessSecret, FakeClock, kymaObject, memoryDirectory, moduleObjects, ourCrds } from "../testing/index.ts";
import { smallModule } from "./manifest-world.ts";
import { SimulatedRemotes } from "./simulated-remotes.ts";

const namespace = "kcp-system";
const lease = { name: "bench", namespace, enabled: false };
export const modules = ["one", "two", "three", "four", "five"];
const allVersions = Array.from({ length: 7 }, (_, index) => `1.${index}.0`);
const writeVerbs: ReadonlySet<string> = new Set(["create", "update", "patch", "delete", "deletecollection"]);
const namespaces: Resource = { group: "", version: "v1", kind: "Namespace", plural: "namespaces", namespaced: false };

const agentInOrder = { ready: true, digest: "1" };

/** The watcher has told that everything is in order, so that nothing has to be polled. */
const agentsInOrder: NonNullable<KymaControllerOptions["webhook"]> = {
  sync: async () => agentInOrder,
  hasCertificate: async () => false,
  deleteCertificate: async () => undefined,
  remove: async () => false,
};

/** What was asked of the clusters so far. */
export interface Traffic {
  readonly writes: number;
  readonly remote: number;
}

export const nameOf = (index: number): string => `runtime-${index}`;
export const channelOf = (version: number): string => `channel${"abcdefg".charAt(version)}`;

/** Many Kymas with five modules and a cluster each, the Kyma and the Manifest controller, and a clock that stands still. */
export class KymaFleet {
  readonly clock: FakeClock;
  readonly #server: ApiServer;
  readonly #remotes: SimulatedRemotes;
  readonly #content = memoryDirectory();
  readonly #layers: ReadonlyMap<string, string>;
  readonly #kcpTraffic: { writes: number };
  readonly #count: number;
  #process: OperatorProcess | undefined;

  private constructor(
    parts: { clock: FakeClock; server: ApiServer; remotes: SimulatedRemotes; kcpTraffic: { writes: number } },
    count: number,
  ) {
    this.clock = parts.clock;
    this.#server = parts.server;
    this.#remotes = parts.remotes;
    this.#kcpTraffic = parts.kcpTraffic;
    this.#count = count;
    const layer = (module: string, version: string): string =>
      this.#content.put(smallModule(module).replace("example.org/m:1", `example.org/m:${version}`));
    this.#layers = new Map(
      modules.flatMap((module) => allVersions.map((version) => [`${module} ${version}`, layer(module, version)])),
    );
  }

  /** With the first Kyma; see {@link addNew} and {@link addInstalled} for the others. */
  static async open(count: number): Promise<KymaFleet> {
    const clock = new FakeClock();
    const kcpTraffic = { writes: 0 };
    const server = await startApiServer({
      listen: false,
      clock,
      workload: false,
      crds: await ourCrds(),
      onRequest: ({ userAgent, verb }) => {
        if (userAgent === "operator" && writeVerbs.has(verb)) kcpTraffic.writes += 1;
      },
    });
    const fleet = new KymaFleet({ clock, server, remotes: await SimulatedRemotes.start(clock), kcpTraffic }, count);
    await fleet.#fill();
    return fleet;
  }

  async #fill(): Promise<void> {
    const client = this.#client("bench");
    await client.create(namespaces, { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
    const channels = Object.fromEntries(allVersions.map((version, index) => [channelOf(index), version]));
    const catalog = modules.flatMap((module) => moduleObjects(module, { regular: "1.0.0", ...channels }));
    for (const object of catalog) await create(client, object);
    await this.#addKyma(client, nameOf(0));
  }

  async #addKyma(client: Client, name: string): Promise<void> {
    const wanted = { channel: "regular", modules: modules.map((module) => ({ name: module })) };
    const annotations = { "skr-domain": `${name}.project.example.org` };
    const labels = { "kyma-project.io/instance-id": name };
    await create(client, accessSecret(name, name));
    await create(client, kymaObject(name, wanted, { annotations, labels }));
  }

  /** Adds all other Kymas, on whose clusters nothing has been done yet. */
  async addNew(): Promise<void> {
    const client = this.#client("bench");
    for (let index = 1; index < this.#count; index += 1) await this.#addKyma(client, nameOf(index));
  }

  /** Installs the first Kyma, then adds all others as copies of it: with Manifests, and everything on their clusters. */
  async addInstalled(): Promise<void> {
    this.start();
    await this.untilReady();
    await this.halt();
    const client = this.#client("bench");
    const original = await client.get<Kyma>({ resource: kymaKind, namespace, name: nameOf(0) });
    const { items } = await client.list(manifestKind, { namespace });
    for (let index = 1; index < this.#count; index += 1) {
      const name = nameOf(index);
      await create(client, accessSecret(name, name));
      const { metadata } = await createCopy(client, kymaKind, original, name);
      const uid = metadata.uid ?? "";
      for (const manifest of items) {
        const ownerReferences = (manifest.metadata.ownerReferences ?? []).map((owner) => ({ ...owner, uid }));
        const owned = { ...manifest, metadata: { ...manifest.metadata, ownerReferences } };
        await createCopy(client, manifestKind, owned, name);
      }
      this.#remotes.copy(nameOf(0), name);
    }
  }

  #client(userAgent: string): Client {
    return createClient({ transport: transportFrom(this.#server.transport), clock: this.clock, userAgent });
  }

  /** Starts the controllers, which know nothing yet. Each Kyma is looked at in this interval. */
  start(successMs = defaultIntervals.successMs): void {
    const descriptors = (component: string, version: string): Descriptor => {
      const module = component.slice(component.lastIndexOf("/") + 1);
      const access = { type: "localBlob", localReference: this.#layers.get(`${module} ${version}`) ?? "" };
      const resources = [{ name: "raw-manifest", type: "yaml", access }];
      return { name: component, version, repositoryContexts: [{ type: "OCIRegistry" }], resources };
    };
    this.#process = new OperatorProcess(this.#client("operator"), this.clock, {
      successMs,
      open: (name) => this.#remotes.clientFor(name),
      descriptors,
      content: this.#content,
    });
  }

  /** Ends the controllers; the clusters stay as they are. */
  async halt(): Promise<void> {
    await this.#process?.end();
    this.#process = undefined;
  }

  async stop(): Promise<void> {
    await this.halt();
    await Promise.all([this.#server.stop(), this.#remotes.stop()]);
  }

  traffic(): Traffic {
    return { writes: this.#kcpTraffic.writes + this.#remotes.writes, remote: this.#remotes.requests };
  }

  /** Passes of a controller since the last start. */
  passes(controller: "kyma" | "manifest"): number {
    return this.#process?.passes.get(controller) ?? 0;
  }

  /** Lets time pass until every Kyma is Ready. */
  async untilReady(): Promise<void> {
    const client = this.#client("bench");
    for (;;) {
      await this.clock.advance(1_000);
      await this.untilQuiet();
      const { items } = await client.list<Kyma>(kymaKind, { namespace });
      if (items.every(({ status }) => status?.state === "Ready")) return;
    }
  }

  /** Waits until nobody asks or runs anything any more, as long as no time passes. */
  async untilQuiet(): Promise<void> {
    const sum = (): number => this.#remotes.requests + this.passes("kyma") + this.passes("manifest");
    for (let quietTurns = 0, before = -1; quietTurns < 50; ) {
      await setImmediate();
      const now = sum();
      quietTurns = now === before ? quietTurns + 1 : 0;
      before = now;
    }
  }

  /** A user moves one module of a Kyma to another channel; milliseconds until the user sees it Ready in that version. */
  async change(index: number, version: number): Promise<number> {
    const user = this.#remotes.clientFor(nameOf(index));
    const ref = { resource: kymaKind, namespace: "kyma-system", name: "default" };
    const chosen = modules.map((name) => ({ name, ...(name === "one" ? { channel: channelOf(version) } : {}) }));
    const begun = performance.now();
    await user.mergePatch(ref, { spec: { modules: chosen } });
    this.#process?.controller.remoteChanged({ namespace, name: nameOf(index) });
    const isDone = ({ status }: Kyma): boolean =>
      status?.state === "Ready" && status.modules?.some((module) => module.version === `1.${version}.0`) === true;
    while (!isDone(await user.get<Kyma>(ref))) await this.clock.advance(1);
    return performance.now() - begun;
  }

  /** How many Manifests there are. */
  async manifests(): Promise<number> {
    return (await this.#client("bench").list(manifestKind, { namespace, metadataOnly: true })).items.length;
  }
}

/** What the controllers of one process are wired with. */
interface Surroundings {
  readonly successMs: number;
  readonly open: (kubeconfig: string) => Client;
  readonly descriptors: (component: string, version: string) => Descriptor;
  readonly content: ReturnType<typeof memoryDirectory>;
}

/** One life of the operator. */
class OperatorProcess {
  readonly controller: KymaController;
  readonly passes = new Map<string, number>();
  readonly #clock: FakeClock;
  readonly #stopped = new AbortController();
  readonly #running: Promise<void>;

  constructor(client: Client, clock: FakeClock, { successMs, open, descriptors, content }: Surroundings) {
    this.#clock = clock;
    const metrics = countingPasses(createMetrics(), this.passes);
    const manager = createManager({ client, clock, identity: "bench", leases: [lease], metrics });
    const clients = new Map<string, Client>();
    const clusters = {
      open: (key: string, _revision: string, kubeconfig: () => string): Client => {
        const made = clients.get(key) ?? open(kubeconfig());
        clients.set(key, made);
        return made;
      },
      evict: () => undefined,
    };
    const context = manager.context(lease.name);
    this.controller = addKymaController(context, {
      settings: {
        ...kymaSettings,
        intervals: { ...defaultIntervals, successMs },
        remoteResyncMs: 86_400_000,
        concurrency: 32,
      },
      clusters,
      descriptors: { get: async ({ component, version }) => descriptors(component, version) },
      webhook: agentsInOrder,
      random: () => 0.5,
    });
    addManifestController(context, { namespace, content, clusters, settings: { concurrency: 32 } });
    this.#running = manager.run(this.#stopped.signal);
  }

  async end(): Promise<void> {
    this.#stopped.abort(new Error("the benchmark goes on"));
    let ended = false;
    void this.#running.finally(() => (ended = true));
    await this.#clock.until(() => ended);
  }
}

/** The same metrics, with the passes of each controller in a map. */
function countingPasses(metrics: MetricsExport, passes: Map<string, number>): MetricsExport {
  return {
    counter: (name, help, labels) => {
      const counter = metrics.counter(name, help, labels);
      if (name !== "controller_runtime_reconcile_total") return counter;
      return {
        inc: (values = {}, value) => {
          const controller = values["controller"] ?? "";
          passes.set(controller, (passes.get(controller) ?? 0) + 1);
          counter.inc(values, value);
        },
      };
    },
    gauge: (...of) => metrics.gauge(...of),
    histogram: (...of) => metrics.histogram(...of),
    beforeScrape: (update) => metrics.beforeScrape(update),
    scrape: () => metrics.scrape(),
  };
}

/** Stores an object of the first Kyma, with its status, as one of another Kyma. */
async function createCopy(client: Client, resource: Resource, object: KubeObject, name: string): Promise<KubeObject> {
  const copy = JSON.parse(JSON.stringify(object).replaceAll(nameOf(0), name)) as AnyObject;
  const { uid: _uid, resourceVersion: _revision, managedFields: _fields, ...metadata } = copy.metadata;
  const created = await client.create(resource, { ...copy, metadata });
  return client.update(resource, { ...created, status: statusOf(copy) }, { subresource: "status" });
}

/** The status of a copy, with the fingerprint that its Manifest has under the new name. */
function statusOf({ status, ...copy }: AnyObject): unknown {
  if (copy.kind !== "Manifest") return status;
  const { inventory, ...rest } = status as { readonly inventory: object };
  return { ...rest, inventory: { ...inventory, fingerprint: fingerprintOf(copy as unknown as Manifest, {}) } };
}

async function create(client: Client, object: AnyObject): Promise<void> {
  await client.create(await client.resourceFor(object.apiVersion, object.kind), object);
}
