import { deepEqual, equal, match } from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, test } from "@jest/globals";
import { ApiServerProcess } from "./api-server.ts";
import { eventually } from "./programs.ts";

let server: ApiServerProcess;
beforeAll(async () => {
  server = await ApiServerProcess.start();
}, 60_000);
afterAll(() => server.stop());

let namespace = "";
let count = 0;
beforeEach(async () => {
  namespace = `story-${++count}`;
  await server.kubectl(["create", "namespace", namespace]);
});

/** kubectl in the namespace of the running test. */
const k = (...args: readonly string[]) => server.kubectl(["-n", namespace, ...args]);
const kWith = (input: string, ...args: readonly string[]) => server.kubectl(["-n", namespace, ...args], { input });

const deployment = (replicas: number, image = "registry.example.test/web:1.0.0") => `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, labels: {app: web}}
spec:
  replicas: ${replicas}
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - {name: web, image: "${image}"}
`;

describe("real kubectl on the embedded server", () => {
  test("create, get, label, annotate, patch and delete", async () => {
    equal(await k("create", "configmap", "a", "--from-literal=x=1"), "configmap/a created\n");
    match(await k("get", "cm"), /^NAME +DATA +AGE\n/);
    await k("label", "cm", "a", "team=blue");
    await k("annotate", "cm", "a", "note=hi");
    await k("patch", "cm", "a", "--type=merge", "-p", '{"data":{"y":"2"}}');
    const found = JSON.parse(await k("get", "cm", "a", "-o", "json")) as {
      data: object;
      metadata: { labels: object; annotations: object };
    };
    deepEqual(
      [found.data, found.metadata.labels, found.metadata.annotations],
      [{ x: "1", y: "2" }, { team: "blue" }, { note: "hi" }],
    );
    match(await k("get", "cm", "-l", "team in (blue,red)", "-o", "name"), /configmap\/a/);
    equal(await k("delete", "cm", "a"), `configmap "a" deleted from ${namespace} namespace\n`);
    equal(
      (await server.try(["-n", namespace, "get", "cm", "a"])).stderr,
      'Error from server (NotFound): configmaps "a" not found\n',
    );
  });

  test("apply on the client: created, unchanged, configured, and what is left out is removed", async () => {
    const cm = (data: string) => `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":${data}}`;
    equal(await kWith(cm('{"x":"1","y":"2"}'), "apply", "-f", "-"), "configmap/a created\n");
    equal(await kWith(cm('{"x":"1","y":"2"}'), "apply", "-f", "-"), "configmap/a unchanged\n");
    const { code, stdout } = await server.try(["-n", namespace, "diff", "-f", "-"], { input: cm('{"x":"3"}') });
    equal(code, 1);
    match(stdout, /-  "y": "2"/);
    equal(await kWith(cm('{"x":"3"}'), "apply", "-f", "-"), "configmap/a configured\n");
    equal(await k("get", "cm", "a", "-o", "jsonpath={.data}"), '{"x":"3"}');
  });

  test("apply on the server names the manager in a conflict, and force takes over", async () => {
    const cm = (x: string) => `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"x":"${x}"}}`;
    await kWith(cm("1"), "apply", "--server-side", "--field-manager=one", "-f", "-");
    const refused = await server.try(["-n", namespace, "apply", "--server-side", "--field-manager=two", "-f", "-"], {
      input: cm("2"),
    });
    equal(refused.code, 1);
    match(refused.stderr, /conflict with "one": \.data\.x/);
    await kWith(cm("2"), "apply", "--server-side", "--field-manager=two", "--force-conflicts", "-f", "-");
    equal(await k("get", "cm", "a", "-o", "jsonpath={.data.x}"), "2");
  });

  test("a Deployment rolls out, scales, is replaced and waited for", async () => {
    await kWith(deployment(2), "apply", "-f", "-");
    match(await k("rollout", "status", "deployment/web", "--timeout=30s"), /successfully rolled out/);
    equal(await k("scale", "deployment/web", "--replicas=3"), "deployment.apps/web scaled\n");
    await k("wait", "deployment/web", "--for=jsonpath={.status.availableReplicas}=3", "--timeout=30s");
    match(
      await k("get", "deploy,rs,pods"),
      /deployment\.apps\/web +3\/3[\s\S]*replicaset\.apps\/web-[\s\S]*pod\/web-\S+ +1\/1 +Running/,
    );
    await kWith(deployment(1, "registry.example.test/web:1.1.0"), "replace", "-f", "-");
    await k("wait", "deployment/web", "--for=condition=Available", "--timeout=30s");
    match(await k("rollout", "status", "deployment/web", "--timeout=30s"), /successfully rolled out/);
    await k("delete", "deployment", "web", "--cascade=foreground", "--timeout=30s");
    equal(await k("get", "rs,pods", "-o", "name"), "");
  }, 60_000);

  test("orphans stay when asked to", async () => {
    await kWith(deployment(1), "apply", "-f", "-");
    await k("rollout", "status", "deployment/web", "--timeout=30s");
    await k("delete", "deployment", "web", "--cascade=orphan");
    match(await k("get", "rs", "-o", "name"), /replicaset\.apps\/web-/);
  }, 60_000);

  test("get -w shows each change once", async () => {
    const watching = await server.follow([
      "-n",
      namespace,
      "get",
      "cm",
      "-w",
      "-o",
      "custom-columns=N:.metadata.name,X:.data.x",
      "--no-headers",
    ]);
    await eventually(
      async () => (watching.output().includes("kube-root-ca.crt") ? true : undefined),
      () => watching.output(),
    );
    await k("create", "configmap", "a", "--from-literal=x=1");
    await k("patch", "cm", "a", "--type=merge", "-p", '{"data":{"x":"2"}}');
    await eventually(
      async () => (/a +1\na +2\n/.test(watching.output()) ? true : undefined),
      () => watching.output(),
    );
    watching.child.kill("SIGTERM");
    await watching.finished;
  });

  test("explain knows built-in kinds, fields and custom kinds", async () => {
    match(await k("explain", "deployment.spec.replicas"), /GROUP: +apps\nKIND: +Deployment\nVERSION: +v1/);
    match(await k("explain", "pod.spec.containers.image"), /FIELD: image <string>/);
  });

  test("an unknown field is refused by name", async () => {
    const { code, stderr } = await server.try(["-n", namespace, "apply", "-f", "-"], {
      input: deployment(1).replace("replicas: 1", "replicaz: 1"),
    });
    equal(code, 1);
    match(stderr, /unknown field "spec\.replicaz"/);
  });

  test("a kind that nobody serves is named as by any server", async () => {
    const { code, stderr } = await server.try(["apply", "-f", "-"], {
      input: "{apiVersion: example.org/v1, kind: Thing, metadata: {name: x}}",
    });
    equal(code, 1);
    match(stderr, /no matches for kind "Thing" in version "example\.org\/v1"\nensure CRDs are installed first/);
  });

  test("edit patches what the editor changed", async () => {
    await k("create", "configmap", "a", "--from-literal=x=1");
    const editor = { KUBE_EDITOR: "sed -i s/x:.*/x:\\ changed/" };
    const { stdout, stderr } = await server.try(["-n", namespace, "edit", "cm", "a"], { env: editor });
    equal(stdout, "configmap/a edited\n", stderr);
    equal(await k("get", "cm", "a", "-o", "jsonpath={.data.x}"), "changed");
  });

  test("create -k builds and creates, a rollout is undone, wait sees a deletion", async () => {
    const folder = await mkdtemp(join(tmpdir(), "kustomization-"));
    await writeFile(join(folder, "kustomization.yaml"), "resources: [web.yaml]\nnamePrefix: my-\n");
    await writeFile(join(folder, "web.yaml"), deployment(1));
    equal(await k("create", "-k", folder), "deployment.apps/my-web created\n");
    await rm(folder, { recursive: true });
    await k("set", "image", "deployment/my-web", "web=registry.example.test/web:2.0.0");
    await k("rollout", "status", "deployment/my-web", "--timeout=30s");
    match(await k("rollout", "history", "deployment/my-web"), /REVISION[\s\S]*1[\s\S]*2/);
    equal(await k("rollout", "undo", "deployment/my-web"), "deployment.apps/my-web rolled back\n");
    await k("rollout", "restart", "deployment/my-web");
    match(await k("rollout", "status", "deployment/my-web", "--timeout=30s"), /successfully rolled out/);
    const image = "jsonpath={.spec.template.spec.containers[0].image}";
    equal(await k("get", "deployment", "my-web", "-o", image), "registry.example.test/web:1.0.0");
    await k("delete", "deployment", "my-web", "--wait=false");
    await k("wait", "deployment/my-web", "--for=delete", "--timeout=30s");
  }, 60_000);
});
