import { equal, match, ok } from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, test } from "@jest/globals";
import { ApiServerProcess } from "../api-server.ts";
import { type Finished, kyma, run } from "../programs.ts";

const canary = randomBytes(18).toString("hex");
let server: ApiServerProcess;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "kyma-bundle-"));
  server = await ApiServerProcess.start("--authorization-mode", "RBAC");
  await server.kubectl(["create", "namespace", "kcp-system"]);
  await server.kubectl(["-n", "kcp-system", "create", "secret", "generic", "s", `--from-literal=config=${canary}`]);
  await server.kubectl(["-n", "kcp-system", "create", "deployment", "d", "--image", "d:1"]);
  await server.kubectl(["-n", "kcp-system", "set", "env", "deployment/d", `REGISTRY_TOKEN=${canary}`]);
  await server.kubectl(["-n", "kcp-system", "annotate", "deployment/d", `example.org/kubeconfig=${canary}`]);
});
afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

const output = (): string => join(folder, "bundle.tgz");
const bundle = (kubeconfig: string): Promise<Finished> =>
  kyma(["support-bundle", "-o", output(), "--kubeconfig", kubeconfig]);

describe("kyma support-bundle", () => {
  test("writes what the cluster says, readable by its owner only, and no secret", async () => {
    const { code, stdout, stderr } = await bundle(server.kubeconfig);
    equal(code, 0, stderr);
    equal((await stat(output())).mode & 0o777, 0o600);
    const text = gunzipSync(await readFile(output())).toString("utf8");
    ok(text.includes("kyma-support/objects/deployments.apps.yaml"));
    ok(text.includes("name: REGISTRY_TOKEN"));
    match(text, /kymas in kcp-system: not known to the cluster/);
    ok(!`${text}${stdout}${stderr}`.includes(canary));
  });

  test("tar lists it", async () => {
    equal((await bundle(server.kubeconfig)).code, 0);
    const { code, stdout } = await run("tar", ["-tzf", output()]);
    equal(code, 0);
    const names = stdout.trim().split("\n");
    ok(names.includes("kyma-support/summary.txt"));
    equal(names.join(), names.toSorted().join());
  });

  test("names what an account without rights can't read, and goes on", async () => {
    await server.kubectl(["-n", "kcp-system", "create", "serviceaccount", "nobody"]);
    const token = (await server.kubectl(["-n", "kcp-system", "create", "token", "nobody"])).trim();
    const own = join(folder, "nobody.kubeconfig");
    const view = await server.kubectl(["config", "view", "--raw", "-o", "json"]);
    const config = JSON.parse(view) as { users: readonly { readonly name: string }[] };
    const users = config.users.map(({ name }) => ({ name, user: { token } }));
    await writeFile(own, JSON.stringify({ ...config, users }), { mode: 0o600 });
    const { code, stderr } = await bundle(own);
    equal(code, 0, stderr);
    match(stderr, /not in it: deployments in kcp-system: .*forbidden/i);
    ok(!stderr.includes(token));
  });

  test("ends with 5 when no cluster answers", async () => {
    const gone = JSON.stringify({
      apiVersion: "v1",
      kind: "Config",
      clusters: [{ name: "c", cluster: { server: "https://127.0.0.1:9" } }],
      users: [{ name: "u", user: {} }],
      contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
      "current-context": "x",
    });
    const path = join(folder, "gone.kubeconfig");
    await writeFile(path, gone);
    equal((await bundle(path)).code, 5);
  });
});
