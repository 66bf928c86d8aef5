import type { Client, Clock } from "@kyma-operators/kube";
import { runtimeErrors } from "./errors.ts";
import { BackgroundRecorder } from "./events.ts";
import { Expectations } from "./expectations.ts";
import { InformerPool } from "./informer-pool.ts";
import { createInstruments } from "./instruments.ts";
import { LeaseElector, type LeaseTimes } from "./lease-elector.ts";
import { type Leadership, LeaseGroupRunner } from "./lease-group.ts";
import { silentLogger } from "./logger.ts";
import { createMetrics, type MetricsExport } from "./metrics.ts";
import { PartElector } from "./part-elector.ts";
import { Sharding, type ShardingOptions } from "./sharding.ts";
import { type Random, systemRandom } from "./system-random.ts";
import type { Logger, ManagerContext } from "./types.ts";

/** Controllers that are led together. */
export interface LeaseGroup extends LeaseTimes {
  /** Name of the Lease, and of the group. */
  readonly name: string;
  readonly namespace: string;
  /** False: run at once, without a lease. Default true. */
  readonly enabled?: boolean;
  /** Split the keys over so many leases, which all replicas share. Default 1: one replica acts, the others wait. */
  readonly shards?: number;
  /**
   * Names the part of the group's controllers that this process runs, where other processes run the others: each part
   * is led by itself. Excludes more than one shard. Default: this process runs all of them.
   */
  readonly part?: string;
  /** `reportingController` of the group's events. Default: the manager's. */
  readonly component?: string;
}

export interface ManagerOptions {
  readonly client: Client;
  readonly clock: Clock;
  /** Names this replica in leases and events; unique per process. */
  readonly identity: string;
  readonly leases: readonly LeaseGroup[];
  /** `reportingController` of events. Default `kyma-operators`. */
  readonly component?: string;
  readonly log?: Logger;
  readonly metrics?: MetricsExport;
  readonly random?: Random;
  /** How long passes in work may take to end when the manager stops, in milliseconds. Default 20 s. */
  readonly drainMs?: number;
  /** How long a pass waits for the watch to show our own writes, in milliseconds. Default 10 s. */
  readonly behindMs?: number;
  /** Age of a list after which an informer lists again, in milliseconds. Default one hour. */
  readonly relistMs?: number;
  /** An informer that has shown no sign of life for so long makes the process unready. Default 15 min. */
  readonly staleMs?: number;
  /** Freeze objects in stores, so that whoever changes one fails. For tests. Default false. */
  readonly freeze?: boolean;
}

/** Runs controllers: their informers at once, their passes while their lease is held. */
export interface Manager {
  /** What the controllers of a lease group are wired with. Throws for a group that is not in the options. */
  context(lease: string): ManagerContext;
  /**
   * Runs until the signal aborts, then drains passes, releases leases and stops informers. Rejects when a runnable
   * fails, after having stopped all else.
   */
  run(signal: AbortSignal): Promise<void>;
  /** Why the process is not ready, one line each; empty when it is. */
  unready(): readonly string[];
  /** Names of the leases that are held now. */
  held(): readonly string[];
  readonly metrics: MetricsExport;
}

/** See {@link Manager}. */
export function createManager(options: ManagerOptions): Manager {
  return new ControllerManager(options);
}

function leadershipOf(group: LeaseGroup, shared: Omit<ShardingOptions, "name" | "namespace" | "shards">): Leadership {
  const { shards = 1, enabled = true, part } = group;
  if (!enabled) return { kind: "none" };
  if (part !== undefined) return { kind: "lease", elector: new PartElector({ ...shared, ...group }, part) };
  if (shards <= 1) return { kind: "lease", elector: new LeaseElector({ ...shared, ...group }) };
  return { kind: "shards", shards, sharding: new Sharding({ ...shared, ...group, shards }) };
}

const defaults = {
  component: "kyma-operators",
  drainMs: 20_000,
  behindMs: 10_000,
  relistMs: 3_600_000,
  staleMs: 900_000,
  freeze: false,
};

class ControllerManager implements Manager {
  readonly metrics: MetricsExport;
  readonly #staleMs: number;
  readonly #informers: InformerPool;
  readonly #recorder: BackgroundRecorder;
  readonly #groups = new Map<string, LeaseGroupRunner>();

  constructor(given: ManagerOptions) {
    const options = { ...defaults, random: systemRandom, log: silentLogger, ...given };
    const { client, clock, identity, log, random, metrics = createMetrics() } = options;
    this.metrics = metrics;
    this.#staleMs = options.staleMs;
    const shared = { client, clock, log, random, metrics, expectations: new Expectations(clock, options.behindMs) };
    this.#informers = new InformerPool({ ...shared, freeze: options.freeze, relistMs: options.relistMs });
    this.#recorder = new BackgroundRecorder({ client, clock, log, controller: options.component, instance: identity });
    const instruments = createInstruments(metrics, clock);
    const { drainMs } = options;
    const deps = { ...shared, informers: this.#informers, drainMs, instruments };
    for (const group of options.leases) {
      const leadership = (onGained: (shard: number) => void): Leadership =>
        leadershipOf(group, { ...shared, identity, drainMs, onGained });
      const events = group.component === undefined ? this.#recorder : this.#recorder.reportingAs(group.component);
      this.#groups.set(group.name, new LeaseGroupRunner(group.name, { ...deps, events, leadership }));
    }
    this.#exportLeases();
  }

  context(lease: string): ManagerContext {
    const group = this.#groups.get(lease);
    if (group === undefined) throw runtimeErrors.UNKNOWN_GROUP({ lease, known: [...this.#groups.keys()] });
    return group;
  }

  held(): readonly string[] {
    return [...this.#groups.values()].filter((group) => group.share > 0).map((group) => group.name);
  }

  unready(): readonly string[] {
    return this.#informers.unready(this.#staleMs);
  }

  async run(signal: AbortSignal): Promise<void> {
    const failed = new AbortController();
    const stop = AbortSignal.any([signal, failed.signal]);
    const informing = this.#informers.start();
    const groups = [...this.#groups.values()].map(async (group) => {
      try {
        await group.run(stop);
      } catch (error) {
        failed.abort(error);
        throw error;
      }
    });
    const ended = await Promise.allSettled(groups);
    await this.#recorder.flush();
    this.#informers.stop(runtimeErrors.STOPPED({ what: "the manager" }));
    await informing;
    for (const result of ended) if (result.status === "rejected") throw result.reason;
  }

  #exportLeases(): void {
    const master = this.metrics.gauge("leader_election_master_status", "1 while the lease is held", ["name"]);
    const shares = this.metrics.gauge("leader_election_shards", "Shards held; 0 or 1 without sharding", ["name"]);
    this.metrics.beforeScrape(() => {
      for (const { name, hasLease, share } of this.#groups.values()) {
        if (!hasLease) continue;
        master.set({ name }, share > 0 ? 1 : 0);
        shares.set({ name }, share);
      }
    });
  }
}
