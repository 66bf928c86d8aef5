import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type AnyObject, type Client, createClient, systemClock, transportFrom } from "@kyma-operators/kube";
import { formatYamlDocuments } from "@kyma-operators/yaml";
import { kymas as kymaKind } from "../apis/operator/group.ts";
import type { Kyma } from "../apis/operator/kyma.ts";
import { type ApiServer, type RequestRecord, startApiServer, type WorkloadOptions } from "../apiserver/index.ts";
import { entrypointOf, environmentOf, parseDockerfile, type Stage } from "../e2e/dockerfile.ts";
import { builtProgram, type Running, start } from "../e2e/programs.ts";
import { component, pushComponents } from "../local/demo/components.ts";
import { startRegistry } from "../local/registry/registry.ts";
import { accessSecret, kymaObject, moduleObjects, ourCrds } from "../testing/index.ts";
import { smallModule } from "./manifest-world.ts";

const namespace = "kcp-system";
export const modules = ["alpha", "bravo", "charlie"];
const writeVerbs: ReadonlySet<string> = new Set(["create", "update", "patch", "delete", "deletecollection"]);
const clockTicksPerSecond = 100;

/** The built operator as a process of its own, against embedded clusters of this process. */
export class OperatorWorld {
  readonly kcp: Client;
  readonly traffic = { writes: 0, remote: 0 };
  readonly #folder: string;
  readonly #servers: ApiServer[] = [];
  readonly #runtimes = new Map<string, Client>();
  #registry: Awaited<ReturnType<typeof startRegistry>> | undefined;
  #operator: Running | undefined;

  private constructor(folder: string, kcp: Client) {
    this.#folder = folder;
    this.kcp = kcp;
  }

  /**
   * @param agents - run the agents of the watcher as processes too, instead of calling them Ready.
   */
  static async start(options: {
    readonly agents: boolean;
    readonly flags?: readonly string[];
  }): Promise<OperatorWorld> {
    const folder = await mkdtemp(join(tmpdir(), "kyma-bench-"));
    const traffic: OperatorWorld["traffic"][] = [];
    const server = await startApiServer({ crds: await ourCrds(), onRequest: (record) => count(record, traffic[0]) });
    const world = new OperatorWorld(folder, clientOf(server));
    traffic.push(world.traffic);
    world.#servers.push(server);
    for (const name of [namespace, "istio-system"]) await create(world.kcp, namespaceObject(name));
    await world.#addCatalog();
    await writeFile(join(folder, "kubeconfig"), await server.kubeconfig(), { mode: 0o600 });
    world.#agents = options.agents ? world.#agentOptions() : {};
    await world.#startOperator(options.flags ?? []);
    return world;
  }

  #agents: WorkloadOptions = {};

  #agentOptions(): WorkloadOptions {
    const [script, dataDir] = [builtProgram("operator"), join(this.#folder, "pods")];
    return { ownImage: { names: ["kyma-operators"], script, workingDir: join(script, "../.."), dataDir } };
  }

  async #addCatalog(): Promise<void> {
    this.#registry = await startRegistry({});
    const components = modules.map((module) => component(module, "1.0.0", layerOf(module)));
    await pushComponents(this.#registry.url, components, new AbortController().signal);
    for (const module of modules) {
      for (const object of moduleObjects(module, { regular: "1.0.0" })) {
        await create(
          this.kcp,
          JSON.parse(JSON.stringify(object).replaceAll("example.org", "example.test")) as AnyObject,
        );
      }
    }
    await create(this.kcp, watcher);
  }

  async #startOperator(more: readonly string[]): Promise<void> {
    const port = 20_000 + (process.pid % 20_000);
    const flags = [
      `--kubeconfig=${join(this.#folder, "kubeconfig")}`,
      `--data-dir=${join(this.#folder, "data")}`,
      "--controllers=kyma,mandatory-module,manifest,watcher,purge",
      `--oci-registry-host=${this.#registry?.url ?? ""}`,
      `--watcher-address=127.0.0.1:${port}`,
      `--kyma-skr-listener-bind-address=127.0.0.1:${port}`,
      "--cert-management=built-in",
      "--metrics-bind-address=0",
      "--health-probe-bind-address=0",
      ...more,
    ];
    const image = await imageStage();
    const env = environmentOf(image);
    const args = [...nodeFlagsOf(image), builtProgram("operator"), ...flags];
    this.#operator = start(process.execPath, args, { timeoutMs: 1_800_000, env });
    while (!this.#operator.output().includes('"started"')) await delay(20);
  }

  /** Adds a Kyma with these modules and a new cluster for it. */
  async addKyma(name: string, chosen: readonly string[]): Promise<void> {
    const server = await startApiServer({
      workload: this.#agents,
      onRequest: (record) => {
        if (isOperator(record)) this.traffic.remote += 1;
        count(record, this.traffic);
      },
    });
    this.#servers.push(server);
    this.#runtimes.set(name, clientOf(server));
    await create(this.kcp, accessSecret(name, await server.kubeconfig()));
    const spec = { channel: "regular", modules: chosen.map((module) => ({ name: module })) };
    const annotations = { "skr-domain": `${name}.project.example.org` };
    const labels = { "kyma-project.io/runtime-id": name, "kyma-project.io/instance-id": name };
    await create(this.kcp, kymaObject(name, spec, { annotations, labels }));
  }

  /** The cluster of a Kyma, as its user sees it. */
  runtime(name: string): Client {
    const client = this.#runtimes.get(name);
    if (client === undefined) throw new Error(`there is no ${name}`);
    return client;
  }

  async ready(): Promise<number> {
    const { items } = await this.kcp.list<Kyma>(kymaKind, { namespace });
    return items.filter(({ status }) => status?.state === "Ready").length;
  }

  /** Processor seconds of the operator so far, and the most memory it ever had. */
  async usage(): Promise<{ readonly cpuSeconds: number; readonly peakBytes: number }> {
    const pid = this.#operator?.child.pid ?? 0;
    const [stat, status] = await Promise.all([
      readFile(`/proc/${pid}/stat`, "utf8"),
      readFile(`/proc/${pid}/status`, "utf8"),
    ]);
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const ticks = Number(fields[11]) + Number(fields[12]);
    const peak = Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1]);
    return { cpuSeconds: ticks / clockTicksPerSecond, peakBytes: peak * 1024 };
  }

  async stop(): Promise<void> {
    this.#operator?.child.kill("SIGTERM");
    await this.#operator?.finished;
    await Promise.all([this.#registry?.stop(), ...this.#servers.map((server) => server.stop())]);
    await rm(this.#folder, { recursive: true, force: true });
  }
}

/** The stage of the Dockerfile that is the image. */
async function imageStage(): Promise<Stage | undefined> {
  return parseDockerfile(await readFile(join(import.meta.dirname, "../Dockerfile"), "utf8")).at(-1);
}

/** How the image runs Node.js. */
function nodeFlagsOf(image: Stage | undefined): readonly string[] {
  return entrypointOf(image).filter((argument) => argument.startsWith("--"));
}

const watcher: AnyObject = {
  apiVersion: "operator.kyma-project.io/v1beta2",
  kind: "Watcher",
  metadata: { name: "klm-watcher", namespace },
  spec: {
    manager: "lifecycle-manager",
    labelsToWatch: { "operator.kyma-project.io/watched-by": "kyma" },
    resourceToWatch: { group: "operator.kyma-project.io", version: "*", resource: "kymas" },
    field: "spec",
    serviceInfo: { name: "kyma-operator", namespace, port: 8082 },
    gateway: { selector: { matchLabels: { "operator.kyma-project.io/watcher-gateway": "default" } } },
  },
};

/** Six objects, as the modules that the originals were measured with. */
function layerOf(module: string) {
  const metadata = { name: module, namespace: "kyma-system" };
  const more = formatYamlDocuments([
    { apiVersion: "v1", kind: "ConfigMap", metadata, data: { module } },
    { apiVersion: "rbac.authorization.k8s.io/v1", kind: "Role", metadata, rules: [] },
  ]);
  const content = new TextEncoder().encode(`${smallModule(module)}---\n${more}`);
  return { name: "raw-manifest", type: "directoryTree", mediaType: "application/yaml", content };
}

function isOperator({ userAgent }: RequestRecord): boolean {
  return userAgent.startsWith("kyma-operator");
}

/** Leases are renewed all the time. */
function count(record: RequestRecord, traffic: { writes: number } | undefined): void {
  const isWrite = writeVerbs.has(record.verb) && record.resource !== "leases";
  if (traffic !== undefined && isWrite && isOperator(record)) traffic.writes += 1;
}

function clientOf(server: ApiServer): Client {
  return createClient({ transport: transportFrom(server.transport), clock: systemClock, userAgent: "bench" });
}

function namespaceObject(name: string): AnyObject {
  return { apiVersion: "v1", kind: "Namespace", metadata: { name } };
}

async function create(client: Client, object: AnyObject): Promise<void> {
  await client.create(await client.resourceFor(object.apiVersion, object.kind), object);
}
