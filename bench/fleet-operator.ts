import { type Client, createClient, type Transport, transportFrom } from "@kyma-operators/kube";
import { createManager, createMetrics, type MetricsExport } from "@kyma-operators/runtime";
import { addKymaController, type KymaController, type KymaControllerOptions } from "../controllers/kyma/index.ts";
import { kymaSettings } from "../controllers/kyma/kyma-stage.ts";
import { addManifestController } from "../controllers/manifest/index.ts";
import type { Descriptor } from "../modules/descriptor.ts";
import { defaultIntervals } from "../modules/requeue.ts";
import type { FakeClock, MemoryDirectory } from "../testing/index.ts";
import { silence } from "./cluster-troubles.ts";

const namespace = "kcp-system";
const agentInOrder = { ready: true, digest: "1", seenAtMs: 0, changedAtMs: 0 };

/** The watcher has told that everything is in order, so that nothing has to be polled. */
const agentsInOrder: NonNullable<KymaControllerOptions["webhook"]> = {
  sync: async () => agentInOrder,
  hasCertificate: async () => false,
  deleteCertificate: async () => undefined,
  remove: async () => false,
};

/** What the controllers of one process are wired with. */
export interface Surroundings {
  readonly clock: FakeClock;
  /** To the control plane. */
  readonly transport: Transport;
  /** To the cluster that a kubeconfig names. */
  readonly remote: (kubeconfig: string) => Transport;
  readonly descriptors: (component: string, version: string) => Descriptor;
  readonly content: MemoryDirectory;
  /** Each Kyma is looked at in this interval. */
  readonly successMs: number;
  /** Names the process in the lease; undefined: it acts without one. */
  readonly identity: string | undefined;
}

/** One life of the operator: the Kyma and the Manifest controller in a process of their own. */
export class FleetOperator {
  readonly controller: KymaController;
  /** By controller. */
  readonly passes = new Map<string, number>();
  readonly #surroundings: Surroundings;
  readonly #stopped = new AbortController();
  readonly #running: Promise<void>;
  #dead = false;

  constructor(surroundings: Surroundings) {
    this.#surroundings = surroundings;
    const { clock, transport, identity, remote, successMs, descriptors, content } = surroundings;
    const lease = { name: "bench", namespace, enabled: identity !== undefined };
    const metrics = countingPasses(createMetrics(), this.passes);
    const client = this.#client(transport);
    const manager = createManager({ client, clock, identity: identity ?? "bench", leases: [lease], metrics });
    const clients = new Map<string, Client>();
    const clusters = {
      open: (key: string, _revision: string, kubeconfig: () => string): Client => {
        const made = clients.get(key) ?? this.#client(remote(kubeconfig()));
        clients.set(key, made);
        return made;
      },
      evict: () => undefined,
    };
    const context = manager.context(lease.name);
    this.controller = addKymaController(context, {
      settings: {
        ...kymaSettings,
        intervals: { ...defaultIntervals, successMs },
        remoteResyncMs: 86_400_000,
        concurrency: 32,
      },
      clusters,
      descriptors: { get: async ({ component, version }) => descriptors(component, version) },
      webhook: agentsInOrder,
      random: () => 0.5,
    });
    addManifestController(context, { namespace, content, clusters, settings: { concurrency: 32 } });
    this.#running = manager.run(this.#stopped.signal);
  }

  /** Ends as a process that is told to: passes in work come to their end, the lease is given back. */
  async end(): Promise<void> {
    this.#stopped.abort(new Error("the benchmark goes on"));
    let ended = false;
    void this.#running.catch(() => undefined).finally(() => (ended = true));
    await this.#surroundings.clock.until(() => ended);
  }

  /** Nothing leaves or reaches the process from now on, as if its machine had lost power. */
  kill(): void {
    this.#dead = true;
    this.#stopped.abort(new Error("killed"));
    this.#running.catch(() => undefined);
  }

  #client(transport: Transport): Client {
    const alive = transportFrom(
      (request) => (this.#dead ? silence(request.signal) : transport.request(request)),
      transport.host,
    );
    return createClient({ transport: alive, clock: this.#surroundings.clock, userAgent: "operator" });
  }
}

/** The same metrics, with the passes of each controller in a map. */
function countingPasses(metrics: MetricsExport, passes: Map<string, number>): MetricsExport {
  return {
    counter: (name, help, labels) => {
      const counter = metrics.counter(name, help, labels);
      if (name !== "controller_runtime_reconcile_total") return counter;
      return {
        inc: (values = {}, value) => {
          const controller = values["controller"] ?? "";
          passes.set(controller, (passes.get(controller) ?? 0) + 1);
          counter.inc(values, value);
        },
      };
    },
    gauge: (...of) => metrics.gauge(...of),
    histogram: (...of) => metrics.histogram(...of),
    beforeScrape: (update) => metrics.beforeScrape(update),
    scrape: () => metrics.scrape(),
  };
}
