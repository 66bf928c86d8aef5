import { spawn } from "node:child_process";
import { closeSync, fstatSync, openSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import type { Clock } from "@kyma-operators/kube";
import type { Launch } from "./launch.ts";
import { preloadUrl } from "./system-preload.ts";

/** How a process ended. */
export interface ProcessEnd {
  /** As a shell has it: 128 and the number of the signal for a killed one. */
  readonly exitCode: number;
  /** Why, where that is known. */
  readonly message?: string;
}

export interface ContainerProcess {
  /** Where its part of the log begins: former runs have written before. */
  readonly logStart: number;
  readonly ended: Promise<ProcessEnd>;
  /** SIGTERM, then SIGKILL after the grace period. Resolves when the process is gone. */
  stop(graceMs: number): Promise<void>;
}

export interface ProcessOptions extends Launch {
  readonly script: string;
  readonly workingDir: string;
  /** Takes standard output and standard error, appended. */
  readonly log: string;
  /** Ports of this machine by port of the container. */
  readonly hostPorts: Readonly<Record<string, number>>;
  readonly clock: Clock;
}

const signalNumbers: Readonly<Record<string, number>> = {
  SIGHUP: 1,
  SIGINT: 2,
  SIGABRT: 6,
  SIGKILL: 9,
  SIGSEGV: 11,
  SIGTERM: 15,
};

/** Runs a script with this Node. It sees the environment it is given, nothing of ours but PATH and HOME. */
export function startProcess(options: ProcessOptions): ContainerProcess {
  const { script, args, env, workingDir, hostPorts, clock } = options;
  const output = openSync(options.log, "a", 0o600);
  const logStart = fstatSync(output).size;
  const { PATH = "", HOME = "" } = process.env;
  const child = spawn(process.execPath, [...process.execArgv, "--import", preloadUrl, script, ...args], {
    cwd: workingDir,
    env: { PATH, HOME, ...env, KYMA_CONTAINER_PORTS: JSON.stringify(hostPorts) },
    stdio: ["pipe", output, output],
  });
  closeSync(output);
  const ended = new Promise<ProcessEnd>((resolve) => {
    child.once("error", (error) => resolve({ exitCode: 128, message: error.message }));
    child.once("exit", (code, signal) => resolve({ exitCode: code ?? 128 + (signalNumbers[signal ?? ""] ?? 0) }));
  });
  return {
    logStart,
    ended,
    stop: async (graceMs) => {
      child.kill("SIGTERM");
      const cancel = clock.after(graceMs, () => child.kill("SIGKILL"));
      await ended;
      cancel();
    },
  };
}

/** That many ports of loopback that nobody used a moment ago. */
export async function freePorts(count: number): Promise<readonly number[]> {
  const servers = Array.from({ length: count }, () => createServer());
  await Promise.all(servers.map((server) => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => new Promise<void>((resolve) => server.close(() => resolve()))));
  return ports;
}
