import type { RequestReport } from "@kyma-operators/kube";
import type { MetricsRegistry } from "./types.ts";

/**
 * An `onRequest` for clients that counts `rest_client_requests_total` by code, method and host.
 *
 * @param host - label in the place of the real host, for clients of many clusters: labels must be bounded.
 */
export function observeRequests(metrics: MetricsRegistry, host?: string): (report: RequestReport) => void {
  const total = metrics.counter("rest_client_requests_total", "Requests by code", ["code", "host", "method"]);
  const time = metrics.histogram("rest_client_request_duration_seconds", "Time to the first byte of an answer", {
    labels: ["host", "verb"],
    buckets: [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60],
  });
  return (report) => {
    const label = host ?? report.host;
    total.inc({ code: report.code, host: label, method: report.method });
    time.observe({ host: label, verb: report.method }, report.durationMs / 1000);
  };
}
