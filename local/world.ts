import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { type AnyObject, type Client, type Clock, createClient, transportFrom } from "@kyma-operators/kube";
import type { RequestRecord } from "../apiserver/index.ts";
import { serveControl } from "./control.ts";
import { type ControlPlane, namespace, startControlPlane } from "./control-plane.ts";
import { demoComponents, pushComponents } from "./demo/components.ts";
import { localErrors } from "./errors.ts";
import { type Gardener, startGardener } from "./gardener/index.ts";
import { observe, runtimeKubeconfigs } from "./observe.ts";
import { grantControlPlane, grantGarden } from "./operator-account.ts";
import { operatorArguments } from "./operator-arguments.ts";
import { productRoot, programsFolder } from "./product-files.ts";
import { progressRows, type Row } from "./progress.ts";
import { type Registry, startRegistry } from "./registry/registry.ts";
import type { WorldFolder } from "./state-files.ts";
import { currentPid, freePort, isFile, type Program, runProgram } from "./system-process.ts";
import { appendLine, readObjects } from "./world-files.ts";
import { type Addresses, starting, type WorldStatus } from "./world-status.ts";

export interface WorldOptions {
  readonly folder: WorldFolder;
  readonly clock: Clock;
  /** Ends the world when it aborts. */
  readonly signal: AbortSignal;
  /** Apply the sample Runtime, Kyma and modules. */
  readonly demo: boolean;
  /** Port of the control plane; 0 takes a free one. */
  readonly apiPort: number;
  /** Keep every request that the clusters answer, not only writes. */
  readonly audit?: boolean;
  /** Told what a person should know, one line each. */
  readonly onMessage: (text: string) => void;
}

/** A running world on loopback. */
export interface World {
  rows(): Promise<readonly Row[]>;
  addresses(): Addresses;
  /** Aborts when somebody asked for its end. */
  readonly ended: AbortSignal;
  /** Ends everything that was started and removes the folder's state. */
  stop(): Promise<void>;
}

/** How long the demo's Gardener takes: long enough to watch, short enough to wait for. */
const timings = { scheduleMs: 300, createMs: 4_000, reconcileMs: 1_000, deleteMs: 2_000, retryMs: 2_000 };
const operatorGraceMs = 4_000;
const operatorKubeconfigs = { controlPlane: "operator.kubeconfig", gardener: "operator-gardener.kubeconfig" } as const;

/**
 * Starts control plane, Gardener, registry and operator. What was started is stopped again when a later part fails.
 * Throws the reason of its end when that comes before all is there: `LOCAL_STOPPED`, or that of the signal.
 */
export async function startWorld(options: WorldOptions): Promise<World> {
  const root = productRoot();
  const script = join(programsFolder(), "operator.js");
  if (!isFile(script)) throw localErrors.NOT_BUILT({ missing: script });
  await options.folder.claim();
  const world = new LocalWorld(options, root);
  try {
    await world.start(script);
  } catch (error) {
    await world.stop();
    throw world.ended.aborted ? world.ended.reason : error; // what its end broke off is no failure of its own
  }
  return world;
}

class LocalWorld implements World {
  readonly #options: WorldOptions;
  readonly #root: string;
  readonly #end = new AbortController();
  readonly ended: AbortSignal;
  readonly #stops: (() => unknown)[] = [];
  readonly #kubeconfigs = new Map<string, string>();
  #started = false;
  #plane: ControlPlane | undefined;
  #operator: Program | undefined;
  #registry = "";
  #metricsPort = 0;
  #dashboardPort = 0;

  constructor(options: WorldOptions, root: string) {
    this.#options = options;
    this.#root = root;
    this.ended = AbortSignal.any([options.signal, this.#end.signal]);
  }

  async start(script: string): Promise<void> {
    const { apiPort, clock, demo } = this.#options;
    await this.#serveControl();
    const plane = await startControlPlane({
      root: this.#root,
      port: apiPort,
      clock,
      onRequest: this.#recorder("control-plane"),
    });
    this.#plane = plane;
    this.#stops.push(() => plane.server.stop());
    const [gardener, registry] = await Promise.all([this.#startGardener(script), startRegistry({})]);
    this.#stops.push(
      () => gardener.stop(),
      () => registry.stop(),
    );
    this.#registry = registry.url;
    await this.#keep("control-plane", await plane.server.kubeconfig());
    await this.#keep("gardener", await gardener.server.kubeconfig());
    await this.#grantOperator(plane, gardener);
    this.ended.throwIfAborted();
    await this.#startOperator(script, registry);
    this.#started = true;
    if (demo) await this.#applyDemo(plane.client, registry);
  }

  /** The Pods of watcher agents are of the operator's own image, and run as processes. */
  async #startGardener(script: string): Promise<Gardener> {
    const { folder } = this.#options;
    const ownImage = { names: ["kyma-operators"], script, workingDir: this.#root, dataDir: folder.file("pods") };
    return startGardener({
      clock: this.#options.clock,
      timings,
      server: { onRequest: this.#recorder("gardener"), authorizationMode: "RBAC" },
      shootServer: (shoot) => ({
        onRequest: this.#recorder(`runtime-${shoot.metadata.name}`),
        workload: { ownImage },
      }),
    });
  }

  async #grantOperator(plane: ControlPlane, { server, namespace: project }: Gardener): Promise<void> {
    const { folder, clock } = this.#options;
    const garden = createClient({ transport: transportFrom(server.transport), clock, userAgent: "kyma-local" });
    await folder.write(operatorKubeconfigs.controlPlane, await grantControlPlane(this.#root, { ...plane, namespace }));
    await folder.write(
      operatorKubeconfigs.gardener,
      await grantGarden(this.#root, { server, client: garden, namespace: project }),
    );
    await garden.close();
  }

  async #startOperator(script: string, registry: Registry): Promise<void> {
    const { folder, clock, onMessage } = this.#options;
    this.#metricsPort = await freePort();
    this.#dashboardPort = await freePort();
    const operator = runProgram({
      script,
      args: operatorArguments({
        root: this.#root,
        kubeconfig: folder.file(operatorKubeconfigs.controlPlane),
        gardenerKubeconfig: folder.file(operatorKubeconfigs.gardener),
        dataDir: folder.file("operator"),
        registry: registry.url,
        metricsPort: this.#metricsPort,
        probesPort: await freePort(),
        dashboardPort: this.#dashboardPort,
        eventsPort: await freePort(),
      }),
      log: folder.file("operator.log"),
      clock,
      onRestart: (how) => onMessage(`the operator ended (${how}) and is started again`),
      onFailure: (error) => this.#end.abort(error),
    });
    this.#operator = operator;
    this.#stops.push(() => operator.stop(operatorGraceMs));
  }

  async #serveControl(): Promise<void> {
    const token = randomBytes(24).toString("base64url");
    const control = await serveControl(
      {
        status: async () => this.#status(),
        stop: () => this.#end.abort(localErrors.STOPPED({ folder: this.#options.folder.path })),
      },
      token,
    );
    this.#stops.push(() => control.close());
    const startedAt = new Date(this.#options.clock.now()).toISOString();
    await this.#options.folder.writeState({ pid: currentPid(), startedAt, control: control.url, token });
  }

  async #applyDemo(client: Client, registry: Registry): Promise<void> {
    const signal = this.ended;
    await pushComponents(registry.url, await demoComponents(join(this.#root, "local/demo/modules")), signal);
    for (const object of await readObjects(join(this.#root, "config/samples/demo"))) {
      await applyObject(client, object, signal);
    }
  }

  async rows(): Promise<readonly Row[]> {
    if (this.#plane === undefined) return [];
    const { objects, warnings } = await observe(this.#plane.client);
    for (const [kyma, kubeconfig] of await runtimeKubeconfigs(this.#plane.client, namespace)) {
      await this.#keep(`runtime-${kyma}`, kubeconfig);
    }
    return progressRows(objects, warnings, this.#options.clock.now());
  }

  addresses(): Addresses {
    return {
      clusters: [...this.#kubeconfigs.keys()].map((name) => ({
        name,
        kubeconfig: this.#options.folder.file(`${name}.kubeconfig`),
      })),
      registry: this.#registry,
      metrics: `http://127.0.0.1:${this.#metricsPort}/metrics`,
      dashboard: `http://127.0.0.1:${this.#dashboardPort}/`,
      operatorLog: this.#options.folder.file("operator.log"),
    };
  }

  async stop(): Promise<void> {
    // In reverse: the operator ends while the clusters still answer, and releases its leases.
    for (const stop of this.#stops.splice(0).reverse()) await stop();
    await this.#plane?.client.close();
    await this.#options.folder.forget();
  }

  async #status(): Promise<WorldStatus | typeof starting> {
    if (!this.#started) return starting;
    return { operatorPid: this.#operator?.pid, rows: await this.rows(), addresses: this.addresses() };
  }

  async #keep(name: string, kubeconfig: string): Promise<void> {
    if (this.#kubeconfigs.get(name) === kubeconfig) return;
    await this.#options.folder.write(`${name}.kubeconfig`, kubeconfig);
    this.#kubeconfigs.set(name, kubeconfig);
  }

  /** Keeps every write that was carried out, so that tests and people see what the operator changed. */
  #recorder(cluster: string): (record: RequestRecord) => void {
    const { folder, audit = false } = this.#options;
    const [path, requests] = [folder.file("writes.jsonl"), folder.file("requests.jsonl")];
    return (record) => {
      if (audit) appendLine(requests, { cluster, ...record });
      const written = writeVerbs.has(record.verb) && record.status < 300 && !record.dryRun;
      if (written) appendLine(path, { cluster, ...record });
    };
  }
}

const writeVerbs: ReadonlySet<string> = new Set(["create", "update", "patch", "delete", "deletecollection"]);

async function applyObject(client: Client, object: AnyObject, signal: AbortSignal): Promise<void> {
  const resource = await client.resourceFor(object.apiVersion, object.kind);
  await client.apply(resource, object, { fieldManager: "kyma-local", force: true, signal });
}
