import { deepEqual, equal } from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "@jest/globals";
import { createMetrics } from "@kyma-operators/runtime";
import { formatGoDuration, parseDurationMs } from "../apis/duration.ts";
import { operatorFlags } from "./flags/operator.ts";
import { showFipsMode } from "./wiring/fips-mode.ts";

/** Flags of the Go operator with the defaults that its users know. */
const flags: Readonly<Record<string, string>> = {
  "cert-management": "cert-manager.io/v1",
  "metrics-bind-address": ":8080",
  "health-probe-bind-address": ":8081",
  "kyma-skr-listener-bind-address": ":8082",
  "pprof-bind-address": ":8084",
  pprof: "false",
  "pprof-server-timeout": "90s",
  "max-concurrent-kyma-reconciles": "1",
  // 1 there; see docs/adr/0014.
  "max-concurrent-manifest-reconciles": "32",
  "max-concurrent-watcher-reconciles": "1",
  "max-concurrent-mandatory-modules-reconciles": "1",
  "max-concurrent-mandatory-modules-deletion-reconciles": "1",
  "leader-elect": "true",
  "leader-election-lease-duration": "180s",
  "leader-election-renew-deadline": "120s",
  "leader-election-retry-period": "3s",
  "kyma-requeue-success-interval": "5m",
  "kyma-requeue-error-interval": "2s",
  "kyma-requeue-warning-interval": "30s",
  "kyma-requeue-busy-interval": "5s",
  "manifest-requeue-success-interval": "5m",
  "manifest-requeue-error-interval": "2s",
  "manifest-requeue-warning-interval": "30s",
  "manifest-requeue-busy-interval": "5s",
  "manifest-requeue-jitter-probability": "0.02",
  "manifest-requeue-jitter-percentage": "0.02",
  "mandatory-module-requeue-success-interval": "30s",
  "mandatory-module-deletion-requeue-success-interval": "30s",
  "watcher-requeue-success-interval": "1m",
  "module-upgrade-rollout-max-delay": "5m",
  "k8s-client-qps": "1000",
  "k8s-client-burst": "2000",
  "k8s-skr-client-qps": "50",
  "k8s-skr-client-burst": "100",
  "enable-webhooks": "false",
  "additional-dns-names": "",
  "istio-namespace": "istio-system",
  "istio-gateway-name": "klm-watcher",
  "istio-gateway-namespace": "kcp-system",
  "listener-port-overwrite": "",
  "rate-limiter-burst": "2000",
  "rate-limiter-frequency": "1000",
  "failure-base-delay": "5s",
  "failure-max-delay": "30s",
  "cache-sync-timeout": "60m",
  "log-level": "0",
  "sync-namespace": "kyma-system",
  "self-signed-cert-duration": "60d",
  "self-signed-cert-renew-before": "30d",
  "self-signed-cert-renew-buffer": "24h",
  "self-signed-cert-key-size": "4096",
  "self-signed-cert-issuer-name": "klm-watcher-selfsigned",
  "self-signed-cert-issuer-namespace": "istio-system",
  "istio-gateway-cert-switch-before-expiration-time": "0",
  "istio-gateway-server-cert-switch-grace-period": "4d",
  "istio-gateway-server-cert-expiry-window": "14d",
  "istio-gateway-secret-requeue-success-interval": "5m",
  "istio-gateway-secret-requeue-error-interval": "2s",
  "drop-crd-stored-version-map": "Manifest:v1beta1,Watcher:v1beta1,ModuleTemplate:v1beta1,Kyma:v1beta1",
  "skr-watcher-image-name": "runtime-watcher",
  "skr-watcher-image-registry": "",
  "skr-watcher-image-tag": "",
  "skr-webhook-memory-limits": "200Mi",
  "skr-webhook-cpu-limits": "0.1",
  "metrics-cleanup-interval": "15",
  "min-maintenance-window-size": "20m",
  "oci-registry-host": "",
  "oci-registry-cred-secret": "",
  "modules-repository-subpath": "",
  "skr-image-pull-secret": "",
  "restricted-default-modules": "",
};

/** Metrics of the Go operator and of its listener, with type and labels. */
const metrics: Readonly<Record<string, string>> = {
  lifecycle_mgr_requeue_reason_total: "counter requeue_reason requeue_type",
  lifecycle_mgr_kyma_state: "gauge kyma_name state shoot instance_id",
  lifecycle_mgr_module_state: "gauge module_name kyma_name state shoot instance_id",
  lifecycle_mgr_mandatory_modules: "gauge",
  lifecycle_mgr_mandatory_module_state: "gauge module_name kyma_name state",
  reconcile_duration_seconds: "gauge manifest_name",
  lifecycle_mgr_self_signed_cert_not_renew: "gauge kyma_name",
  lifecycle_mgr_gateway_secret_server_cert_close_to_expiry: "gauge",
  lifecycle_mgr_maintenance_window_config_read_success: "gauge",
  lifecycle_mgr_fips_mode: "gauge",
  watcher_listener_request_duration: "histogram server_name",
  watcher_listener_requests_total: "counter server_name",
  watcher_listener_request_errors_total: "counter server_name",
  watcher_listener_inflight_requests: "gauge server_name",
  watcher_listener_exceeding_size_limit_requests_total: "counter server_name",
  watcher_listener_failed_verification_requests_total: "counter server_name",
};

/** The same length of time in one spelling. */
function plain(value: string): string {
  const ms = parseDurationMs(value);
  return ms === undefined ? value : formatGoDuration(ms);
}

describe("what users of the Go operator know by name", () => {
  test("every flag is there, with its default", () => {
    const ours = operatorFlags as Readonly<Record<string, { readonly default: string } | undefined>>;
    const found = Object.keys(flags).map((name) => [name, plain(String(ours[name]?.default))]);
    deepEqual(Object.fromEntries(found), Object.fromEntries(Object.entries(flags).map(([k, v]) => [k, plain(v)])));
  });

  test("every metric is there, with its type and labels", async () => {
    const page = await readFile(join(import.meta.dirname, "../docs/reference/metrics.md"), "utf8");
    const row = /^\| `([a-z_]+)` \| (\w+) \| ([^|]*) \|/gm;
    const all = [...page.matchAll(row)].map(([, name = "", type = "", labels = ""]) => {
      return [name, [type, ...(labels.match(/\w+/g) ?? [])].join(" ")] as const;
    });
    const known = new Map(all);
    deepEqual(Object.fromEntries(Object.keys(metrics).map((name) => [name, known.get(name)])), metrics);
  });
});

describe("the metric of the FIPS mode (E184)", () => {
  const cases = [
    { godebug: undefined, enabled: false, mode: "0" },
    { godebug: "fips140=only", enabled: false, mode: "0" },
    { godebug: undefined, enabled: true, mode: "1" },
    { godebug: "fips140=on", enabled: true, mode: "1" },
    { godebug: "x=1,fips140=on,fips140=only", enabled: true, mode: "2" },
    { godebug: "fips140=only,fips140=on", enabled: true, mode: "1" },
  ];
  for (const { godebug, enabled, mode } of cases) {
    test(`is ${mode} with GODEBUG=${godebug ?? "none"} where approved cryptography is ${enabled ? "on" : "off"}`, async () => {
      const registry = createMetrics();
      showFipsMode(registry, { GODEBUG: godebug }, enabled);
      equal(/^lifecycle_mgr_fips_mode (\d)$/m.exec((await registry.scrape()).text)?.[1], mode);
    });
  }
});
