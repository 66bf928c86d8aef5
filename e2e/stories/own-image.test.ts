import { equal, match } from "node:assert/strict";
import { join } from "node:path";
import { afterAll, beforeAll, describe, test } from "@jest/globals";
import { makeKeyPair } from "../../testing/index.ts";
import { ApiServerProcess } from "../api-server.ts";
import { eventually, kyma } from "../programs.ts";

let server: ApiServerProcess;
beforeAll(async () => {
  server = await ApiServerProcess.start("--authorization-mode", "RBAC", "--run-own-image");
}, 60_000);
afterAll(() => server.stop());

const image = "registry.example.test/team/kyma-operators:0.1.0";
const rights = `
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: operator}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin}
subjects: [{kind: ServiceAccount, name: default, namespace: default}]
`;
const operator = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: operator, namespace: default}
spec:
  replicas: 2
  selector: {matchLabels: {app: operator}}
  template:
    metadata: {labels: {app: operator}}
    spec:
      containers:
      - name: manager
        image: ${image}
        args: ["--controllers=mandatory-module", "--oci-registry-host=registry.example.test", "--data-dir=/cache"]
        ports: [{name: metrics, containerPort: 8080}, {name: probes, containerPort: 8081}, {name: events, containerPort: 8082}]
        startupProbe: {httpGet: {path: /healthz, port: probes}, periodSeconds: 1, failureThreshold: 60}
        livenessProbe: {httpGet: {path: /healthz, port: probes}}
        readinessProbe: {httpGet: {path: /readyz, port: probes}, periodSeconds: 1}
        volumeMounts: [{name: cache, mountPath: /cache}]
      volumes: [{name: cache, emptyDir: {}}]
`;

const agent = (caBundle: string) => `
apiVersion: apps/v1
kind: Deployment
metadata: {name: skr-webhook, namespace: default}
spec:
  selector: {matchLabels: {app: skr-webhook}}
  template:
    metadata: {labels: {app: skr-webhook}}
    spec:
      containers:
      - name: server
        image: ${image}
        args: ["--mode=skr-watcher"]
        env:
        - {name: WEBHOOK_PORT, value: "8443"}
        - {name: METRICS_PORT, value: "2112"}
        - {name: TLS_KEY, value: /app/etc/ssl/tls.key}
        - {name: TLS_CERT, value: /app/etc/ssl/tls.crt}
        - {name: CA_CERT, value: /app/etc/ssl/ca.crt}
        - {name: KCP_CONTRACT, value: v2}
        - {name: KCP_ADDR, value: "127.0.0.1:1"}
        ports: [{name: watcher-port, containerPort: 8443}, {name: metrics-port, containerPort: 2112}]
        readinessProbe: {tcpSocket: {port: watcher-port}, periodSeconds: 1}
        volumeMounts: [{name: ssl, mountPath: /app/etc/ssl}]
      volumes: [{name: ssl, secret: {secretName: skr-webhook-tls}}]
---
apiVersion: v1
kind: Service
metadata: {name: skr-webhook, namespace: default}
spec: {selector: {app: skr-webhook}, ports: [{port: 443, targetPort: 8443}]}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: skr-webhook}
webhooks:
- name: watched.example.org
  clientConfig: {service: {name: skr-webhook, namespace: default, path: /validate/watched}, caBundle: ${caBundle}}
  rules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [configmaps]}]
  objectSelector: {matchLabels: {watched: "true"}}
  sideEffects: NoneOnDryRun
  admissionReviewVersions: [v1]
  failurePolicy: Fail
`;

const k = (...args: readonly string[]) => server.kubectl(["-n", "default", ...args]);
const createWatched = (name: string) =>
  server.try(["create", "-f", "-"], {
    input: `{apiVersion: v1, kind: ConfigMap, metadata: {name: ${name}, namespace: default, labels: {watched: "true"}}}`,
  });

describe("kyma-apiserver --run-own-image", () => {
  test("runs the operator of a Deployment until its probes are good, and ends it", async () => {
    await server.kubectl(["apply", "--server-side", "-k", join(import.meta.dirname, "../../crds")]);
    await server.kubectl(["apply", "-f", "-"], { input: rights });
    await server.kubectl(["apply", "-f", "-"], { input: operator });
    match(await k("rollout", "status", "deployment/operator", "--timeout=60s"), /successfully rolled out/);
    match(await k("logs", "deployment/operator"), /"msg":"started"/);
    equal((await k("get", "pods", "-l", "app=operator")).match(/1\/1 +Running +0/g)?.length, 2);
    await k("delete", "deployment", "operator", "--cascade=foreground", "--timeout=60s");
    equal(await k("get", "pods", "-o", "name"), "");
  }, 150_000);

  test("reaches the watcher agent through a webhook that names its Service", async () => {
    const { certificate, key } = await makeKeyPair({ name: "skr-webhook.default.svc" });
    const literals = { "tls.crt": certificate, "tls.key": key, "ca.crt": certificate };
    const data = Object.entries(literals).map(([name, text]) => `--from-literal=${name}=${text}`);
    await k("create", "secret", "generic", "skr-webhook-tls", ...data);
    await server.kubectl(["apply", "-f", "-"], { input: agent(Buffer.from(certificate).toString("base64")) });
    await k("rollout", "status", "deployment/skr-webhook", "--timeout=60s");

    const reached = await createWatched("reached");
    equal(reached.code, 0, reached.stderr);
    match(await k("logs", "deployment/skr-webhook"), /watcher agent is started/);

    await k("scale", "deployment/skr-webhook", "--replicas=0");
    await eventually(
      async () => ((await k("get", "pods", "-l", "app=skr-webhook", "-o", "name")) === "" ? true : undefined),
      () => "the agent's Pod stays",
    );
    match((await createWatched("refused")).stderr, /no endpoints available for service "skr-webhook"/);
  }, 150_000);
});

test("kyma deploy on such a server needs nothing else to become Ready", async () => {
  const own = await ApiServerProcess.start("--authorization-mode", "RBAC", "--run-own-image");
  try {
    const flags = ["--kubeconfig", own.kubeconfig, "--timeout", "80s"];
    const { code, stdout, stderr } = await kyma(["deploy", ...flags], { timeoutMs: 100_000 });
    equal(code, 0, `${stdout}${stderr}`);
    match(await own.kubectl(["-n", "kcp-system", "get", "deployment", "kyma-operator"]), /2\/2/);
    equal(
      await own.kubectl(["-n", "kyma-system", "get", "kyma", "default", "-o", "jsonpath={.status.state}"]),
      "Ready",
    );
  } finally {
    await own.stop();
  }
}, 150_000);
