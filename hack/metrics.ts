/** Every metric of the operator and of the watcher agent, told by the code that reports it. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Client, createClient, systemClock } from "@kyma-operators/kube";
import {
  createClusterPool,
  createManager,
  createMetrics,
  type MetricsExport,
  observeRequests,
  silentLogger,
} from "@kyma-operators/runtime";
import { showFipsMode } from "../cmd/wiring/fips-mode.ts";
import { readMaintenancePolicy } from "../cmd/wiring/maintenance-files.ts";
import { GardenerClusterMetrics } from "../controllers/gardener-cluster/metrics.ts";
import { KymaMetrics } from "../controllers/kyma/metrics.ts";
import { mandatoryMetrics } from "../controllers/mandatory-module/metrics.ts";
import { createMetrics as manifestMetrics } from "../controllers/manifest/metrics.ts";
import { RuntimeMetrics } from "../controllers/runtime/metrics.ts";
import { createAgent } from "../controllers/watcher/agent/agent.ts";
import { listenerMetrics } from "../controllers/watcher/listener/metrics.ts";
import { gatewayExpiryMetric, OverdueCertificates } from "../controllers/watcher/metrics.ts";

export interface Metric {
  readonly name: string;
  readonly type: "counter" | "gauge" | "histogram";
  readonly help: string;
  readonly labels: readonly string[];
  /** The part that reports it. */
  readonly part: string;
}

/** Takes metrics down instead of counting. */
class Recorder implements MetricsExport {
  readonly found = new Map<string, Metric>();
  part = "";

  counter(name: string, help: string, labels: readonly string[] = []) {
    this.#note({ name, type: "counter", help, labels });
    return { inc: () => undefined };
  }

  gauge(name: string, help: string, labels: readonly string[] = []) {
    this.#note({ name, type: "gauge", help, labels });
    return { set: () => undefined, remove: () => undefined };
  }

  histogram(name: string, help: string, { labels = [] }: { readonly labels?: readonly string[] } = {}) {
    this.#note({ name, type: "histogram", help, labels });
    return { observe: () => undefined };
  }

  beforeScrape(): void {}

  scrape(): Promise<{ readonly contentType: string; readonly text: string }> {
    return Promise.resolve({ contentType: "", text: "" });
  }

  #note(metric: Omit<Metric, "part">): void {
    if (!this.found.has(metric.name)) this.found.set(metric.name, { ...metric, part: this.part });
  }
}

const [clock, log] = [systemClock, silentLogger];
const refused = async (): Promise<never> => Promise.reject(new Error("nothing is sent here"));
const noClient = (): Client =>
  createClient({ clock, transport: { host: "docs", request: refused, close: async () => undefined } });

/** What registers metrics, by part. */
const registrations: Readonly<Record<string, (recorder: Recorder) => unknown>> = {
  "every controller": (metrics) =>
    createManager({
      client: noClient(),
      clock,
      identity: "docs",
      leases: [{ name: "docs", namespace: "docs" }],
      metrics,
    }),
  requests: (metrics) => observeRequests(metrics),
  "remote clusters": (metrics) => createClusterPool({ clock, log, metrics }),
  kyma: async (metrics) => [
    new KymaMetrics(metrics),
    showFipsMode(metrics, {}),
    await readMaintenancePolicy({ MAINTENANCE_POLICY_PATH: "/nowhere" }, { log, metrics }),
  ],
  "mandatory-module": (metrics) => mandatoryMetrics(metrics),
  manifest: (metrics) => manifestMetrics(metrics),
  watcher: (metrics) => [new OverdueCertificates(metrics), gatewayExpiryMetric(metrics), listenerMetrics(metrics)],
  runtime: (metrics) => new RuntimeMetrics(metrics),
  "gardener-cluster": (metrics) => new GardenerClusterMetrics(metrics, { lifetimeMs: 1, ratio: 1 }),
  "watcher agent": (metrics) => {
    metrics.gauge("watcher_fips_mode", "0 while FIPS mode is off");
    createAgent({ kcpAddress: "localhost:1", tls: { crt: "", key: "", ca: "" }, clock, log, metrics });
  },
};

/** All metrics, in the order of the parts. Throws when a source registers one that no part here tells of. */
export async function allMetrics(): Promise<readonly Metric[]> {
  const recorder = new Recorder();
  for (const [part, register] of Object.entries(registrations)) {
    recorder.part = part;
    await register(recorder);
  }
  refuseUntold([...recorder.found.keys()]);
  return [...recorder.found.values(), ...(await processMetrics())];
}

const call = /\.(?:counter|gauge|histogram)\(\s*(?:"([a-z_]+)"|`([^`]+)`)/g;

function refuseUntold(told: readonly string[]): void {
  const root = join(import.meta.dirname, "..");
  const files = globSync("{cmd,controllers,packages}/**/*.ts", {
    cwd: root,
    exclude: (path) => /node_modules|\.test\.ts$/.test(path),
  });
  for (const file of files) {
    for (const [, text, template] of readFileSync(join(root, file), "utf8").matchAll(call)) {
      const pattern = new RegExp(`^${text ?? (template ?? "").replaceAll(/\$\{[^}]+\}/g, "[a-z_]+")}$`);
      if (told.some((name) => pattern.test(name))) continue;
      throw new Error(`${file}: the metric ${text ?? template} is told by no part of hack/metrics.ts: add the part`);
    }
  }
}

/** Of what every Node.js process reports, the part that is the same on every system and worth watching. */
const watched = [
  "process_cpu_seconds_total",
  "process_resident_memory_bytes",
  "nodejs_heap_size_used_bytes",
  "nodejs_external_memory_bytes",
  "nodejs_eventloop_lag_p99_seconds",
  "nodejs_gc_duration_seconds",
];

async function processMetrics(): Promise<readonly Metric[]> {
  const { text } = await createMetrics({ process: true }).scrape();
  return watched.map((name) => {
    const [, help, type] = new RegExp(`^# HELP ${name} (.*?)\\.?\\n# TYPE ${name} (\\w+)$`, "m").exec(text) ?? [];
    if (help === undefined) throw new Error(`the process does not report ${name} any more`);
    return { name, type: type as Metric["type"], help, labels: [], part: "process" };
  });
}
