import { setImmediate } from "node:timers/promises";
import {
  type AnyObject,
  builtIn,
  type Client,
  createClient,
  type KubeObject,
  type Resource,
  transportFrom,
} from "@kyma-operators/kube";
import { kymas as kymaKind, manifests as manifestKind } from "../apis/operator/group.ts";
import type { Kyma } from "../apis/operator/kyma.ts";
import type { Manifest } from "../apis/operator/manifest.ts";
import { type ApiServer, startApiServer } from "../apiserver/index.ts";
import { fingerprintOf } from "../controllers/manifest/inventory/fingerprint.ts";
import type { Descriptor } from "../modules/descriptor.ts";
import { defaultIntervals } from "../modules/requeue.ts";
import { accessSecret, FakeClock, kymaObject, memoryDirectory, moduleObjects, ourCrds } from "../testing/index.ts";
import type { Trouble } from "./cluster-troubles.ts";
import { FleetOperator } from "./fleet-operator.ts";
import { smallModule } from "./manifest-world.ts";
import { cpuSeconds } from "./measurement.ts";
import { SimulatedRemotes } from "./simulated-remotes.ts";

const namespace = "kcp-system";
export const modules = ["one", "two", "three", "four", "five"];
const allVersions = Array.from({ length: 7 }, (_, index) => `1.${index}.0`);
const writeVerbs: ReadonlySet<string> = new Set(["create", "update", "patch", "delete", "deletecollection"]);
const { namespaces } = builtIn;

/** What was asked of the clusters so far. */
export interface Traffic {
  readonly writes: number;
  readonly remote: number;
}

export const nameOf = (index: number): string => `runtime-${index}`;
/** Whether module `one` of a Kyma is Ready in this version, and all else too. */
export function isReadyIn({ status }: Kyma, version: number): boolean {
  return status?.state === "Ready" && status.modules?.some((module) => module.version === `1.${version}.0`) === true;
}
const remoteKyma = { resource: kymaKind, namespace: "kyma-system", name: "default" };
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
  #process: FleetOperator | undefined;
  #standby: FleetOperator | undefined;
  #processes = 0;

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
      onRequest: ({ userAgent, verb, resource }) => {
        const isWrite = writeVerbs.has(verb) && resource !== "leases";
        if (userAgent === "operator" && isWrite) kcpTraffic.writes += 1;
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

  /** Adds the Kymas from this one on, on whose clusters nothing has been done yet. */
  async addNew(from = 1): Promise<void> {
    const client = this.#client("bench");
    for (let index = from; index < this.#count; index += 1) await this.#addKyma(client, nameOf(index));
  }

  /**
   * Installs the first Kyma, then adds others up to this one as copies of it: with Manifests, and everything on their
   * clusters.
   */
  async addInstalled(to = this.#count): Promise<void> {
    this.start();
    await this.untilReady();
    await this.halt();
    const client = this.#client("bench");
    const original = await client.get<Kyma>({ resource: kymaKind, namespace, name: nameOf(0) });
    const { items } = await client.list(manifestKind, { namespace });
    for (let index = 1; index < to; index += 1) {
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
    this.#process = this.#newProcess(successMs);
  }

  /** As {@link start}, with a lease. The second one knows everything and does nothing as long as the first one lives. */
  startElected(): void {
    this.#processes += 1;
    const started = this.#newProcess(defaultIntervals.successMs, `operator-${this.#processes}`);
    if (this.#process === undefined) this.#process = started;
    else this.#standby = started;
  }

  /** The leader is gone from one moment to the next; the other one has to find out. */
  killLeader(): void {
    this.#process?.kill();
    this.#process = this.#standby;
    this.#standby = undefined;
  }

  #newProcess(successMs: number, identity?: string): FleetOperator {
    const descriptors = (component: string, version: string): Descriptor => {
      const module = component.slice(component.lastIndexOf("/") + 1);
      const access = { type: "localBlob", localReference: this.#layers.get(`${module} ${version}`) ?? "" };
      const resources = [{ name: "raw-manifest", type: "yaml", access }];
      return { name: component, version, repositoryContexts: [{ type: "OCIRegistry" }], resources };
    };
    return new FleetOperator({
      clock: this.clock,
      transport: transportFrom(this.#server.transport),
      remote: (name) => this.#remotes.transportFor(name),
      descriptors,
      content: this.#content,
      successMs,
      identity,
    });
  }

  /** From now on the operator finds these clusters in trouble; with no entries, all are well again. */
  setTroubles(troubles: ReadonlyMap<string, Trouble>): void {
    this.#remotes.troubles = troubles;
  }

  /** Ends the controllers; the clusters stay as they are. */
  async halt(): Promise<void> {
    await this.#standby?.end();
    await this.#process?.end();
    [this.#process, this.#standby] = [undefined, undefined];
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

  /** A user moves one module of a Kyma to another channel, and the watcher tells. */
  async choose(index: number, version: number): Promise<void> {
    const chosen = modules.map((name) => ({ name, ...(name === "one" ? { channel: channelOf(version) } : {}) }));
    await this.#user(index).mergePatch(remoteKyma, { spec: { modules: chosen } });
    this.#process?.controller.remoteChanged({ namespace, name: nameOf(index) });
  }

  /** {@link choose}, then milliseconds until the user sees it Ready in that version: of processor time. */
  async change(index: number, version: number): Promise<number> {
    const begun = cpuSeconds();
    await this.choose(index, version);
    const user = this.#user(index);
    while (!isReadyIn(await user.get<Kyma>(remoteKyma), version)) await this.clock.advance(1);
    return (cpuSeconds() - begun) * 1_000;
  }

  #user(index: number): Client {
    const transport = this.#remotes.userTransportFor(nameOf(index));
    return createClient({ transport, clock: this.clock, userAgent: "user" });
  }

  /** Calls back for every state of a Kyma on the control plane, the present ones first, until the signal aborts. */
  async watchKymas(saw: (kyma: Kyma) => void, signal: AbortSignal): Promise<void> {
    const options = { namespace, idleTimeoutMs: 7 * 86_400_000, signal };
    while (!signal.aborted) {
      const events = this.#client("bench").watch<Kyma>(kymaKind, options);
      for await (const event of events) if (event.type !== "BOOKMARK") saw(event.object);
    }
  }

  /** How many Manifests there are. */
  async manifests(): Promise<number> {
    return (await this.#client("bench").list(manifestKind, { namespace, metadataOnly: true })).items.length;
  }
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
