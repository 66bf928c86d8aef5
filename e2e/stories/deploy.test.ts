import { deepEqual, equal, match } from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, test } from "@jest/globals";
import { startRegistry } from "../../testing/registry.ts";
import { ApiServerProcess } from "../api-server.ts";
import { builtProgram, eventually, type Finished, kyma, type Running, start } from "../programs.ts";

const manifest = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: demos.operator.example.org}
spec:
  group: operator.example.org
  scope: Namespaced
  names: {kind: Demo, listKind: DemoList, plural: demos, singular: demo}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: demo-manager, namespace: kyma-system}
spec:
  selector: {matchLabels: {app: demo}}
  template:
    metadata: {labels: {app: demo}}
    spec: {containers: [{name: manager, image: "demo:VERSION"}]}
`;
const config = (version: string) => `name: example.org/module/demo
version: ${version}
channel: regular
manifest: manifest-${version}.yaml
manager: {group: apps, version: v1, kind: Deployment, name: demo-manager, namespace: kyma-system}
`;
const list = `apiVersion: cli.kyma-project.io/v1alpha1
kind: ModuleList
modules:
- name: demo
  resources:
  - apiVersion: operator.example.org/v1
    kind: Demo
    metadata: {name: second, namespace: default}
`;

let folder = "";
let server: ApiServerProcess;
let registry: Awaited<ReturnType<typeof startRegistry>>;
let operator: Running | undefined;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "kyma-deploy-"));
  server = await ApiServerProcess.start("--authorization-mode", "RBAC");
  registry = await startRegistry({});
  await writeFile(join(folder, "list.yaml"), list);
  for (const version of ["1.0.0", "1.1.0"]) {
    await writeFile(join(folder, `manifest-${version}.yaml`), manifest.replace("VERSION", version));
    await writeFile(join(folder, `config-${version}.yaml`), config(version));
    const flags = ["-c", `config-${version}.yaml`, "-o", `template-${version}.yaml`, "-r", `${registry.url}/modules`];
    const { code, stderr } = await kyma(["module", "create", ...flags], { cwd: folder });
    equal(code, 0, stderr);
  }
}, 90_000);
afterAll(async () => {
  operator?.child.kill("SIGTERM");
  await operator?.finished;
  await registry.stop();
  await server.stop();
  await rm(folder, { recursive: true, force: true });
}, 30_000);

const address = () => server.kubectl(["config", "view", "--raw", "-o", "jsonpath={.clusters[0].cluster.server}"]);

async function deploy(...args: readonly string[]): Promise<Finished> {
  const reach = ["--registry", `${registry.url}/modules`, "--cluster-address", await address()];
  const flags = ["--kubeconfig", server.kubeconfig, ...reach, ...args];
  return kyma(["deploy", ...flags], { cwd: folder, timeoutMs: 90_000 });
}

/** Starts what the Deployment would run, with the rights of its service account. */
async function startOperator(): Promise<void> {
  const admin = await server.kubectl(["config", "view", "--raw", "-o", "json"]);
  const token = await server.kubectl(["-n", "kcp-system", "create", "token", "kyma-operator"]);
  const own = { ...(JSON.parse(admin) as { users: { name: string; user: unknown }[] }) };
  own.users = own.users.map(({ name }) => ({ name, user: { token: token.trim() } }));
  const kubeconfig = join(folder, "operator.kubeconfig");
  await writeFile(kubeconfig, JSON.stringify(own));
  const path = "jsonpath={.spec.template.spec.containers[0].args}";
  const args = JSON.parse(
    await server.kubectl(["-n", "kcp-system", "get", "deployment", "kyma-operator", "-o", path]),
  ) as string[];
  const here = [
    `--kubeconfig=${kubeconfig}`,
    `--data-dir=${join(folder, "cache")}`,
    "--metrics-bind-address=0",
    "--health-probe-bind-address=127.0.0.1:0",
    "--kyma-skr-listener-bind-address=127.0.0.1:0",
    "--module-upgrade-rollout-max-delay=0",
  ];
  operator = start(process.execPath, [builtProgram("operator"), ...args, ...here], { timeoutMs: 300_000 });
}

const versions = () =>
  server.kubectl([
    "get",
    "crd,deployments,secrets,services,roles,clusterroles,kymas,moduletemplates,modulereleasemetas",
    "-A",
    "-o",
    'jsonpath={range .items[*]}{.kind}/{.metadata.name}@{.metadata.resourceVersion}{"\\n"}{end}',
  ]);

describe("kyma deploy", () => {
  test("its dry run needs no cluster and is accepted by real kubectl", async () => {
    const { code, stdout, stderr } = await kyma(["deploy", "--dry-run"], { cwd: folder });
    deepEqual([code, stderr], [0, ""]);
    await writeFile(join(folder, "plan.yaml"), stdout);
    // The CRDs and the namespace must be there before what needs them can be tried.
    equal((await deploy("--timeout", "3s")).code, 3);
    match(
      await server.kubectl([
        "apply",
        "--server-side",
        "--dry-run=server",
        "--field-manager=kyma-cli",
        "-f",
        join(folder, "plan.yaml"),
        "--force-conflicts",
      ]),
      /kyma\.operator\.kyma-project\.io\/default serverside-applied \(server dry run\)/,
    );
  }, 60_000);

  test("attaching to it succeeds once the operator runs", async () => {
    await startOperator();
    const { code, stderr } = await deploy("--attach", "--timeout", "60s");
    equal(code, 0, `${stderr}\n${operator?.output() ?? ""}`);
  }, 90_000);

  test("installs a module with a resource of the list, and a second run changes nothing", async () => {
    const flags = ["--template", "template-1.0.0.yaml", "-f", "list.yaml", "--timeout", "60s"];
    const first = await deploy(...flags);
    equal(first.code, 0, `${first.stdout}${first.stderr}\n${operator?.output() ?? ""}`);
    match(await server.kubectl(["get", "demos", "-A"]), /default +second/);
    match(await server.kubectl(["-n", "kyma-system", "get", "deployments"]), /demo-manager +1\/1/);
    const before = await versions();
    equal((await deploy(...flags)).code, 0);
    equal(await versions(), before);
  }, 150_000);

  test("a newer release upgrades the module", async () => {
    const { code, stderr } = await deploy("--template", "template-1.1.0.yaml", "--timeout", "60s");
    equal(code, 0, stderr);
    const image = "jsonpath={.spec.template.spec.containers[0].image}";
    await eventually(
      async () => {
        const found = await server.kubectl(["-n", "kyma-system", "get", "deployment", "demo-manager", "-o", image]);
        return found === "demo:1.1.0" ? true : undefined;
      },
      () => operator?.output() ?? "",
    );
    match((await kyma(["status", "--kubeconfig", server.kubeconfig])).stdout, /Module +default\/demo +1\.1\.0 +Ready/);
  }, 120_000);

  test("undeploy removes modules, Kyma, operator and CRDs, once no resource of a user is in the way", async () => {
    await server.kubectl(["delete", "demo", "second"]);
    const { code, stdout, stderr } = await kyma(["undeploy", "--kubeconfig", server.kubeconfig, "--timeout", "60s"], {
      timeoutMs: 90_000,
    });
    equal(code, 0, `${stdout}${stderr}\n${operator?.output() ?? ""}`);
    equal(await server.kubectl(["get", "crd", "-o", "name"]), "");
    equal((await server.try(["get", "namespace", "kcp-system"])).code, 1);
    equal((await server.try(["-n", "kyma-system", "get", "deployment", "demo-manager"])).code, 1);
  }, 120_000);
});
