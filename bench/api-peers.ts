import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Pool } from "undici";
import { builtProgram } from "../e2e/programs.ts";
import { startKubeApiServer } from "../testing/index.ts";

/** An API server in processes of its own, spoken to over TLS and HTTP/1.1. */
export interface Peer {
  /** From the start of the first process to the first answer. */
  readonly startMs: number;
  request(method: string, path: string, body?: string, type?: string): Promise<string>;
  /** Counts lines of a watch until there are so many. */
  countEvents(path: string, lines: number): Promise<void>;
  /** Resident memory of its processes. */
  residentMiB(): Promise<number>;
  stop(): Promise<void>;
}

interface Credentials {
  readonly url: string;
  readonly tls: { readonly ca: string; readonly cert?: string; readonly key?: string };
  readonly headers: Readonly<Record<string, string>>;
  readonly pids: readonly number[];
}

/** The built `kyma-apiserver`. */
export async function startOurs(...flags: readonly string[]): Promise<Peer> {
  const folder = await mkdtemp(join(tmpdir(), "bench-apiserver-"));
  const file = join(folder, "kubeconfig");
  const started = performance.now();
  const args = [
    builtProgram("apiserver"),
    "--kubeconfig",
    file,
    ...flags.map((flag) => flag.replace("FOLDER", folder)),
  ];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  await new Promise((resolve) => child.stdout.once("data", resolve));
  const text = await readFile(file, "utf8");
  const field = (name: string): string => new RegExp(`${name}: (\\S+)`).exec(text)?.[1] ?? "";
  const pem = (name: string): string => Buffer.from(field(name), "base64").toString();
  const tls = {
    ca: pem("certificate-authority-data"),
    cert: pem("client-certificate-data"),
    key: pem("client-key-data"),
  };
  const credentials = { url: field("server"), tls, headers: {}, pids: [child.pid ?? 0] };
  return peerOf(credentials, started, async () => {
    await ended(child);
    await rm(folder, { recursive: true, force: true });
  });
}

async function ended(child: ChildProcess): Promise<void> {
  const gone = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  await gone;
}

/** etcd and kube-apiserver from `KUBEBUILDER_ASSETS`; undefined without it. */
export async function startKubernetes(): Promise<Peer | undefined> {
  const assets = process.env["KUBEBUILDER_ASSETS"];
  if (assets === undefined) return undefined;
  const started = performance.now();
  const server = await startKubeApiServer(assets, { controllers: false });
  const { url, caCertificate, token, pids } = server;
  const headers = { authorization: `Bearer ${token}` };
  return peerOf({ url, tls: { ca: caCertificate }, headers, pids }, started, () => server.stop());
}

async function peerOf(
  { url, tls, headers, pids }: Credentials,
  started: number,
  stop: () => Promise<void>,
): Promise<Peer> {
  const pool = new Pool(url, { connections: 16, connect: tls, bodyTimeout: 0 });
  const watchers = new Pool(url, { connect: tls, bodyTimeout: 0 });
  const request: Peer["request"] = async (method, path, body, type = "application/json") => {
    const { statusCode, body: answer } = await pool.request({
      method,
      path,
      headers: { ...headers, "content-type": type },
      ...(body === undefined ? {} : { body }),
    });
    const text = await answer.text();
    if (statusCode >= 400) throw new Error(`${method} ${path} answered ${statusCode}: ${text.slice(0, 300)}`);
    return text;
  };
  await request("GET", "/readyz");
  return {
    startMs: performance.now() - started,
    request,
    countEvents: async (path, lines) => {
      const { body } = await watchers.request({ method: "GET", path, headers });
      let seen = 0;
      for await (const chunk of body as AsyncIterable<Buffer>) {
        seen += chunk.filter((byte) => byte === 10).length;
        if (seen >= lines) break;
      }
    },
    residentMiB: async () => {
      const sizes = await Promise.all(pids.map(residentOf));
      return sizes.reduce((sum, size) => sum + size, 0);
    },
    stop: async () => {
      await Promise.all([pool.destroy(), watchers.destroy()]);
      await stop();
    },
  };
}

async function residentOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
}
