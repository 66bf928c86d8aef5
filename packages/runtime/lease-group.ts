import type { Client, Clock, KubeObject, Resource } from "@kyma-operators/kube";
import { aborted } from "./aborted.ts";
import { ControllerLoop } from "./controller.ts";
import { runtimeErrors } from "./errors.ts";
import type { Expectations } from "./expectations.ts";
import type { InformerPool } from "./informer-pool.ts";
import type { ControllerMetrics } from "./instruments.ts";
import type { LeaseElector } from "./lease-elector.ts";
import { ManagedClient } from "./managed-client.ts";
import type { MetricsExport } from "./metrics.ts";
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
  /** Absent: the group runs without a lease. */
  readonly elector: LeaseElector | undefined;
  readonly drainMs: number;
}

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

  constructor(name: string, deps: LeaseGroupDependencies) {
    this.name = name;
    this.#deps = deps;
    this.clock = deps.clock;
    this.log = deps.log;
    this.events = deps.events;
    this.metrics = deps.metrics;
    const { expectations } = deps;
    this.client = new ManagedClient(deps.client, {
      beforeWrite: () => this.#requireLease(),
      written: (resource, object) => expectations.written(resource, object),
      deleted: (ref) => expectations.deleted(ref),
    });
  }

  get hasLease(): boolean {
    return this.#deps.elector !== undefined;
  }

  get mayWrite(): boolean {
    return this.#deps.elector?.held ?? true;
  }

  informer<T extends KubeObject>(resource: Resource, options?: InformerOptions<T>): Informer<T> {
    return this.#deps.informers.get(resource, options);
  }

  addController(definition: ControllerDefinition): void {
    const { name } = definition;
    if (this.#controllers.has(name)) throw runtimeErrors.NAME_TAKEN({ what: "controller", name });
    const { clock, random, log, expectations, instruments } = this.#deps;
    const settled = (signal: AbortSignal) => expectations.settled(signal);
    const deps = { clock, random, log, settled, metrics: instruments(name), owns: () => true };
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
    return new ManagedClient(client, { beforeWrite: () => this.#requireLease() });
  }

  /** Queues changes from now on, and works them off while the lease is held. */
  async run(stop: AbortSignal): Promise<void> {
    const { elector } = this.#deps;
    const free = this.#runRunnables(false, stop);
    const unsubscribe = [...this.#controllers.values()].map((controller) => controller.subscribe());
    const lead = (lost: AbortSignal): Promise<void> => this.#lead(stop, lost);
    try {
      await Promise.all([free, elector === undefined ? lead(new AbortController().signal) : elector.run(stop, lead)]);
    } finally {
      for (const end of unsubscribe) end();
      for (const { queue } of this.#controllers.values()) queue.close();
    }
  }

  #requireLease(): void {
    if (!this.mayWrite) throw runtimeErrors.LEASE_LOST({ lease: this.name });
  }

  async #lead(stop: AbortSignal, lost: AbortSignal): Promise<void> {
    const { clock, informers, drainMs } = this.#deps;
    const over = AbortSignal.any([stop, lost]);
    await informers.synced(over);
    if (over.aborted) return;
    const late = new AbortController();
    let cancel: (() => void) | undefined;
    // Passes in work may finish when we stop, for a while; when the lease is lost they must not.
    const drain = (): void => {
      cancel = clock.after(drainMs, () => late.abort(runtimeErrors.STOPPED({ what: `lease group ${this.name}` })));
    };
    stop.addEventListener("abort", drain, { once: true });
    const abort = AbortSignal.any([lost, late.signal]);
    const controllers = [...this.#controllers.values()].map((controller) => controller.run(over, abort));
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

/** A runnable may end by throwing when it is told to end; before that a failure is everybody's. */
function unlessAborted(signal: AbortSignal): (error: unknown) => void {
  return (error) => {
    if (!signal.aborted) throw error;
  };
}
