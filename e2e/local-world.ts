import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { oracles } from "../testing/oracles/index.ts";
import { builtProgram, eventually, type Finished, kyma, type Running, run, start } from "./programs.ts";

/** The part of `kyma local status -o json` that stories read. */
export interface Status {
  readonly operatorPid: number;
  readonly rows: readonly {
    readonly kind: string;
    readonly name: string;
    readonly state: string;
    readonly blocker: string;
  }[];
  readonly addresses: {
    readonly clusters: readonly { readonly name: string; readonly kubeconfig: string }[];
    readonly metrics: string;
    readonly operatorLog: string;
  };
}

/** One line of the logs that the clusters of a local world keep. */
export interface LoggedRequest {
  readonly cluster: string;
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  readonly userAgent: string;
  readonly status: number;
}

/** `kyma local up` in a folder of its own, driven from outside; its operator is the one built beside this `kyma`. */
export class LocalWorld {
  readonly #folder: string;
  readonly #running: Running;

  private constructor(folder: string, running: Running) {
    this.#folder = folder;
    this.#running = running;
  }

  static async start(args: readonly string[] = ["--demo"]): Promise<LocalWorld> {
    const folder = join(await mkdtemp(join(tmpdir(), "kyma-e2e-")), "world");
    const running = start(process.execPath, [builtProgram("kyma"), "local", "up", "--data-dir", folder, ...args], {
      timeoutMs: 600_000,
    });
    return new LocalWorld(folder, running);
  }

  output(): string {
    return this.#running.output();
  }

  /** Undefined while it does not answer. */
  async status(): Promise<Status | undefined> {
    const { code, stdout } = await kyma(["local", "status", "--data-dir", this.#folder, "-o", "json"]);
    return code === 0 || code === 2 ? (JSON.parse(stdout) as Status) : undefined;
  }

  async ready(withinMs = 120_000): Promise<void> {
    let ended: Finished | undefined;
    void this.#running.finished.then((finished) => (ended = finished));
    await eventually(
      async () => {
        if (ended !== undefined) throw new Error(`ended with code ${ended.code} before it was Ready: ${this.output()}`);
        return this.output().includes("Everything is Ready") ? true : undefined;
      },
      () => this.output(),
      { withinMs },
    );
  }

  async kubeconfig(cluster: string): Promise<string> {
    const status = await eventually(
      () => this.status(),
      () => this.output(),
    );
    const found = status.addresses.clusters.find(({ name }) => name === cluster);
    if (found === undefined) throw new Error(`no cluster ${cluster} in ${JSON.stringify(status.addresses)}`);
    return found.kubeconfig;
  }

  /** The address that `kyma dashboard` prints. */
  async dashboard(): Promise<string> {
    const { stdout, stderr } = await kyma(["dashboard", "--no-open", "--data-dir", this.#folder]);
    if (stdout === "") throw new Error(stderr);
    return stdout.trim();
  }

  /** Real kubectl against one of the clusters. */
  async kubectl(cluster: string, ...args: readonly string[]): Promise<Finished> {
    return this.kubectlWith(cluster, args);
  }

  /** The same, with something to read. */
  async kubectlWith(cluster: string, args: readonly string[], input = ""): Promise<Finished> {
    const { kubectl } = await oracles();
    return run(kubectl, ["--kubeconfig", await this.kubeconfig(cluster), ...args], { input });
  }

  /** What real kubectl prints; throws what it says when it fails. */
  async printed(cluster: string, ...args: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await this.kubectl(cluster, ...args);
    if (code !== 0) throw new Error(`kubectl ${args.join(" ")}: ${stderr}`);
    return stdout;
  }

  /** {@link printed} in the namespace of the control plane's objects. */
  async onPlane(...args: readonly string[]): Promise<string> {
    return this.printed("control-plane", "-n", "kcp-system", ...args);
  }

  /** {@link printed} in the namespace of the modules on the demo's cluster. */
  async onRuntime(...args: readonly string[]): Promise<string> {
    return this.printed("runtime-demo", "-n", "kyma-system", ...args);
  }

  /** Waits until a text is as expected, and answers it. */
  async until(look: () => Promise<string>, expected: RegExp): Promise<string> {
    let last = "";
    return eventually(
      async () => {
        last = await look();
        return expected.test(last) ? last : undefined;
      },
      () => `${expected} in ${last}\n${this.output()}`,
    );
  }

  /** All writes so far, on every cluster. */
  async writes(): Promise<readonly LoggedRequest[]> {
    return this.#logged("writes.jsonl");
  }

  /** All requests so far, on every cluster, of a world that was started with `--audit`. */
  async requests(): Promise<readonly LoggedRequest[]> {
    return this.#logged("requests.jsonl");
  }

  async #logged(file: string): Promise<readonly LoggedRequest[]> {
    const text = await readFile(join(this.#folder, file), "utf8");
    return text
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as LoggedRequest);
  }

  /** Ctrl-C, and what the command answered. */
  async stop(): Promise<Finished> {
    this.#running.child.kill("SIGINT");
    const finished = await this.#running.finished;
    await rm(join(this.#folder, ".."), { recursive: true, force: true });
    return finished;
  }
}
