import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Agent, request } from "undici";
import { startApiServer } from "../apiserver/index.ts";

/** A running API server and an administrator's credentials for it. */
export interface TestServer {
  readonly url: string;
  readonly caCertificate: string;
  readonly token: string;
  /** Its processes; none for a server in this one. */
  readonly pids: readonly number[];
  stop(): Promise<void>;
}

/**
 * The embedded server as a cluster without nodes: nothing runs the Pods.
 *
 * @param options - `workload: true` runs the controllers of workloads
 */
export async function startEmbeddedServer(options: { readonly workload?: boolean } = {}): Promise<TestServer> {
  const workload = options.workload === true ? { node: false } : false;
  const server = await startApiServer({ authorizationMode: "RBAC", workload });
  const token = /token: (\S+)/.exec(server.tokenKubeconfig())?.[1] ?? "";
  return { url: server.url, caCertificate: server.caCertificate, token, pids: [], stop: () => server.stop() };
}

/**
 * A real etcd, kube-apiserver and kube-controller-manager from a folder of programs, on loopback, for one test run.
 *
 * @param options - `controllers: false` leaves the kube-controller-manager out
 */
export async function startKubeApiServer(
  assets: string,
  options: { readonly controllers?: boolean } = {},
): Promise<TestServer> {
  const folder = await mkdtemp(join(tmpdir(), "kube-apiserver-"));
  const processes: ChildProcess[] = [];
  const stop = async (): Promise<void> => {
    await Promise.all(processes.toReversed().map(end));
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const place = { assets, folder, processes };
    const server = await start(place);
    if (options.controllers !== false) await startControllers(place, server);
    return { ...server, pids: processes.flatMap(({ pid }) => pid ?? []), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

interface Place {
  readonly assets: string;
  readonly folder: string;
  readonly processes: ChildProcess[];
}

function run({ assets, folder, processes }: Place, program: string, flags: readonly string[]): void {
  processes.push(spawn(join(assets, program), flags, { cwd: folder, stdio: "ignore" }));
}

type Reachable = Omit<TestServer, "stop" | "pids">;

async function start(place: Place): Promise<Reachable> {
  const { folder } = place;
  const [etcdPort, port] = [await freePort(), await freePort()];
  const token = randomBytes(24).toString("hex");
  await writeFile(join(folder, "tokens.csv"), `${token},admin,admin,"system:masters"\n`, { mode: 0o600 });
  const peer = "http://127.0.0.1:0";
  const client = `http://127.0.0.1:${etcdPort}`;
  run(place, "etcd", [
    "--name=t",
    `--data-dir=${folder}/etcd`,
    "--unsafe-no-fsync",
    `--listen-client-urls=${client}`,
    `--advertise-client-urls=${client}`,
    `--listen-peer-urls=${peer}`,
    `--initial-advertise-peer-urls=${peer}`,
    `--initial-cluster=t=${peer}`,
  ]);
  await writeServiceKey(folder);
  const pki = `${folder}/pki`;
  run(place, "kube-apiserver", [
    `--etcd-servers=${client}`,
    "--bind-address=127.0.0.1",
    `--secure-port=${port}`,
    "--advertise-address=127.0.0.1",
    "--endpoint-reconciler-type=none",
    `--cert-dir=${pki}`,
    "--service-account-issuer=https://kubernetes.default.svc",
    `--service-account-key-file=${folder}/sa.key`,
    `--service-account-signing-key-file=${folder}/sa.key`,
    `--token-auth-file=${folder}/tokens.csv`,
    "--authorization-mode=RBAC",
    "--service-cluster-ip-range=10.0.0.0/24",
    "--allow-privileged=true",
  ]);
  const url = `https://127.0.0.1:${port}`;
  const caCertificate = await certificateOf(pki);
  await answers(`${url}/readyz`, { caCertificate, token });
  return { url, caCertificate, token };
}

async function startControllers(place: Place, server: Reachable): Promise<void> {
  const { folder } = place;
  const pki = `${folder}/pki`;
  const kubeconfig = join(folder, "kubeconfig");
  await writeFile(kubeconfig, tokenKubeconfig(server), { mode: 0o600 });
  run(place, "kube-controller-manager", [
    `--kubeconfig=${kubeconfig}`,
    `--authentication-kubeconfig=${kubeconfig}`,
    `--authorization-kubeconfig=${kubeconfig}`,
    "--bind-address=127.0.0.1",
    "--secure-port=0",
    `--cert-dir=${pki}`,
    `--service-account-private-key-file=${folder}/sa.key`,
    `--root-ca-file=${pki}/apiserver.crt`,
    "--use-service-account-credentials=true",
    "--leader-elect=false",
    "--kube-api-qps=200",
    "--kube-api-burst=400",
  ]);
  await answers(`${server.url}/api/v1/namespaces/default/serviceaccounts/default`, server);
}

async function writeServiceKey(folder: string): Promise<void> {
  const { generateKeyPairSync } = await import("node:crypto");
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  await writeFile(join(folder, "sa.key"), privateKey.export({ type: "sec1", format: "pem" }), { mode: 0o600 });
}

/** A kubeconfig for a server by token. */
export function tokenKubeconfig({ url, caCertificate, token }: Reachable): string {
  const cluster = { server: url, "certificate-authority-data": Buffer.from(caCertificate).toString("base64") };
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "c", cluster }],
    users: [{ name: "u", user: { token } }],
    contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
    "current-context": "x",
  });
}

/** The server makes its own certificate when it starts; its issuer is in the same file. */
async function certificateOf(pki: string): Promise<string> {
  return patiently(() => readFile(join(pki, "apiserver.crt"), "utf8"));
}

async function answers(url: string, { caCertificate, token }: { caCertificate: string; token: string }): Promise<void> {
  const dispatcher = new Agent({ connect: { ca: caCertificate } });
  await patiently(async () => {
    const { statusCode, body } = await request(url, { dispatcher, headers: { authorization: `Bearer ${token}` } });
    await body.dump();
    if (statusCode !== 200) throw new Error(`${url} answers ${statusCode}`);
  });
  await dispatcher.close();
}

const patienceMs = 120_000;

async function patiently<T>(attempt: () => Promise<T>): Promise<T> {
  const deadline = Date.now() + patienceMs;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { readonly port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  const timer = setTimeout(() => child.kill("SIGKILL"), 10_000);
  await ended;
  clearTimeout(timer);
}
