import { spawn } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { oracles } from "../../testing/oracles/index.ts";
import { builtProgram } from "../programs.ts";
import type { CommandBlock } from "./guide-blocks.ts";
import { missingLine } from "./shown-output.ts";

const root = join(import.meta.dirname, "..", "..");
/** What a reader's clone has and this copy of it needs not, or gets by a link. */
const leftOut = new Set([".git", ".cache", ".local", "coverage", "dist", "node_modules", "reports"]);

/** A clean copy of the clone, in which the blocks of one guide are run by one shell, as a reader would. */
export class GuideRun {
  readonly #folder: string;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  static async start(): Promise<GuideRun> {
    const run = new GuideRun(await mkdtemp(join(tmpdir(), "kyma-guide-")));
    const filter = (path: string): boolean => !leftOut.has(relative(root, path));
    await cp(root, run.#path("clone"), { recursive: true, filter, preserveTimestamps: true });
    for (const folder of ["bin", "home", "output"]) await mkdir(run.#path(folder));
    const { kubectl, helm } = await oracles();
    await symlink(kubectl, run.#path("bin", "kubectl"));
    await symlink(helm, run.#path("bin", "helm"));
    await symlink(builtProgram("kyma"), run.#path("bin", "kyma"));
    await symlink(builtProgram("apiserver"), run.#path("bin", "kyma-apiserver"));
    await symlink(builtProgram("operator"), run.#path("bin", "kyma-operator"));
    await symlink(join(root, "node_modules"), run.#path("clone", "node_modules"));
    return run;
  }

  /** Runs all blocks; throws at the first that ends or prints otherwise than the guide says. */
  async execute(guide: string, blocks: readonly CommandBlock[], timeoutMs: number): Promise<void> {
    await writeFile(this.#path("script"), script(blocks, this.#path("output")));
    const ended = await this.#shell(timeoutMs);
    const outputs = await Promise.all(blocks.map(async (_, index) => this.#output(index)));
    if (ended !== "0") throw new Error(failure(guide, blocks, outputs, ended));
    for (const [index, { how, line, shown }] of blocks.entries()) {
      const printed = outputs[index] ?? "";
      const missing = how.kind === "not-run" ? undefined : missingLine(shown, printed);
      if (missing !== undefined)
        throw new Error(`${guide}:${line}: nothing like "${missing}" in its output:\n${printed}`);
    }
  }

  async stop(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true });
  }

  #path(...names: readonly string[]): string {
    return join(this.#folder, ...names);
  }

  /** Everything that the shell started ends with it. */
  async #shell(timeoutMs: number): Promise<string> {
    const child = spawn("bash", [this.#path("script")], {
      cwd: this.#path("clone"),
      detached: true,
      stdio: "ignore",
      env: {
        PATH: [this.#path("bin"), dirname(process.execPath), process.env.PATH].join(":"),
        HOME: this.#path("home"),
      },
    });
    const group = -(child.pid ?? Number.NaN);
    const timer = setTimeout(() => process.kill(group, "SIGKILL"), timeoutMs);
    const ended = await new Promise<string>((resolve, reject) => {
      child.once("error", reject);
      child.once("exit", (code, signal) => resolve(String(code ?? signal)));
    });
    clearTimeout(timer);
    await endGroup(group);
    return ended;
  }

  /** Undefined for a block that was not reached. */
  async #output(block: number): Promise<string | undefined> {
    return readFile(this.#path("output", String(block)), "utf8").catch(() => undefined);
  }
}

/** Names the last block that was begun. */
function failure(
  guide: string,
  blocks: readonly CommandBlock[],
  outputs: readonly (string | undefined)[],
  ended: string,
): string {
  const last = outputs.findLastIndex((output) => output !== undefined);
  const { line, commands } = blocks[last] ?? {};
  return `${guide}:${line}: this ended with ${ended}:\n${commands}\nand printed:\n${outputs[last]}`;
}

/** Asks what is left of a process group to end, then insists. */
async function endGroup(group: number): Promise<void> {
  for (let round = 0; round < 100; round += 1) {
    try {
      process.kill(group, round < 80 ? "SIGTERM" : "SIGKILL");
    } catch {
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** One shell for all blocks, so that variables and folders carry on; the output of each goes to a file of its number. */
function script(blocks: readonly CommandBlock[], output: string): string {
  const parts = blocks.map(({ commands, how }, index) => {
    const file = join(output, String(index));
    if (how.kind === "not-run") return "";
    if (how.kind === "run") {
      if (how.code === 0) return `exec >${file} 2>&1\n${commands}`;
      return `exec >${file} 2>&1\ncode=0\n(\n${commands}\n) || code=$?\n[ "$code" = ${how.code} ]`;
    }
    const wait = `until grep -qF -- ${quoted(how.until)} ${file}; do kill -0 $!; sleep 0.2; done`;
    return `touch ${file}\n{\n${commands}\n} >${file} 2>&1 &\n${wait}`;
  });
  return ["set -euo pipefail", ...parts, "exit 0"].join("\n");
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
