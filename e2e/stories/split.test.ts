import { deepEqual, equal } from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, test } from "@jest/globals";
import { startRegistry } from "../../testing/registry.ts";
import { ApiServerProcess } from "../api-server.ts";
import { builtProgram, eventually, kyma, type Running, start } from "../programs.ts";

const manifest = `apiVersion: apps/v1
kind: Deployment
metadata: {name: demo-manager, namespace: kyma-system}
spec:
  selector: {matchLabels: {app: demo}}
  template:
    metadata: {labels: {app: demo}}
    spec: {containers: [{name: manager, image: "demo:1.0.0"}]}
`;
const config = "name: example.org/module/demo\nversion: 1.0.0\nchannel: regular\nmanifest: manifest.yaml\n";
/** The Deployments of config/split that need no garden. */
const parts = ["kyma", "mandatory-module", "manifest"];

let folder = "";
let server: ApiServerProcess;
let registry: Awaited<ReturnType<typeof startRegistry>>;
const operators: Running[] = [];

const onPlane = (...args: readonly string[]): Promise<string> => server.kubectl(["-n", "kcp-system", ...args]);

/** Starts what a Deployment of the overlay would run, as its account. */
async function startPart(part: string): Promise<void> {
  const token = (await onPlane("create", "token", `kyma-operator-${part}`)).trim();
  const admin = JSON.parse(await server.kubectl(["config", "view", "--raw", "-o", "json"])) as {
    users: { name: string; user: object }[];
  };
  const kubeconfig = join(folder, `${part}.kubeconfig`);
  const users = admin.users.map(({ name }) => ({ name, user: { token } }));
  await writeFile(kubeconfig, JSON.stringify({ ...admin, users }), { mode: 0o600 });
  const path = "jsonpath={.spec.template.spec.containers[0].args}";
  const args = JSON.parse(await onPlane("get", "deployment", `kyma-operator-${part}`, "-o", path)) as string[];
  const own = args.filter((arg) => !arg.startsWith("--oci-registry-cred-secret"));
  const here = [
    `--kubeconfig=${kubeconfig}`,
    `--data-dir=${join(folder, part)}`,
    `--oci-registry-host=${registry.url}`,
    "--modules-repository-subpath=modules",
    "--metrics-bind-address=0",
    "--health-probe-bind-address=0",
    "--kyma-skr-listener-bind-address=127.0.0.1:0",
  ];
  operators.push(start(process.execPath, [builtProgram("operator"), ...own, ...here], { timeoutMs: 300_000 }));
}

/** A module in the registry and in the catalog, and a Kyma whose cluster is this one. */
async function addModule(): Promise<void> {
  await writeFile(join(folder, "manifest.yaml"), manifest);
  await writeFile(join(folder, "config.yaml"), config);
  const flags = ["-c", "config.yaml", "-o", "template.yaml", "-r", `${registry.url}/modules`];
  const { code, stderr } = await kyma(["module", "create", ...flags], { cwd: folder });
  equal(code, 0, stderr);
  await onPlane("apply", "-f", join(folder, "template.yaml"));
}

async function addKyma(): Promise<void> {
  const access = {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "kubeconfig-one", labels: { "operator.kyma-project.io/kyma-name": "one" } },
    stringData: { config: await readFile(server.kubeconfig, "utf8") },
  };
  const object = {
    apiVersion: "operator.kyma-project.io/v1beta2",
    kind: "Kyma",
    metadata: { name: "one" },
    spec: { channel: "regular", modules: [{ name: "demo" }] },
  };
  for (const input of [access, object]) {
    await server.kubectl(["-n", "kcp-system", "apply", "-f", "-"], { input: JSON.stringify(input) });
  }
}

const outputs = (): string => operators.map((operator) => operator.output()).join("\n");

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "kyma-split-"));
  server = await ApiServerProcess.start("--authorization-mode", "RBAC");
  registry = await startRegistry({});
  await server.kubectl(["apply", "--server-side", "-k", "config/split"]);
  await server.kubectl(["wait", "crd", "--all", "--for=condition=Established", "--timeout=30s"]);
  await addModule();
  for (const part of parts) await startPart(part);
}, 120_000);
afterAll(async () => {
  for (const { child, finished } of operators) {
    child.kill("SIGTERM");
    await finished;
  }
  await registry.stop();
  await server.stop();
  await rm(folder, { recursive: true, force: true });
}, 30_000);

describe("one process per controller, each with its own account", () => {
  test("together they install a module", async () => {
    await addKyma();
    const state = "jsonpath={.status.state}/{.status.modules[0].state}";
    await eventually(
      async () => ((await onPlane("get", "kyma", "one", "-o", state)) === "Ready/Ready" ? true : undefined),
      outputs,
    );
    const ready = "jsonpath={.status.readyReplicas}";
    equal(await server.kubectl(["-n", "kyma-system", "get", "deployment", "demo-manager", "-o", ready]), "1");
  }, 90_000);

  test("each leads its own part, under the lease that all of them share", async () => {
    const path = 'jsonpath={range .items[*]}{.metadata.name}={.spec.holderIdentity}{"\\n"}{end}';
    const leases = (await onPlane("get", "leases", "-o", path))
      .trim()
      .split("\n")
      .map((line) => line.split("="));
    const group = "893110f7.kyma-project.io";
    deepEqual(
      leases.map(([name]) => name),
      [group, ...parts.map((part) => `${group}-${part}`)],
    );
    const [shared, ...own] = leases.map(([, holder]) => holder);
    equal(shared, "parts");
    equal(new Set(own).size, parts.length);
  });

  test("none of them was refused anything", () => {
    equal(/KUBE_FORBIDDEN|403/.test(outputs()), false, outputs());
  });
});
