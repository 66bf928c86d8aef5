import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { oracles } from "../testing/oracles/index.ts";
import { builtProgram, eventually, type Finished, type Running, type RunOptions, run, start } from "./programs.ts";

/** The built `kyma-apiserver` as a process of its own. */
export class ApiServerProcess {
  readonly kubeconfig: string;
  readonly #folder: string;
  readonly #running: Running;

  private constructor(folder: string, running: Running) {
    this.#folder = folder;
    this.#running = running;
    this.kubeconfig = join(folder, "kubeconfig");
  }

  static async start(...args: readonly string[]): Promise<ApiServerProcess> {
    const folder = await mkdtemp(join(tmpdir(), "kyma-apiserver-"));
    const flags = ["--port", "0", "--kubeconfig", join(folder, "kubeconfig"), ...args];
    const running = start(process.execPath, [builtProgram("apiserver"), ...flags], { timeoutMs: 600_000 });
    const server = new ApiServerProcess(folder, running);
    await eventually(
      async () => {
        const kubeconfig = await readFile(server.kubeconfig, "utf8").catch(() => "");
        return kubeconfig === "" ? undefined : true;
      },
      () => running.output(),
    );
    return server;
  }

  /** Real kubectl, whatever it answers. */
  async try(args: readonly string[], options?: RunOptions): Promise<Finished> {
    const { kubectl } = await oracles();
    return run(kubectl, ["--kubeconfig", this.kubeconfig, ...args], options);
  }

  /** Real kubectl; fails with what it says when it fails. */
  async kubectl(args: readonly string[], options?: RunOptions): Promise<string> {
    const { code, stdout, stderr } = await this.try(args, options);
    if (code !== 0) throw new Error(`kubectl ${args.join(" ")} answered ${code}: ${stderr}`);
    return stdout;
  }

  /** kubectl that goes on until it is killed, for example `get -w`. */
  async follow(args: readonly string[]): Promise<Running> {
    const { kubectl } = await oracles();
    return start(kubectl, ["--kubeconfig", this.kubeconfig, ...args]);
  }

  async stop(): Promise<void> {
    this.#running.child.kill("SIGTERM");
    await this.#running.finished;
    await rm(this.#folder, { recursive: true, force: true });
  }
}
