import type { MetricsRegistry } from "@kyma-operators/runtime";

/** What the listener counts. */
export interface ListenerMetrics {
  inFlight(change: 1 | -1): void;
  answered(status: number, seconds: number): void;
}

const server = { server_name: "listener" };
const buckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];

/** Under the names that dashboards know. */
export function listenerMetrics(registry: MetricsRegistry): ListenerMetrics {
  const labels = ["server_name"];
  const counter = (name: string, help: string) => registry.counter(`watcher_listener_${name}`, help, labels);
  const requests = counter("requests_total", "Requests from agents");
  const errors = counter("request_errors_total", "Requests from agents that were refused");
  const tooLarge = counter("exceeding_size_limit_requests_total", "Requests whose body was too large");
  const unverified = counter("failed_verification_requests_total", "Requests without a good client certificate");
  const duration = registry.histogram("watcher_listener_request_duration", "Time to answer, in seconds", {
    labels,
    buckets,
  });
  const inFlight = registry.gauge("watcher_listener_inflight_requests", "Requests that are being answered", labels);
  let running = 0;
  return {
    inFlight: (change) => {
      running += change;
      inFlight.set(server, running);
    },
    answered: (status, seconds) => {
      requests.inc(server);
      duration.observe(server, seconds);
      if (status >= 400) errors.inc(server);
      if (status === 413) tooLarge.inc(server);
      if (status === 401) unverified.inc(server);
    },
  };
}
