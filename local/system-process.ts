import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync, readFileSync, statSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import type { Clock } from "@kyma-operators/kube";
import { localErrors } from "./errors.ts";

export interface ProgramOptions {
  /** Path of the script. */
  readonly script: string;
  readonly args: readonly string[];
  /** File that takes standard output and standard error, appended. */
  readonly log: string;
  readonly clock: Clock;
  /** Told when the program ended without being asked to and is started again. */
  readonly onRestart: (reason: string) => void;
  /** Told once when restarts do not help; nothing is started after it. */
  readonly onFailure: (error: Error) => void;
}

/** A program that is started again when it ends, as a cluster would do. */
export interface Program {
  readonly pid: number | undefined;
  /** SIGTERM, then SIGKILL after the grace period. Resolves when the process is gone. */
  stop(graceMs: number): Promise<void>;
}

const restartDelayMs = 500;
/** A program that lived shorter than this has not started properly. */
const startedMs = 5_000;
const maxFailedStarts = 3;

/**
 * Loaded before the script: ends it when its standard input closes, which happens at the latest when this process is
 * gone, however it went.
 */
const endsWithUs = `data:text/javascript,${encodeURIComponent(
  'process.stdin.resume().once("end", () => process.kill(process.pid, "SIGTERM")).unref();',
)}`;

/** Runs a script with this Node and keeps it running, but never longer than this process. */
export function runProgram(options: ProgramOptions): Program {
  return new Supervisor(options).start();
}

class Supervisor implements Program {
  readonly #options: ProgramOptions;
  #child: ChildProcess | undefined;
  #stopping = false;
  #failedStarts = 0;

  constructor(options: ProgramOptions) {
    this.#options = options;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  start(): this {
    const { script, args, log, clock } = this.#options;
    const output = openSync(log, "a", 0o600);
    const startedAt = clock.now();
    const child = spawn(process.execPath, ["--import", endsWithUs, script, ...args], {
      stdio: ["pipe", output, output],
    });
    closeSync(output);
    child.once("error", (error) => this.#options.onFailure(error));
    child.once("exit", (code, signal) => {
      // Who is killed by somebody says nothing about how it starts.
      const livedMs = signal === "SIGKILL" || signal === "SIGTERM" ? Number.POSITIVE_INFINITY : clock.now() - startedAt;
      this.#onExit(signal ?? `code ${code}`, livedMs);
    });
    this.#child = child;
    return this;
  }

  #onExit(how: string, livedMs: number): void {
    if (this.#stopping) return;
    this.#failedStarts = livedMs < startedMs ? this.#failedStarts + 1 : 0;
    if (this.#failedStarts >= maxFailedStarts) {
      const { log } = this.#options;
      this.#options.onFailure(localErrors.OPERATOR_FAILED({ log, lastLine: lastLine(log) }));
      return;
    }
    this.#options.onRestart(how);
    this.#options.clock.after(restartDelayMs, () => {
      if (!this.#stopping) this.start();
    });
  }

  async stop(graceMs: number): Promise<void> {
    this.#stopping = true;
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise<void>((resolve) => child.once("exit", () => resolve()));
    child.kill("SIGTERM");
    const cancel = this.#options.clock.after(graceMs, () => child.kill("SIGKILL"));
    await gone;
    cancel();
  }
}

function lastLine(path: string): string {
  return readFileSync(path, "utf8").trimEnd().split("\n").at(-1) ?? "";
}

/** A port on loopback that nobody used a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise<void>((resolve) => server.close(() => resolve()));
  return port;
}

export function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

/** Id of this process. */
export function currentPid(): number {
  return process.pid;
}
