import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
/** Where the programs are that the stories run; `make build` puts them into `dist`. */
const dist = process.env.DIST ?? join(root, "dist");

/** Path of a built program, for example `kyma`. */
export function builtProgram(name: "kyma" | "operator" | "apiserver"): string {
  return join(dist, `${name}.js`);
}

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
  /** The process is killed after this time. Default 60 s. */
  readonly timeoutMs?: number;
}

/** A started process whose output is kept. */
export interface Running {
  readonly child: ChildProcess;
  readonly finished: Promise<Finished>;
  /** What it printed so far. */
  output(): string;
}

/** Starts a command; nothing is inherited from this process but PATH and HOME. */
export function start(command: string, args: readonly string[], options: RunOptions = {}): Running {
  const child = spawn(command, args, {
    cwd: options.cwd ?? root,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...options.env },
    stdio: "pipe",
  });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  child.stdin.on("error", () => undefined); // a program may end without reading its input
  child.stdin.end(options.input ?? "");
  const timer = setTimeout(() => child.kill("SIGKILL"), options.timeoutMs ?? 60_000);
  const finished = new Promise<Finished>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => {
      clearTimeout(timer);
      resolve({ code, stdout, stderr });
    });
  });
  return { child, finished, output: () => stdout + stderr };
}

/** Runs a command to its end. */
export async function run(command: string, args: readonly string[], options: RunOptions = {}): Promise<Finished> {
  return start(command, args, options).finished;
}

/** Runs the built `kyma`. */
export async function kyma(args: readonly string[], options: RunOptions = {}): Promise<Finished> {
  return run(process.execPath, [builtProgram("kyma"), ...args], options);
}

/** Tries until `look` answers something; fails with what `describe` says. */
export async function eventually<T>(
  look: () => Promise<T | undefined>,
  describe: () => string,
  { withinMs = 60_000, everyMs = 200 }: { readonly withinMs?: number; readonly everyMs?: number } = {},
): Promise<T> {
  const deadline = Date.now() + withinMs;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (Date.now() > deadline) throw new Error(`not within ${withinMs / 1000} s: ${describe()}`);
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}
