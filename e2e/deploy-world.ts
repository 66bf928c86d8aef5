import { equal } from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startRegistry } from "../testing/registry.ts";
import type { DeployCluster } from "./deploy-clusters.ts";
import { type Finished, kyma } from "./programs.ts";

const manifest = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: demos.operator.example.org}
spec:
  group: operator.example.org
  scope: Namespaced
  names: {kind: Demo, listKind: DemoList, plural: demos, singular: demo}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: demo-manager, namespace: kyma-system}
spec:
  selector: {matchLabels: {app: demo}}
  template:
    metadata: {labels: {app: demo}}
    spec: {containers: [{name: manager, image: "demo:VERSION"}]}
`;
const config = (version: string) => `name: example.org/module/demo
version: ${version}
channel: regular
manifest: manifest-${version}.yaml
manager: {group: apps, version: v1, kind: Deployment, name: demo-manager, namespace: kyma-system}
`;
const chart = {
  "chart/Chart.yaml": "apiVersion: v2\nname: hello\nversion: 0.1.0\n",
  "chart/values.yaml": "greeting: hello\nglobal: {}\n",
  "chart/templates/cm.yaml":
    "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: hello, namespace: kyma-system}\ndata: {text: '{{ .Values.greeting }} {{ .Values.global.domainName }}'}\n",
  "hello.yaml": "name: example.org/module/hello\nversion: 0.1.0\nchannel: regular\nchart: chart\n",
};
const list = `apiVersion: cli.kyma-project.io/v1alpha1
kind: ModuleList
modules:
- name: demo
  resources:
  - apiVersion: operator.example.org/v1
    kind: Demo
    metadata: {name: second, namespace: default}
`;

/** A folder with modules, a registry that has them, and a cluster to deploy them on. */
export class DeployWorld {
  readonly folder: string;
  readonly cluster: DeployCluster;
  readonly #registry: Awaited<ReturnType<typeof startRegistry>>;

  private constructor(folder: string, cluster: DeployCluster, registry: Awaited<ReturnType<typeof startRegistry>>) {
    this.folder = folder;
    this.cluster = cluster;
    this.#registry = registry;
  }

  static async start(startCluster: () => Promise<DeployCluster>): Promise<DeployWorld> {
    const folder = await mkdtemp(join(tmpdir(), "kyma-deploy-"));
    const world = new DeployWorld(folder, await startCluster(), await startRegistry({}));
    await world.put({ "list.yaml": list, ...chart });
    for (const version of ["1.0.0", "1.1.0"]) {
      const text = manifest.replace("VERSION", version);
      await world.put({ [`manifest-${version}.yaml`]: text, [`config-${version}.yaml`]: config(version) });
      await world.create(`config-${version}.yaml`, `template-${version}.yaml`);
    }
    await world.create("hello.yaml", "hello-template.yaml");
    return world;
  }

  async stop(): Promise<void> {
    await this.#registry.stop();
    await this.cluster.stop();
    await rm(this.folder, { recursive: true, force: true });
  }

  async put(files: Readonly<Record<string, string>>): Promise<void> {
    for (const [name, text] of Object.entries(files)) {
      await mkdir(join(this.folder, name, ".."), { recursive: true });
      await writeFile(join(this.folder, name), text);
    }
  }

  /** `kyma module create`, with the registry. */
  async create(file: string, output: string): Promise<void> {
    const flags = ["-c", file, "-o", output, "-r", `${this.#registry.url}/modules`];
    const { code, stderr } = await kyma(["module", "create", ...flags], { cwd: this.folder });
    equal(code, 0, stderr);
  }

  async kubectl(...args: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await this.cluster.try(args);
    equal(code, 0, `kubectl ${args.join(" ")}: ${stderr}`);
    return stdout;
  }

  deployArgs(args: readonly string[]): readonly string[] {
    const modules = ["--registry", `${this.#registry.url}/modules`, "--profile", "evaluation"];
    return ["deploy", "--kubeconfig", this.cluster.kubeconfig, ...modules, ...this.cluster.flags, ...args];
  }

  async deploy(...args: readonly string[]): Promise<Finished> {
    return kyma(this.deployArgs(args), { cwd: this.folder, timeoutMs: 120_000 });
  }

  /** {@link deploy}, which has to end with 0. */
  async deployed(...args: readonly string[]): Promise<void> {
    await this.succeeds(await this.deploy(...args));
  }

  async succeeds({ code, stdout, stderr }: Finished): Promise<void> {
    equal(code, 0, `${stdout}${stderr}\n${code === 0 ? "" : await this.cluster.operatorOutput()}`);
  }

  /** Everything that a deployment writes, with its versions. */
  versions(): Promise<string> {
    const kinds = "crd,deployments,secrets,services,roles,clusterroles,kymas,moduletemplates,modulereleasemetas";
    const path = 'jsonpath={range .items[*]}{.kind}/{.metadata.name}@{.metadata.resourceVersion}{"\\n"}{end}';
    return this.kubectl("get", kinds, "-A", "-o", path);
  }

  imageOf(namespace: string, name: string): Promise<string> {
    const path = "jsonpath={.spec.template.spec.containers[0].image}";
    return this.kubectl("-n", namespace, "get", "deployment", name, "-o", path);
  }
}
