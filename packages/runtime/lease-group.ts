import type { AnyObject, Client, Clock, KubeObject, ObjectKey, Resource } from "@kyma-operators/kube";
import { aborted } from "./aborted.ts";
import { shardOf } from "./consistent-hash.ts";
import { ControllerLoop } from "./controller.ts";
import { runtimeErrors } from "./errors.ts";
import type { Expectations } from "./expectations.ts";
import type { SharedInformer } from "./informer.ts";
import type { InformerPool } from "./informer-pool.ts";
import type { ControllerMetrics } from "./instruments.ts";
import type { LeaseElector } from "./lease-elector.ts";
import { type ClientHooks, ManagedClient } from "./managed-client.ts";
import type { MetricsExport } from "./metrics.ts";
import { currentPermit, type Permit } from "./permit.ts";
import type { Sharding } from "./sharding.ts";
import type { Random } from "./system-random.ts";
import type {
  ControllerDefinition,
  EventRecorder,
  Informer,
  InformerOptions,
  Logger,
  ManagerContext,
} from "./types.ts";

export interface LeaseGroupDependencies {
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Logger;
  readonly random: Random;
  readonly metrics: MetricsExport;
  readonly events: EventRecorder;
  readonly informers: InformerPool;
  readonly expectations: Expectations;
  readonly instruments: (controller: string) => ControllerMetrics;
  /** Makes what leads the group; it tells of each shard that was gained. */
  readonly leadership: (onGained: (shard: number) => void) => Leadership;
  readonly drainMs: number;
}

/** One lease, none, or one per shard. */
export type Leadership =
  | { readonly kind: "none" }
  | { readonly kind: "lease"; readonly elector: Pick<LeaseElector, "held" | "run"> }
  | { readonly kind: "shards"; readonly sharding: Sharding; readonly shards: number };

interface Runnable {
  readonly name: string;
  readonly run: (signal: AbortSignal) => Promise<void>;
  readonly needsLease: boolean;
}

/** The controllers and runnables that one lease lets run. */
export class LeaseGroupRunner implements ManagerContext {
  readonly name: string;
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Logger;
  readonly events: EventRecorder;
  readonly metrics: MetricsExport;
  readonly #deps: LeaseGroupDependencies;
  readonly #controllers = new Map<string, ControllerLoop>();
  readonly #runnables = new Map<string, Runnable>();
  /** The informers of the own cluster that were asked for here: passes wait for their first lists and no others. */
  readonly #needed = new Set<Pick<SharedInformer<KubeObject>, "whenSynced">>();
  readonly #leadership: Leadership;
  readonly #hooks: ClientHooks;
  #permit: Permit | undefined;

  constructor(name: string, deps: LeaseGroupDependencies) {
    this.name = name;
    this.#deps = deps;
    this.clock = deps.clock;
    this.log = deps.log;
    this.events = deps.events;
    this.metrics = deps.metrics;
    this.#leadership = deps.leadership((shard) => this.#resync(shard));
    this.#hooks = this.#countingHooks();
    const { expectations } = deps;
    this.client = new ManagedClient(deps.client, {
      ...this.#hooks,
      written: (resource, object) => expectations.written(resource, object),
      deleted: (ref) => expectations.deleted(ref),
      contradicted: (resource) => expectations.contradicted(resource),
    });
  }

  get hasLease(): boolean {
    return this.#leadership.kind !== "none";
  }

  /** Shards held now, of a sharded group; otherwise 1 while the group acts. */
  get share(): number {
    const leadership = this.#leadership;
    if (leadership.kind === "shards") return leadership.sharding.held.length;
    return this.mayWrite ? 1 : 0;
  }

  get mayWrite(): boolean {
    const leadership = this.#leadership;
    if (leadership.kind === "none") return true;
    if (leadership.kind === "lease") return leadership.elector.held;
    const permit = currentPermit.getStore();
    return permit === undefined ? leadership.sharding.held.includes(0) : permit.held;
  }

  informer<T extends KubeObject = AnyObject>(resource: Resource, options?: InformerOptions<T>): Informer<T> {
    const informer = this.#deps.informers.get(resource, options);
    if (options?.client === undefined) this.#needed.add(informer);
    return informer;
  }

  addController(definition: ControllerDefinition): void {
    const { name } = definition;
    if (this.#controllers.has(name)) throw runtimeErrors.NAME_TAKEN({ what: "controller", name });
    const { clock, random, log, expectations, instruments } = this.#deps;
    const settled = (signal: AbortSignal) => expectations.settled(signal);
    const permitFor = (key: ObjectKey): Permit | undefined => this.#permitFor(definition, key);
    const deps = { clock, random, log, settled, metrics: instruments(name), permitFor };
    this.#controllers.set(name, new ControllerLoop(definition, deps));
  }

  addRunnable(
    name: string,
    run: (signal: AbortSignal) => Promise<void>,
    options: { readonly needsLease?: boolean } = {},
  ): void {
    if (this.#runnables.has(name)) throw runtimeErrors.NAME_TAKEN({ what: "runnable", name });
    this.#runnables.set(name, { name, run, needsLease: options.needsLease ?? true });
  }

  guard(client: Client): Client {
    return new ManagedClient(client, this.#hooks);
  }

  /** Queues changes from now on, and works them off while the lease is held. */
  async run(stop: AbortSignal): Promise<void> {
    const free = this.#runRunnables(false, stop);
    const unsubscribe = [...this.#controllers.values()].map((controller) => controller.subscribe());
    try {
      await Promise.all([free, this.#compete(stop)]);
    } finally {
      for (const end of unsubscribe) end();
      for (const { queue } of this.#controllers.values()) queue.close();
    }
  }

  #countingHooks(): ClientHooks {
    const { name: group, metrics } = this;
    const writes = metrics.counter("controller_writes_total", "Writes sent, by result", ["group", "kind", "result"]);
    const skips = metrics.counter("controller_skips_total", "Writes not sent, by reason", ["group", "kind", "reason"]);
    return {
      beforeWrite: () => this.#requireLease(),
      counted: (kind, result) => writes.inc({ group, kind, result }),
      skipped: (kind, reason) => skips.inc({ group, kind, reason }),
    };
  }

  #compete(stop: AbortSignal): Promise<void> {
    const leadership = this.#leadership;
    if (leadership.kind === "none") return this.#lead(stop, new AbortController().signal);
    if (leadership.kind === "lease") return leadership.elector.run(stop, (lost) => this.#lead(stop, lost));
    return this.#share(leadership.sharding, stop);
  }

  /** Workers run all the time, and take the keys of the shards that are held. */
  async #share(sharding: Sharding, stop: AbortSignal): Promise<void> {
    await this.#synced(stop);
    if (stop.aborted) return;
    const controllers = [...this.#controllers.values()].map((controller) => controller.run(stop));
    await Promise.all([...controllers, sharding.run(stop), this.#runRunnables(true, stop)]);
  }

  #permitFor(definition: ControllerDefinition, key: ObjectKey): Permit | undefined {
    if (this.#leadership.kind !== "shards") return this.#permit;
    return this.#leadership.sharding.permitFor(definition.shardName?.(key) ?? key.name);
  }

  #resync(shard: number): void {
    if (this.#leadership.kind !== "shards") return;
    const { shards } = this.#leadership;
    for (const controller of this.#controllers.values()) {
      const nameOf = (key: ObjectKey): string => controller.definition.shardName?.(key) ?? key.name;
      controller.resync((key) => shardOf(nameOf(key), shards) === shard);
    }
  }

  #requireLease(): void {
    if (!this.mayWrite) throw runtimeErrors.LEASE_LOST({ lease: this.name });
  }

  async #synced(signal: AbortSignal): Promise<void> {
    await Promise.all([...this.#needed].map((informer) => informer.whenSynced(signal)));
  }

  async #lead(stop: AbortSignal, lost: AbortSignal): Promise<void> {
    const { clock, drainMs } = this.#deps;
    const over = AbortSignal.any([stop, lost]);
    await this.#synced(over);
    if (over.aborted) return;
    const late = new AbortController();
    let cancel: (() => void) | undefined;
    // Passes in work may finish when we stop, for a while; when the lease is lost they must not.
    const drain = (): void => {
      cancel = clock.after(drainMs, () => late.abort(runtimeErrors.STOPPED({ what: `lease group ${this.name}` })));
    };
    stop.addEventListener("abort", drain, { once: true });
    this.#permit = plainPermit(AbortSignal.any([lost, late.signal]));
    const controllers = [...this.#controllers.values()].map((controller) => controller.run(over));
    // Also with nothing to run the lease is kept until the end.
    await Promise.all([...controllers, this.#runRunnables(true, over), aborted(over)]).finally(() => {
      cancel?.();
      stop.removeEventListener("abort", drain);
    });
  }

  async #runRunnables(needsLease: boolean, signal: AbortSignal): Promise<void> {
    const mine = [...this.#runnables.values()].filter((runnable) => runnable.needsLease === needsLease);
    await Promise.all(mine.map(({ run }) => run(signal).catch(unlessAborted(signal))));
  }
}

/** The permit of a group that one lease leads: its client asks the lease itself before each write. */
function plainPermit(signal: AbortSignal): Permit {
  return { signal, held: true, run: (pass) => pass() };
}

/** A runnable may end by throwing when it is told to end; before that a failure is everybody's. */
function unlessAborted(signal: AbortSignal): (error: unknown) => void {
  return (error) => {
    if (!signal.aborted) throw error;
  };
}
