import { deepEqual, equal, match, ok } from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, test } from "@jest/globals";
import type { DeployCluster } from "./deploy-clusters.ts";
import { DeployWorld } from "./deploy-world.ts";
import { builtProgram, eventually, kyma, start } from "./programs.ts";

/** The life of a deployment, told on one kind of cluster. */
export function tellDeployStory(title: string, startCluster: () => Promise<DeployCluster>): void {
  describe(title, () => {
    let world: DeployWorld;
    beforeAll(async () => {
      world = await DeployWorld.start(startCluster);
    }, 180_000);
    afterAll(() => world.stop(), 30_000);

    test("Ctrl-C ends it with 130 at once and says how to come back; it ends without all rights, too (10-1, 10-6, 10-12)", async () => {
      const running = start(process.execPath, [builtProgram("kyma"), ...world.deployArgs([])], { timeoutMs: 60_000 });
      await eventually(
        async () => (running.output().includes("- CRDs") ? true : undefined),
        () => running.output(),
      );
      const beganMs = Date.now();
      // As npx and timeout do it: they hand on what the whole group of processes gets.
      for (const signal of ["SIGINT", "SIGINT"] as const) running.child.kill(signal);
      const { code, stderr } = await running.finished;
      ok(Date.now() - beganMs < 2_000, `it took ${Date.now() - beganMs} ms`);
      equal(code, 130);
      match(stderr, /interrupted; the cluster goes on: watch it with ".*kyma deploy --attach --kubeconfig \S+"/);
      await world.deployed("--timeout", "90s");
      const watched = ["deploy", "--attach", "--kubeconfig", world.cluster.kubeconfig, "--timeout", "60s"];
      await world.succeeds(await kyma(watched, { timeoutMs: 120_000 }));
    }, 180_000);

    test("its dry run needs no cluster and is accepted by real kubectl (10-9)", async () => {
      const { code, stdout, stderr } = await kyma(["deploy", "--dry-run"], { cwd: world.folder });
      deepEqual([code, stderr], [0, ""]);
      await writeFile(join(world.folder, "plan.yaml"), stdout);
      const apply = ["apply", "--server-side", "--dry-run=server", "--field-manager=kyma-cli", "--force-conflicts"];
      match(
        await world.kubectl(...apply, "-f", join(world.folder, "plan.yaml")),
        /kyma\.operator\.kyma-project\.io\/default serverside-applied \(server dry run\)/,
      );
    }, 60_000);

    test("installs a module with a resource of the list, and a second run changes nothing (10-2, 10-8)", async () => {
      const flags = ["--template", "template-1.0.0.yaml", "-f", "list.yaml", "--timeout", "90s"];
      await world.deployed("--wildcard-permissions", ...flags);
      match(await world.kubectl("get", "demos", "-A"), /default +second/);
      match(await world.kubectl("-n", "kyma-system", "get", "deployments"), /demo-manager +1\/1/);
      const before = await world.versions();
      await world.deployed(...flags);
      equal(await world.versions(), before);
    }, 180_000);

    test("values and domain reach a module that is a chart, made from the registry alone", async () => {
      const module = "example.org/module/hello";
      await world.deployed("-m", module, "--domain", "a.example.org", "--timeout", "60s");
      const text = () => world.kubectl("-n", "kyma-system", "get", "configmap", "hello", "-o", "jsonpath={.data.text}");
      equal(await text(), "hello a.example.org");
      const greeting = ["--value", "hello.greeting=moin"];
      await world.deployed("-m", "hello", "--domain", "a.example.org", ...greeting, "--timeout", "60s");
      await eventually(
        async () => ((await text()) === "moin a.example.org" ? true : undefined),
        () => "the value does not arrive",
      );
    }, 180_000);

    test("a newer release upgrades the module before the command ends", async () => {
      await world.deployed("--template", "template-1.1.0.yaml", "--timeout", "90s");
      equal(await world.imageOf("kyma-system", "demo-manager"), "demo:1.1.0");
      const { stdout } = await kyma(["status", "--kubeconfig", world.cluster.kubeconfig]);
      match(stdout, /Module +default\/demo +1\.1\.0 +Ready/);
    }, 150_000);

    test("a newer version upgrades the setup, an older one is refused", async () => {
      await world.deployed("--version", "99.0.0", "--timeout", "90s");
      equal(await world.imageOf("kcp-system", "kyma-operator"), "kyma-operators:99.0.0");
      const refused = await world.deploy();
      equal(refused.code, 1);
      match(refused.stderr, /version 99\.0\.0 is installed, \S+ is older/);
    }, 150_000);

    test("undeploy removes modules, Kyma, operator and CRDs, once no resource of a user is in the way", async () => {
      await world.kubectl("delete", "demo", "second");
      const args = ["undeploy", "--kubeconfig", world.cluster.kubeconfig, "--timeout", "90s"];
      await world.succeeds(await kyma(args, { timeoutMs: 120_000 }));
      equal(await world.kubectl("get", "crd", "-o", "name"), "");
      equal((await world.cluster.try(["get", "namespace", "kcp-system"])).code, 1);
      equal((await world.cluster.try(["-n", "kyma-system", "get", "deployment", "demo-manager"])).code, 1);
    }, 180_000);
  });
}
