import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startKubeApiServer, tokenKubeconfig } from "../testing/index.ts";
import { oracles } from "../testing/oracles/index.ts";
import { ApiServerProcess } from "./api-server.ts";
import { builtProgram, type Finished, type Running, type RunOptions, run, start } from "./programs.ts";

/** A cluster to deploy on, which runs the Pods of the operator. */
export interface DeployCluster {
  readonly kubeconfig: string;
  /** Flags with which the operator reaches it. */
  readonly flags: readonly string[];
  try(args: readonly string[], options?: RunOptions): Promise<Finished>;
  /** What the operator printed. */
  operatorOutput(): Promise<string>;
  stop(): Promise<void>;
}

/** The embedded server, which runs Pods of the suite's image as processes. */
export async function embeddedCluster(): Promise<DeployCluster> {
  const server = await ApiServerProcess.start("--authorization-mode", "RBAC", "--run-own-image");
  const address = await server.kubectl(["config", "view", "-o", "jsonpath={.clusters[0].cluster.server}"]);
  return {
    kubeconfig: server.kubeconfig,
    flags: ["--cluster-address", address],
    try: (args, options) => server.try(args, options),
    operatorOutput: async () => (await server.try(["-n", "kcp-system", "logs", "deployment/kyma-operator"])).stdout,
    stop: () => server.stop(),
  };
}

/** A real kube-apiserver with its controllers and, in place of a kubelet, this test. */
export async function realCluster(assets: string): Promise<DeployCluster> {
  const server = await startKubeApiServer(assets);
  const folder = await mkdtemp(join(tmpdir(), "kyma-deploy-real-"));
  const kubeconfig = join(folder, "kubeconfig");
  await writeFile(kubeconfig, tokenKubeconfig(server));
  const { kubectl } = await oracles();
  const attempt: DeployCluster["try"] = (args, options) => run(kubectl, ["--kubeconfig", kubeconfig, ...args], options);
  const kubelet = new Kubelet(attempt, async (token) => {
    const path = join(folder, "operator.kubeconfig");
    await writeFile(path, tokenKubeconfig({ ...server, token }));
    return path;
  });
  return {
    kubeconfig,
    flags: ["--cluster-address", server.url],
    try: attempt,
    operatorOutput: async () => kubelet.output(),
    stop: async () => {
      await kubelet.stop();
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

interface Pod {
  readonly metadata: {
    readonly namespace: string;
    readonly name: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
  readonly spec: { readonly containers: readonly { readonly name: string; readonly args?: readonly string[] }[] };
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

/** Runs Pods of the operator as processes, with the rights of its account, and calls every other Pod ready. */
class Kubelet {
  readonly #kubectl: DeployCluster["try"];
  readonly #kubeconfigFor: (token: string) => Promise<string>;
  readonly #operators = new Map<string, Running>();
  readonly #loop: Promise<void>;
  #stopped = false;
  #output = "";

  constructor(kubectl: DeployCluster["try"], kubeconfigFor: (token: string) => Promise<string>) {
    this.#kubectl = kubectl;
    this.#kubeconfigFor = kubeconfigFor;
    this.#loop = this.#run();
  }

  output(): string {
    return this.#output + [...this.#operators.values()].map((running) => running.output()).join("");
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#loop;
    await this.#keepOnly(new Set());
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      const { code, stdout } = await this.#kubectl(["get", "pods", "-A", "-o", "json"]);
      if (code === 0) await this.#look((JSON.parse(stdout) as { items: readonly Pod[] }).items);
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  }

  async #look(pods: readonly Pod[]): Promise<void> {
    await this.#keepOnly(new Set(pods.map(({ metadata }) => metadata.name)));
    for (const pod of pods) {
      if (pod.status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True") === true) continue;
      if (pod.metadata.labels?.["app.kubernetes.io/name"] === "kyma-operator") await this.#startOperator(pod);
      await this.#markReady(pod);
    }
  }

  async #keepOnly(names: ReadonlySet<string>): Promise<void> {
    for (const [name, running] of this.#operators) {
      if (names.has(name)) continue;
      running.child.kill("SIGTERM");
      await running.finished;
      this.#output += running.output();
      this.#operators.delete(name);
    }
  }

  async #startOperator({ metadata, spec }: Pod): Promise<void> {
    if (this.#operators.has(metadata.name)) return;
    const { stdout } = await this.#kubectl(["-n", metadata.namespace, "create", "token", "kyma-operator"]);
    const args = [
      ...(spec.containers[0]?.args ?? []).filter((arg) => !arg.startsWith("--data-dir")),
      `--kubeconfig=${await this.#kubeconfigFor(stdout.trim())}`,
      "--metrics-bind-address=0",
      "--health-probe-bind-address=127.0.0.1:0",
      "--kyma-skr-listener-bind-address=127.0.0.1:0",
    ];
    const running = start(process.execPath, [builtProgram("operator"), ...args], { timeoutMs: 600_000 });
    this.#operators.set(metadata.name, running);
  }

  async #markReady({ metadata: { namespace, name }, spec }: Pod): Promise<void> {
    const condition = (type: string) => ({ type, status: "True" });
    const status = {
      phase: "Running",
      conditions: ["Initialized", "Ready", "ContainersReady", "PodScheduled"].map(condition),
      containerStatuses: spec.containers.map((container) => ({
        name: container.name,
        ready: true,
        restartCount: 0,
        image: "",
        imageID: "",
        state: { running: {} },
      })),
    };
    const patch = JSON.stringify({ status });
    await this.#kubectl(["-n", namespace, "patch", "pod", name, "--subresource=status", "--type=merge", "-p", patch]);
  }
}
