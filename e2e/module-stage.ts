import { equal } from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Secret } from "@kyma-operators/errors";
import { createRegistryClient, type RegistryClient } from "oras-js";
import { type ForeignRegistry, startDockerRegistry } from "./docker-registry.ts";
import { publish, type SampleModule } from "./module-layers.ts";
import { builtProgram, eventually, type Finished, type Running, type RunOptions, start } from "./programs.ts";

/** A cluster that a story drives with kubectl. */
export interface StoryCluster {
  readonly kubeconfig: string;
  try(args: readonly string[], options?: RunOptions): Promise<Finished>;
  stop(): Promise<void>;
}

/** Where Manifests live, and where their modules go; both may be one cluster. */
export interface StoryClusters {
  readonly controlPlane: StoryCluster;
  readonly remote: StoryCluster;
}

/** The part of a Manifest that stories read. */
export interface ListedManifest {
  readonly metadata: { readonly name: string; readonly annotations?: Readonly<Record<string, string>> };
  readonly status?: { readonly state?: string; readonly lastOperation?: { readonly operation: string } };
}

/** Who may read the registry. */
const user = { name: "robot", password: "p4ss:word" };
const prefix = "operator.kyma-project.io";
const ours = `${prefix}/managed-by=kyma`;
const crdFolder = join(import.meta.dirname, "../crds");
const patience = { withinMs: 180_000 };

/** Modules in a private registry of another make, two clusters, and the built operator between them. */
export class ModuleStage {
  readonly registry: ForeignRegistry;
  readonly #modules: readonly SampleModule[];
  readonly #clusters: StoryClusters;
  readonly #folder: string;
  readonly #digests = new Map<string, string>();
  #operator: Running | undefined;

  private constructor(
    modules: readonly SampleModule[],
    clusters: StoryClusters,
    place: { readonly registry: ForeignRegistry; readonly folder: string },
  ) {
    this.registry = place.registry;
    this.#folder = place.folder;
    this.#modules = modules;
    this.#clusters = clusters;
  }

  static async start(modules: readonly SampleModule[], clusters: StoryClusters): Promise<ModuleStage> {
    const registry = await startDockerRegistry({ [user.name]: user.password });
    const folder = await mkdtemp(join(tmpdir(), "kyma-modules-"));
    const stage = new ModuleStage(modules, clusters, { registry, folder });
    await stage.#publish();
    await stage.#prepare();
    stage.#operator = stage.#startOperator();
    return stage;
  }

  async stop(): Promise<void> {
    this.#operator?.child.kill("SIGTERM");
    await this.#operator?.finished;
    await this.registry.stop();
    await this.#clusters.remote.stop();
    await this.#clusters.controlPlane.stop();
    await rm(this.#folder, { recursive: true, force: true });
  }

  /** What the operator printed so far. */
  output(): string {
    return this.#operator?.output() ?? "";
  }

  get password(): string {
    return user.password;
  }

  async kubectl(cluster: keyof StoryClusters, ...args: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await this.#clusters[cluster].try(args);
    equal(code, 0, `kubectl ${args.join(" ")}: ${stderr}`);
    return stdout;
  }

  async apply(cluster: keyof StoryClusters, ...items: readonly object[]): Promise<void> {
    const path = join(this.#folder, "apply.json");
    await writeFile(path, JSON.stringify({ apiVersion: "v1", kind: "List", items }));
    await this.kubectl(cluster, "apply", "--server-side", "-f", path);
  }

  /** Applies the Manifests of a version and waits until all are Ready with it. */
  async install(version: string): Promise<void> {
    await this.apply("controlPlane", ...this.#modules.map((module) => this.#manifestOf(module, version)));
    await this.untilManifests((found) => {
      const isInstalled = ({ metadata, status }: ListedManifest): boolean =>
        status?.state === "Ready" &&
        metadata.annotations?.["sync-oci-ref"] === this.#digests.get(`${metadata.name} ${version}`);
      return found.length === this.#modules.length && found.every(isInstalled);
    });
  }

  async untilManifests(condition: (found: readonly ListedManifest[]) => boolean): Promise<void> {
    let found: readonly ListedManifest[] = [];
    await eventually(
      async () => {
        found = await this.#manifests();
        return condition(found) ? true : undefined;
      },
      () => [...found.map((manifest) => JSON.stringify(manifest.status)), this.output()].join("\n"),
      patience,
    );
  }

  /** Names of what belongs to modules on the remote cluster. */
  async names(kinds: string): Promise<readonly string[]> {
    return this.#words(kinds, "jsonpath={.items[*].metadata.name}");
  }

  async images(): Promise<readonly string[]> {
    return this.#words("deployments", "jsonpath={.items[*].spec.template.spec.containers[0].image}");
  }

  async #words(kinds: string, path: string): Promise<readonly string[]> {
    const text = await this.kubectl("remote", "get", kinds, "-A", "-l", ours, "-o", path);
    return text
      .split(" ")
      .filter((word) => word !== "")
      .toSorted();
  }

  async #manifests(): Promise<readonly ListedManifest[]> {
    const text = await this.kubectl("controlPlane", "-n", "kcp-system", "get", "manifests", "-o", "json");
    return (JSON.parse(text) as { items: readonly ListedManifest[] }).items;
  }

  async #publish(): Promise<void> {
    const credential = { username: user.name, password: new Secret(user.password) };
    const client: RegistryClient = createRegistryClient({ plainHttp: "loopback", credentials: async () => credential });
    for (const module of this.#modules) {
      for (const version of ["1.0.0", "2.0.0"]) {
        this.#digests.set(`${module.name} ${version}`, await publish(client, this.registry.host, module, version));
      }
    }
    await client.close();
  }

  /** CRDs, namespaces, the way to the remote cluster and the credentials for the registry. */
  async #prepare(): Promise<void> {
    for (const plural of ["kymas", "manifests"]) {
      const path = join(crdFolder, `${prefix}_${plural}.yaml`);
      await this.kubectl("controlPlane", "apply", "--server-side", "-f", path);
    }
    await this.kubectl("controlPlane", "wait", "--for=condition=Established", "crd", "--all");
    await this.apply("controlPlane", namespace("kcp-system"));
    await this.apply("remote", namespace("kyma-system"));
    const config = await readFile(this.#clusters.remote.kubeconfig, "utf8");
    const auths = { [this.registry.url]: { username: user.name, password: user.password } };
    const kyma = { apiVersion: `${prefix}/v1beta2`, kind: "Kyma", metadata: { name: "one", namespace: "kcp-system" } };
    await this.apply(
      "controlPlane",
      secret("kubeconfig-one", { config }, { [`${prefix}/kyma-name`]: "one" }),
      secret("registry", { ".dockerconfigjson": JSON.stringify({ auths }) }),
      { ...kyma, spec: { channel: "regular" } },
    );
  }

  #startOperator(): Running {
    const flags = [
      `--kubeconfig=${this.#clusters.controlPlane.kubeconfig}`,
      "--controllers=manifest",
      "--oci-registry-cred-secret=registry",
      `--data-dir=${join(this.#folder, "cache")}`,
      "--metrics-bind-address=0",
      "--health-probe-bind-address=127.0.0.1:0",
      "--leader-elect=false",
      "--failure-base-delay=500ms",
    ];
    return start(process.execPath, [builtProgram("operator"), ...flags], { timeoutMs: 900_000 });
  }

  #manifestOf({ name, type, values, resource }: SampleModule, version: string): object {
    const source = {
      type,
      repo: this.registry.host,
      name: `example.org/module/${name}`,
      ref: this.#digests.get(`${name} ${version}`),
      ...(values === undefined ? {} : { values, namespace: "kyma-system" }),
    };
    const labels = { [`${prefix}/kyma-name`]: "one", [`${prefix}/module-name`]: name };
    return {
      apiVersion: `${prefix}/v1beta2`,
      kind: "Manifest",
      metadata: { name, namespace: "kcp-system", labels },
      spec: { remote: true, version, install: { name, source }, ...(resource === undefined ? {} : { resource }) },
    };
  }
}

function namespace(name: string): object {
  return { apiVersion: "v1", kind: "Namespace", metadata: { name } };
}

function secret(name: string, stringData: object, labels: object = {}): object {
  const type = ".dockerconfigjson" in stringData ? "kubernetes.io/dockerconfigjson" : "Opaque";
  return { apiVersion: "v1", kind: "Secret", metadata: { name, namespace: "kcp-system", labels }, type, stringData };
}
