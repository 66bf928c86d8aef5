import { deepEqual, equal, match, ok } from "node:assert/strict";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, test } from "@jest/globals";
import type { AnyObject } from "@kyma-operators/kube";
import { makeKeyPair } from "../../../testing/index.ts";
import { type ApiServer, startApiServer } from "../../index.ts";
import { valueAt } from "../../resources/kinds/edit.ts";

/** What the image runs: serves its environment, files and arguments, denies as a webhook, and ends when told to. */
const script = `
import { createServer } from "node:http";
import { createServer as createTls } from "node:https";
import { readFileSync } from "node:fs";
console.log("started with", process.argv.slice(2).join(" "));
if (process.argv.includes("--crash")) process.exit(3);
if (process.argv.includes("--done")) process.exit(0);
createServer((request, response) => {
  if (request.url === "/exit") process.exit(7);
  response.end(JSON.stringify({ args: process.argv.slice(2), env: process.env }));
}).listen(8080);
if (process.env.CERTS) createTls({ key: readFileSync(process.env.CERTS + "/tls.key"), cert: readFileSync(process.env.CERTS + "/tls.crt") }, async (request, response) => {
  let text = "";
  for await (const chunk of request) text += chunk;
  const { request: { uid } } = JSON.parse(text);
  response.end(JSON.stringify({ apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", response: { uid, allowed: false, status: { message: "no maps today" } } }));
}).listen({ port: 9443 });
process.on("SIGTERM", () => { console.log("told to stop"); process.exit(0); });
`;

let folder = "";
let server: ApiServer;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "own-image-"));
  await writeFile(join(folder, "program.mjs"), script);
  server = await startApiServer({
    workload: {
      ownImage: {
        names: ["ours"],
        script: join(folder, "program.mjs"),
        workingDir: folder,
        dataDir: join(folder, "pods"),
      },
    },
  });
});
afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

async function send(method: string, path: string, body?: object): Promise<{ status: number; text: string }> {
  const { status, body: chunks } = await server.transport({
    method,
    path,
    headers: { "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const parts: Uint8Array[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  return { status, text: Buffer.concat(parts).toString() };
}

const podPath = (name: string): string => `/api/v1/namespaces/default/pods/${name}`;

/** The Pod once it is as wanted. */
async function podThat(name: string, isWanted: (pod: AnyObject) => boolean): Promise<AnyObject> {
  for (let attempt = 0; ; attempt += 1) {
    const { status, text } = await send("GET", podPath(name));
    const pod = JSON.parse(text) as AnyObject;
    if (status === 200 && isWanted(pod)) return pod;
    if (attempt > 200) throw new Error(`${name} is ${JSON.stringify(pod.status)}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function untilFolderIsGone(pod: string): Promise<void> {
  const isThere = async (): Promise<boolean> =>
    (await readdir(join(folder, "pods"))).some((name) => name.startsWith(`default_${pod}_`));
  while (await isThere()) await new Promise((resolve) => setTimeout(resolve, 50));
}

const isReady = ({ status }: AnyObject): boolean =>
  (valueAt(status, "conditions") as { type: string; status: string }[] | undefined)?.some(
    (one) => one.type === "Ready" && one.status === "True",
  ) === true;
const containerOf = ({ status }: AnyObject): unknown =>
  (valueAt(status, "containerStatuses") as unknown[] | undefined)?.[0];

async function createPod(name: string, container: object, spec: object = {}): Promise<void> {
  const { status, text } = await send("POST", "/api/v1/namespaces/default/pods", {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, labels: { app: name } },
    spec: { ...spec, containers: [{ name: "main", image: "registry.example.test/ours:1", ...container }] },
  });
  equal(status, 201, text);
}

const port = ({ metadata }: AnyObject, of: number): number =>
  (JSON.parse(metadata.annotations?.["simulator.kyma-project.io/host-ports"] ?? "{}") as Record<string, number>)[of] ??
  0;

describe("Pods of our own image", () => {
  test("run with arguments, environment and volumes, become Ready by their probe, and stop when deleted", async () => {
    await send("POST", "/api/v1/namespaces/default/configmaps", {
      metadata: { name: "settings" },
      data: { "a.txt": "1" },
    });
    await createPod(
      "web",
      {
        args: ["--file=/etc/settings/a.txt"],
        env: [{ name: "WHO", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } }],
        ports: [{ name: "http", containerPort: 8080 }],
        readinessProbe: { httpGet: { path: "/", port: "http" }, periodSeconds: 1 },
        volumeMounts: [{ name: "settings", mountPath: "/etc/settings" }],
      },
      { volumes: [{ name: "settings", configMap: { name: "settings" } }] },
    );
    const pod = await podThat("web", isReady);
    const answer = (await (await fetch(`http://127.0.0.1:${port(pod, 8080)}/`)).json()) as {
      args: readonly string[];
      env: Record<string, string>;
    };
    match(answer.args[0] ?? "", /^--file=.*default_web_.*\/volumes\/settings\/a\.txt$/);
    deepEqual([answer.env.WHO, answer.env.HOSTNAME], ["web", "web"]);
    ok(answer.env.KUBECONFIG?.includes("default_web_"));
    equal(answer.env.KYMA_CONTAINER_PORTS, undefined);
    match((await send("GET", `${podPath("web")}/log?tailLines=1`)).text, /^started with --file=/);
    const following = send("GET", `${podPath("web")}/log?follow=true`);
    await send("DELETE", podPath("web"));
    match((await following).text, /^started with [^]*told to stop\n$/);
    while ((await send("GET", podPath("web"))).status !== 404) await new Promise((resolve) => setTimeout(resolve, 50));
    await untilFolderIsGone("web");
  });

  test("start again at once, then later and later", async () => {
    await createPod("crash", { args: ["--crash"], terminationMessagePolicy: "FallbackToLogsOnError" });
    const pod = await podThat(
      "crash",
      (one) =>
        valueAt(containerOf(one), "state", "waiting") !== undefined && valueAt(containerOf(one), "restartCount") === 1,
    );
    deepEqual(valueAt(containerOf(pod), "state", "waiting"), {
      reason: "CrashLoopBackOff",
      message: "back-off 10s restarting failed container=main pod=crash_default",
    });
    equal(valueAt(containerOf(pod), "lastState", "terminated", "exitCode"), 3);
    equal(valueAt(containerOf(pod), "lastState", "terminated", "message"), "started with --crash\n");
    equal(valueAt(pod, "status", "phase"), "Running");
    await send("DELETE", podPath("crash"));
  });

  test("complete when they may, and are not started again", async () => {
    await createPod("done", { args: ["--done"] }, { restartPolicy: "OnFailure" });
    const pod = await podThat("done", ({ status }) => valueAt(status, "phase") === "Succeeded");
    equal(valueAt(containerOf(pod), "restartCount"), 0);
    await send("DELETE", podPath("done"));
    await untilFolderIsGone("done");
  });

  test("show the log of the one main container unasked, beside init containers", async () => {
    const first = { name: "first", image: "registry.example.test/ours:1", args: ["--done"] };
    await createPod("second", { args: ["--done"] }, { initContainers: [first], restartPolicy: "Never" });
    await podThat("second", ({ status }) => valueAt(status, "phase") === "Succeeded");
    deepEqual(await send("GET", `${podPath("second")}/log`), { status: 200, text: "started with --done\n" });
  });

  test("have no volume whose name leads out of their folder", async () => {
    const { status, text } = await send("POST", "/api/v1/namespaces/default/pods", {
      metadata: { name: "climber" },
      spec: {
        containers: [{ name: "main", image: "registry.example.test/ours:1" }],
        volumes: [{ name: "../../../outside", emptyDir: {} }],
      },
    });
    equal(status, 422);
    match(text, /spec\.volumes\[0\]\.name: Invalid value/);
  });

  test("say what is missing before they can start", async () => {
    await createPod("lacks", { envFrom: [{ secretRef: { name: "none" } }] });
    const pod = await podThat("lacks", (one) => valueAt(containerOf(one), "state", "waiting", "message") !== undefined);
    deepEqual(valueAt(containerOf(pod), "state", "waiting"), {
      reason: "CreateContainerConfigError",
      message: 'secret "none" not found',
    });
    await send("DELETE", podPath("lacks"));
  });

  test("are reached by webhooks through their Service", async () => {
    const pair = await makeKeyPair({ name: "hooks.default.svc" });
    const base64 = (text: string): string => Buffer.from(text).toString("base64");
    await send("POST", "/api/v1/namespaces/default/secrets", {
      metadata: { name: "certs" },
      data: { "tls.key": base64(pair.key), "tls.crt": base64(pair.certificate) },
    });
    await createPod(
      "hooks",
      {
        env: [{ name: "CERTS", value: "/certs" }],
        ports: [{ name: "hooks", containerPort: 9443 }],
        readinessProbe: { tcpSocket: { port: 9443 }, periodSeconds: 1 },
        volumeMounts: [{ name: "certs", mountPath: "/certs" }],
      },
      { volumes: [{ name: "certs", secret: { secretName: "certs" } }] },
    );
    await podThat("hooks", isReady);
    await send("POST", "/api/v1/namespaces/default/services", {
      metadata: { name: "hooks" },
      spec: { selector: { app: "hooks" }, ports: [{ port: 443, targetPort: "hooks" }] },
    });
    await send("POST", "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations", {
      metadata: { name: "hooks" },
      webhooks: [
        {
          name: "hooks.example.org",
          clientConfig: { service: { namespace: "default", name: "hooks" }, caBundle: base64(pair.certificate) },
          rules: [{ operations: ["CREATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] }],
          sideEffects: "None",
          admissionReviewVersions: ["v1"],
        },
      ],
    });
    const { status, text } = await send("POST", "/api/v1/namespaces/default/configmaps", {
      metadata: { name: "refused" },
    });
    equal(status, 400, text);
    match(text, /admission webhook \\"hooks.example.org\\" denied the request: no maps today/);
  });
});
