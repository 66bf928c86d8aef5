import { createHash } from "node:crypto";
import { hasCode, textOf } from "@kyma-operators/errors";
import {
  type Client,
  type Clock,
  type ClusterAccess,
  clusterFromKubeconfig,
  createClient,
  createHttpTransport,
  kubeErrors,
  type RequestReport,
  type Transport,
} from "@kyma-operators/kube";
import { LRUCache } from "lru-cache";
import { BoundedTransport } from "./bounded-transport.ts";
import { Breaker } from "./breaker.ts";
import { type ConnectivityProblem, connectivityProblem } from "./connectivity.ts";
import { silentLogger } from "./logger.ts";
import { observeRequests } from "./rest-metrics.ts";
import { type Random, systemRandom } from "./system-random.ts";
import { TokenBucket } from "./token-bucket.ts";
import type { Logger, MetricsRegistry } from "./types.ts";

/** Where the access to a remote cluster comes from. */
export interface ClusterSource {
  /** The kubeconfig as it stands in its Secret; a function is called only when a client is made. */
  readonly kubeconfig: string | (() => string);
  /** Version of the Secret (uid and resource version): another one makes a new client. Default: a digest of the text. */
  readonly version?: string;
  /** A context other than the current one. */
  readonly context?: string;
}

/** A remote cluster that can be spoken to. */
export interface RemoteCluster {
  readonly key: string;
  readonly version: string;
  /** Its discovery is kept with it; closing it is the pool's business. */
  readonly client: Client;
  /** True while the cluster is left alone after repeated failures. */
  readonly down: boolean;
}

export interface ClusterPoolOptions {
  readonly clock: Clock;
  readonly random?: Random;
  readonly log?: Logger;
  readonly metrics?: MetricsRegistry;
  /** How a cluster is reached. Default: HTTPS with at most 4 connections, closed after 30 s without use. */
  readonly connect?: (access: ClusterAccess) => Transport;
  /** Lets writes pass only while the lease is held; see `ManagerContext.guard`. */
  readonly guard?: (client: Client) => Client;
  readonly userAgent?: string;
  readonly fieldManager?: string;
  /** Deadline of a call, in milliseconds. Default 30 s. */
  readonly timeoutMs?: number;
  /** Requests per cluster. Default 20 per second after 100 at once. */
  readonly budget?: { readonly perSecond: number; readonly burst: number };
  /** Age after which a client is made anew, in milliseconds. Default one hour, less up to a tenth. */
  readonly maxAgeMs?: number;
  /** Clients kept at most; the one unused longest goes first. Default 20,000. */
  readonly limit?: number;
}

/** Clients of remote clusters, one per key. */
export interface ClusterPool {
  /** The cluster of a key, made anew when the source has another version. Throws `KUBE_KUBECONFIG`. */
  get(key: string, source: ClusterSource): RemoteCluster;
  /** Forgets a cluster; requests under way may end. */
  evict(key: string): void;
  readonly size: number;
  close(): Promise<void>;
}

/**
 * Makes a pool. A cluster is evicted when its credentials are refused (401), TLS or name resolution fails, its Secret
 * changes, or it has grown old, so that the next pass starts from the Secret as it then is.
 */
export function createClusterPool(options: ClusterPoolOptions): ClusterPool {
  return new RemoteClusterPool(options);
}

interface Entry {
  readonly cluster: RemoteCluster;
  readonly transport: BoundedTransport;
  readonly expiresAt: number;
}

/** Outlives the client: a cluster does not get well because its client was dropped or its Secret touched. */
interface Health {
  /** Another address is another cluster, about which nothing is known yet. */
  readonly server: string;
  readonly breaker: Breaker;
  readonly bucket: TokenBucket;
}

/** After these the access itself may be wrong. */
const evicting: ReadonlySet<ConnectivityProblem> = new Set(["unauthorized", "tls", "dns"]);
/** Clusters that are named while they are down; more of them are no trouble of single clusters. */
const mostNamed = 100;
/** A cluster that nobody asks for this long after it might be asked again is gone, as far as we can tell. */
const forgottenMs = 600_000;
/** How long requests of an evicted client may take to end, in milliseconds. */
const lingerMs = 30_000;

class RemoteClusterPool implements ClusterPool {
  readonly #options: ClusterPoolOptions;
  readonly #entries: LRUCache<string, Entry>;
  readonly #health: LRUCache<string, Health>;
  readonly #closing = new Set<Transport>();
  readonly #errors: ReturnType<MetricsRegistry["counter"]> | undefined;
  readonly #observe: ((report: RequestReport) => void) | undefined;
  readonly #down: ReturnType<MetricsRegistry["gauge"]> | undefined;
  /** The current pauses of clusters that are left alone. */
  readonly #pauses = new Map<string, symbol>();
  readonly #named = new Set<string>();

  constructor(options: ClusterPoolOptions) {
    this.#options = options;
    const { limit: max = 20_000, metrics } = options;
    this.#health = new LRUCache({ max, disposeAfter: (_, key) => this.#unname(key) });
    this.#entries = new LRUCache<string, Entry>({
      max,
      dispose: ({ transport }) => this.#retire(transport),
    });
    this.#errors = metrics?.counter("remote_cluster_errors_total", "Failures to reach remote clusters", ["class"]);
    this.#observe = metrics && observeRequests(metrics, "remote");
    const help = `1 while a remote cluster is left alone after failures; names ${mostNamed} at most`;
    this.#down = metrics?.gauge("remote_cluster_down", help, ["cluster"]);
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: string, source: ClusterSource): RemoteCluster {
    const version = source.version ?? digestOf(kubeconfigOf(source));
    const present = this.#entries.get(key);
    const isFresh = present?.cluster.version === version && this.#options.clock.now() < present.expiresAt;
    if (present !== undefined && isFresh) return present.cluster;
    const entry = this.#make(key, version, accessOf(key, source));
    this.#entries.set(key, entry);
    return entry.cluster;
  }

  evict(key: string): void {
    this.#entries.delete(key);
  }

  async close(): Promise<void> {
    const transports = [...this.#entries.values()].map(({ transport }) => transport);
    this.#entries.clear();
    await Promise.all([...transports, ...this.#closing].map((transport) => transport.close()));
    this.#closing.clear();
  }

  #healthOf(key: string, server: string): Health {
    const present = this.#health.get(key);
    if (present?.server === server) return present;
    const { clock, random = systemRandom, budget = { perSecond: 20, burst: 100 } } = this.#options;
    const onChange = (pauseMs: number | undefined): void =>
      pauseMs === undefined ? this.#unname(key) : this.#pause(key, pauseMs);
    const breaker = new Breaker({ clock, random, failures: 3, firstMs: 10_000, maxMs: 300_000, onChange });
    const health = { server, breaker, bucket: new TokenBucket({ clock, ...budget }) };
    this.#health.set(key, health);
    return health;
  }

  #pause(key: string, pauseMs: number): void {
    const { log = silentLogger, clock } = this.#options;
    if (!this.#pauses.has(key)) {
      log.warn({ cluster: key }, "a remote cluster does not answer and is left alone for a while");
    }
    this.#name(key);
    const pause = Symbol(key);
    this.#pauses.set(key, pause);
    clock.after(pauseMs + forgottenMs, () => {
      if (this.#pauses.get(key) === pause) this.#unname(key);
    });
  }

  /** Each pause tries again: a cluster for which there was no room may outlast those that took it. */
  #name(key: string): void {
    if (this.#named.has(key) || this.#named.size >= mostNamed) return;
    this.#named.add(key);
    this.#down?.set({ cluster: key }, 1);
  }

  #unname(key: string): void {
    this.#pauses.delete(key);
    if (this.#named.delete(key)) this.#down?.remove({ cluster: key });
  }

  #make(key: string, version: string, access: ClusterAccess): Entry {
    const { clock, random = systemRandom, maxAgeMs = 3_600_000, connect = connectByHttp } = this.#options;
    const { breaker, bucket } = this.#healthOf(key, access.server);
    const transport = new BoundedTransport({
      cluster: key,
      transport: connect(access),
      clock,
      bucket,
      breaker,
      onProblem: (error) => this.#onProblem(key, version, error),
    });
    const cluster: RemoteCluster = {
      key,
      version,
      client: this.#clientOf(transport, key, version),
      get down() {
        return breaker.open;
      },
    };
    const expiresAt = clock.now() + maxAgeMs * (1 - 0.1 * random());
    return { cluster, transport, expiresAt };
  }

  #clientOf(transport: Transport, key: string, version: string): Client {
    const { clock, guard, userAgent, fieldManager, timeoutMs } = this.#options;
    const client = createClient({
      transport,
      clock,
      onRequest: (report) => this.#onAnswer(key, version, report),
      ...(userAgent === undefined ? {} : { userAgent }),
      ...(fieldManager === undefined ? {} : { fieldManager }),
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
    });
    return guard === undefined ? client : guard(client);
  }

  #onAnswer(key: string, version: string, report: RequestReport): void {
    const { code } = report;
    this.#observe?.(report);
    if (code === "401") this.#count("unauthorized", key, version);
    else if (code === "429") this.#count("throttled", key, version);
    else if (code.startsWith("5")) this.#count("server", key, version);
  }

  #onProblem(key: string, version: string, error: unknown): void {
    const problem = connectivityProblem(error);
    if (problem !== undefined) this.#count(problem, key, version);
  }

  #count(problem: ConnectivityProblem, key: string, version: string): void {
    this.#errors?.inc({ class: problem });
    if (!evicting.has(problem) || this.#entries.peek(key)?.cluster.version !== version) return;
    const { log = silentLogger } = this.#options;
    log.info({ cluster: key, problem }, "the client of a remote cluster is dropped");
    this.#entries.delete(key);
  }

  /** Closes a transport once its requests are over, at the latest after a while. */
  #retire(transport: BoundedTransport): void {
    const close = (): void => {
      this.#closing.delete(transport);
      transport.close().catch(() => undefined);
    };
    if (transport.active === 0) return close();
    this.#closing.add(transport);
    this.#options.clock.after(lingerMs, close);
  }
}

function connectByHttp(access: ClusterAccess): Transport {
  return createHttpTransport(access, { connections: 4, idleMs: 30_000 });
}

/** What the kubeconfig gives; one of a fleet's thousands is of no use in an error without the name of its cluster. */
function accessOf(key: string, source: ClusterSource): ClusterAccess {
  try {
    return clusterFromKubeconfig(kubeconfigOf(source), source.context);
  } catch (error) {
    if (!hasCode(error, "KUBE_KUBECONFIG")) throw error;
    throw kubeErrors.KUBECONFIG({ path: `of ${key}`, problem: textOf(error).replace("kubeconfig ", "") });
  }
}

const kubeconfigOf = ({ kubeconfig }: ClusterSource): string =>
  typeof kubeconfig === "string" ? kubeconfig : kubeconfig();

const digestOf = (text: string): string => createHash("sha256").update(text).digest("hex");
