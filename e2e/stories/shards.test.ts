import { deepEqual, equal, ok } from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, test } from "@jest/globals";
import { ApiServerProcess } from "../api-server.ts";
import { builtProgram, eventually, type Running, start } from "../programs.ts";

const names = Array.from({ length: 24 }, (_, index) => `runtime-${index}`);
let folder = "";
let server: ApiServerProcess;
let operators: Running[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "kyma-shards-"));
  server = await ApiServerProcess.start("--authorization-mode", "RBAC");
  await server.kubectl(["create", "namespace", "kcp-system"]);
  await server.kubectl(["create", "namespace", "istio-system"]);
  for (const base of ["crd", "rbac", "watcher"])
    await server.kubectl(["apply", "--server-side", "-k", `config/${base}`]);
  await giveKubeconfig();
  await create("former");
  const former = { status: { storedVersions: ["v1beta1", "v1beta2"] } };
  const patch = ["--subresource=status", "--type=merge", "-p", JSON.stringify(former)];
  await server.kubectl(["patch", "crd", "kymas.operator.kyma-project.io", ...patch]);
  operators = [await startOperator(), await startOperator()];
}, 90_000);
afterAll(async () => {
  for (const { child, finished } of operators) {
    child.kill("SIGTERM");
    await finished;
  }
  await server.stop();
  await rm(folder, { recursive: true, force: true });
}, 30_000);

/** The kubeconfig of the account that an installation gives to the operator, with its rights and no more. */
async function giveKubeconfig(): Promise<void> {
  const token = (await server.kubectl(["create", "token", "kyma-operator", "-n", "kcp-system"])).trim();
  const config = JSON.parse(await server.kubectl(["config", "view", "--raw", "-o", "json"])) as {
    users: { name: string; user: object }[];
  };
  const users = config.users.map(({ name }) => ({ name, user: { token } }));
  await writeFile(join(folder, "operator.kubeconfig"), JSON.stringify({ ...config, users }), { mode: 0o600 });
}

async function startOperator(): Promise<Running> {
  const flags = [
    `--kubeconfig=${join(folder, "operator.kubeconfig")}`,
    `--data-dir=${await mkdtemp(join(folder, "data-"))}`,
    "--controllers=kyma,mandatory-module,manifest,watcher,purge",
    "--shards=8",
    "--oci-registry-host=registry.example.test",
    "--watcher-address=127.0.0.1:1",
    "--cert-management=built-in",
    "--kyma-skr-listener-bind-address=127.0.0.1:0",
    "--metrics-bind-address=0",
    "--health-probe-bind-address=0",
    "--leader-election-lease-duration=4s",
    "--leader-election-renew-deadline=3s",
    "--leader-election-retry-period=500ms",
  ];
  return start(process.execPath, [builtProgram("operator"), ...flags], { timeoutMs: 300_000 });
}

/** Kymas whose status this process has written. */
function handled(operator: Running, prefix: string): ReadonlySet<string> {
  const lines = operator
    .output()
    .split("\n")
    .filter((line) => line.includes('"status changed"'));
  return new Set(
    lines
      .map((line) => (JSON.parse(line) as { context: { name: string } }).context.name)
      .filter((name) => name.startsWith(prefix)),
  );
}

async function create(prefix: string): Promise<readonly string[]> {
  const kymas = names.map((name) => ({
    apiVersion: "operator.kyma-project.io/v1beta2",
    kind: "Kyma",
    metadata: { name: `${prefix}-${name}`, namespace: "kcp-system" },
    spec: { channel: "regular" },
  }));
  const list = { apiVersion: "v1", kind: "List", items: kymas };
  await server.kubectl(["create", "-f", "-"], { input: JSON.stringify(list) });
  return kymas.map(({ metadata }) => metadata.name);
}

/** Waits until each of these Kymas has been looked at: without a cluster they are in state Error. */
async function untilSeen(prefix: string): Promise<void> {
  const states = `jsonpath={range .items[*]}{.metadata.name}={.status.state}{"\\n"}{end}`;
  await eventually(
    async () => {
      const text = await server.kubectl(["get", "kymas", "-n", "kcp-system", "-o", states]);
      const seen = text.split("\n").filter((line) => line.startsWith(`${prefix}-`) && line.endsWith("=Error"));
      return seen.length === names.length ? true : undefined;
    },
    () => operators.map((operator) => operator.output().slice(-2_000)).join("\n---\n"),
  );
}

/** Waits until the shards are split, so that none of them moves any more. */
async function untilSplit(): Promise<void> {
  const holders = 'jsonpath={range .items[*]}{.metadata.name}={.spec.holderIdentity}{"\\n"}{end}';
  let text = "";
  await eventually(
    async () => {
      text = await server.kubectl(["get", "leases", "-n", "kcp-system", "-o", holders]);
      const shards = text.split("\n").filter((line) => line.includes("shard-"));
      const counts = Map.groupBy(shards, (line) => line.slice(line.indexOf("=") + 1));
      return shards.length === 8 && counts.size === 2 && !counts.has("") ? true : undefined;
    },
    () => text,
  );
  // A shard on its way from one to the other shows the new holder only when the old one has let go.
  await new Promise((resolve) => setTimeout(resolve, 1_000));
}

describe("two operators that share the Kymas over eight leases", () => {
  test("each Kyma is looked after by one of them, and both have some", async () => {
    await untilSplit();
    const created = await create("first");
    await untilSeen("first");
    const [one = new Set<string>(), two = new Set<string>()] = operators.map((operator) => handled(operator, "first"));
    deepEqual(
      [...one].filter((name) => two.has(name)),
      [],
    );
    deepEqual([...one, ...two].toSorted(), created.toSorted());
    ok(one.size > 0 && two.size > 0, `${one.size} and ${two.size}`);
    const leases = await server.kubectl(["get", "leases", "-n", "kcp-system", "-o", "name"]);
    equal(leases.match(/893110f7\.kyma-project\.io\S*shard\S*/g)?.length ?? 0, 8, leases);
  }, 120_000);

  test("the one that is left takes everything over within the time of a lease", async () => {
    const [killed, left] = operators;
    if (killed === undefined || left === undefined) throw new Error("there are two operators");
    killed.child.kill("SIGKILL");
    const begun = performance.now();
    const created = await create("second");
    await untilSeen("second");
    const seconds = (performance.now() - begun) / 1_000;
    ok(seconds < 15, `${seconds} s`);
    const seen = handled(left, "second");
    deepEqual(
      created.filter((name) => !seen.has(name)),
      [],
    );
  }, 120_000);

  test("the former version of the CRD leaves the record", async () => {
    const stored = ["get", "crd", "kymas.operator.kyma-project.io", "-o", "jsonpath={.status.storedVersions}"];
    await eventually(
      async () => ((await server.kubectl(stored)) === '["v1beta2"]' ? true : undefined),
      () => operators.map((operator) => operator.output().slice(-2_000)).join("\n---\n"),
    );
  });

  test("no right was missing", () => {
    for (const operator of operators)
      equal(/forbidden/i.test(operator.output()), false, operator.output().slice(-2_000));
  });
});
