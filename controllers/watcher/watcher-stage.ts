import type { AnyObject } from "@kyma-operators/kube";
import type { WatcherSettings } from "./options.ts";

const api = "operator.kyma-project.io/v1beta2";
const day = 86_400_000;

/** Settings of a small, self-contained watcher; for tests. */
export const watcherSettings: WatcherSettings = {
  namespace: "kcp-system",
  gateway: { name: "klm-watcher", namespace: "kcp-system" },
  portOverwrite: "",
  certificates: {
    management: "built-in",
    istioNamespace: "istio-system",
    syncNamespace: "kyma-system",
    durationMs: 60 * day,
    renewBeforeMs: 30 * day,
    keySize: 4096,
    additionalDnsNames: [],
    issuer: { name: "klm-watcher-selfsigned", namespace: "istio-system" },
  },
  agent: {
    image: "kyma-operators:1",
    args: ["--mode=skr-watcher"],
    cpuLimit: "0.1",
    memoryLimit: "200Mi",
    godebug: "",
  },
  rotation: { graceMs: 4 * day, expiryWindowMs: 14 * day },
  root: { durationMs: 90 * day, renewBeforeMs: 61 * day },
  renewBufferMs: day,
  requeueMs: { watcher: 60_000, gatewaySecret: 300_000 },
  backoff: { firstMs: 5_000, maxMs: 30_000 },
  concurrency: 1,
};

/** A Watcher of Kymas; for tests. */
export const watcherObject = (spec: object = {}): AnyObject => ({
  apiVersion: api,
  kind: "Watcher",
  metadata: { name: "klm-watcher", namespace: "kcp-system" },
  spec: {
    manager: "lifecycle-manager",
    serviceInfo: { name: "events", namespace: "kcp-system", port: 8082 },
    labelsToWatch: { "operator.kyma-project.io/watched-by": "kyma" },
    resourceToWatch: { group: "operator.kyma-project.io", version: "*", resource: "kymas" },
    field: "spec",
    gateway: { selector: { matchLabels: { "operator.kyma-project.io/watcher-gateway": "default" } } },
    ...spec,
  },
});
