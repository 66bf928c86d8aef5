import { equal, match } from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, test } from "@jest/globals";
import { oracles } from "../testing/oracles/index.ts";
import { ApiServerProcess } from "./api-server.ts";
import { run } from "./programs.ts";

/** A chart with a definition, an object of it, a workload, hooks and a test. */
const chart: Readonly<Record<string, string>> = {
  "Chart.yaml": "apiVersion: v2\nname: app\nversion: 1.0.0\n",
  "values.yaml": "replicas: 1\n",
  "crds/things.yaml": `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: things, kind: Thing}
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}
`,
  "templates/thing.yaml": "apiVersion: example.com/v1\nkind: Thing\nmetadata: {name: thing}\nspec: {size: 1}\n",
  "templates/app.yaml": `
apiVersion: apps/v1
kind: Deployment
metadata: {name: app}
spec:
  replicas: {{ .Values.replicas }}
  selector: {matchLabels: {app: app}}
  template:
    metadata: {labels: {app: app}}
    spec: {containers: [{name: app, image: "registry.example.test/app:1"}]}
---
apiVersion: v1
kind: Service
metadata: {name: app}
spec: {selector: {app: app}, ports: [{port: 80}]}
`,
  "templates/hook.yaml": `
apiVersion: batch/v1
kind: Job
metadata:
  name: before
  annotations: {helm.sh/hook: "pre-install,pre-upgrade", helm.sh/hook-delete-policy: before-hook-creation}
spec:
  template:
    spec: {restartPolicy: Never, containers: [{name: hook, image: "registry.example.test/hook:1"}]}
`,
  "templates/test.yaml": `
apiVersion: v1
kind: Pod
metadata: {name: try, annotations: {helm.sh/hook: test}}
spec: {restartPolicy: Never, containers: [{name: try, image: "registry.example.test/try:1"}]}
`,
};

let server: ApiServerProcess;
let folder = "";
beforeAll(async () => {
  server = await ApiServerProcess.start();
  folder = await mkdtemp(join(tmpdir(), "chart-"));
  for (const [name, text] of Object.entries(chart)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
}, 60_000);
afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

describe("real helm on the embedded server", () => {
  for (const program of ["helm", "helm3"] as const) {
    test(`${program} installs, upgrades, tests, rolls back and uninstalls`, async () => {
      const path = (await oracles())[program];
      const namespace = `story-${program}`;
      const replicas = (): Promise<string> =>
        server.kubectl(["-n", namespace, "get", "deployment", "app", "-o", "jsonpath={.status.availableReplicas}"]);
      const helm = async (...args: readonly string[]): Promise<string> => {
        const { code, stdout, stderr } = await run(path, ["--kubeconfig", server.kubeconfig, "-n", namespace, ...args]);
        if (code !== 0) throw new Error(`${program} ${args.join(" ")} answered ${code}: ${stderr}`);
        return stdout;
      };
      match(await helm("install", "app", folder, "--create-namespace", "--wait", "--timeout=40s"), /STATUS: deployed/);
      equal(await server.kubectl(["-n", namespace, "get", "job", "before", "-o", "jsonpath={.status.succeeded}"]), "1");
      equal(await server.kubectl(["-n", namespace, "get", "thing", "thing", "-o", "jsonpath={.spec.size}"]), "1");
      await helm("upgrade", "app", folder, "--set", "replicas=3", "--wait", "--timeout=40s");
      equal(await replicas(), "3");
      match(await helm("test", "app"), /Phase: +Succeeded/);
      await helm("rollback", "app", "1", "--wait", "--timeout=40s");
      equal(await replicas(), "1");
      match(await helm("history", "app"), /Rollback to 1/);
      await helm("uninstall", "app", "--wait", "--timeout=40s");
      equal(await server.kubectl(["-n", namespace, "get", "deployment,service,things", "-o", "name"]), "");
    }, 120_000);
  }
});
