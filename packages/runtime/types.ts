import type { AnyObject, Client, Clock, KubeObject, ObjectKey, Resource } from "@kyma-operators/kube";

/** How one pass ended. A failure is thrown, never returned; the work queue alone turns it into a back-off. */
export type Outcome =
  | { readonly kind: "done" }
  /** Look again after the delay although nothing failed; `reason` is for logs and metrics. */
  | { readonly kind: "wait"; readonly reason: string; readonly afterMs: number };

/** Structured log, one line per call. Never object bodies, kubeconfigs or tokens. */
export interface Logger {
  debug(fields: Readonly<Record<string, unknown>>, message: string): void;
  info(fields: Readonly<Record<string, unknown>>, message: string): void;
  warn(fields: Readonly<Record<string, unknown>>, message: string): void;
  error(fields: Readonly<Record<string, unknown>>, message: string): void;
  child(fields: Readonly<Record<string, unknown>>): Logger;
}

/** What one pass may use besides its controller's own dependencies. */
export interface Context {
  /** Aborted when the lease is lost, the manager stops or the pass exceeds its deadline. */
  readonly signal: AbortSignal;
  /** Carries `controller`, `namespace`, `name`, `reconcileID`. */
  readonly log: Logger;
  /** Start of the pass, milliseconds since the epoch: one single time per pass. */
  readonly now: number;
}

/** Brings one key closer to its spec. At least once, one key at a time, may stop at any await and be run again. */
export type Reconcile = (key: ObjectKey, ctx: Context) => Promise<Outcome>;

/** Maps an object to index values. */
export type IndexFunction<T> = (object: T) => readonly string[];

/** The watch-fed copy of one kind. Objects are shared and must not be changed: clone before you edit. */
export interface Store<T extends KubeObject> {
  get(key: ObjectKey): T | undefined;
  list(): readonly T[];
  /** Objects for which the index function of that name gave this value. Throws for an unknown index. */
  byIndex(index: string, value: string): readonly T[];
}

export interface InformerOptions<T extends KubeObject> {
  /**
   * Another cluster than the manager's. Neither passes nor readiness wait for it, since its trouble is not that of the
   * others: look at {@link Informer.synced} before you take an empty store for the truth. Own writes there are not
   * waited for either.
   */
  readonly client?: Client;
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  readonly metadataOnly?: boolean;
  readonly indexes?: Readonly<Record<string, IndexFunction<T>>>;
  /** Cuts an object down before it is stored, for example to the fields that a controller reads. May change it. */
  readonly transform?: (object: T) => T;
}

/** A change that the store has already seen. A delete and re-create under one name is two events. */
export type Change<T> =
  | {
      readonly type: "added";
      readonly object: T;
      /** Part of the first list after a (re)start. */
      readonly initial: boolean;
    }
  | { readonly type: "updated"; readonly object: T; readonly old: T }
  | { readonly type: "deleted"; readonly object: T };

export interface Informer<T extends KubeObject> {
  readonly resource: Resource;
  readonly store: Store<T>;
  /** True once the first list is complete. */
  readonly synced: boolean;
  /** Registers a handler; the returned function removes it. Handlers must not throw or wait. */
  onChange(handler: (change: Change<T>) => void): () => void;
}

/** Lets sources outside the API server (a webhook, a remote watch) wake keys of a controller. */
export interface ChannelSource {
  subscribe(wake: (key: ObjectKey, options?: { readonly priority?: number }) => void): () => void;
}

/** Which changes of which kind wake which keys. Methods, so that watches of different kinds fit into one list. */
export interface WatchDefinition<T extends KubeObject = KubeObject> {
  readonly informer: Informer<T>;
  /** Drops changes that can't matter. Absent: every change counts. */
  predicate?(change: Change<T>): boolean;
  /** Keys to wake; absent: the object's own key. */
  map?(change: Change<T>): readonly ObjectKey[];
}

export interface ControllerDefinition {
  readonly name: string;
  readonly watches: readonly WatchDefinition[];
  readonly sources?: readonly ChannelSource[];
  /** Keys that may be in work at once. Default 1. */
  readonly concurrency?: number;
  /** A pass that runs longer is aborted and retried, in milliseconds. */
  readonly passTimeoutMs?: number;
  /** First and longest delay of the per-key exponential back-off, in milliseconds. */
  readonly backoff?: { readonly firstMs: number; readonly maxMs: number };
  /** Sharded groups only: the name that decides about the shard of a key. Absent: the key's own name. */
  shardName?(key: ObjectKey): string;
  readonly reconcile: Reconcile;
}

/** What a manager gives to the functions that wire a controller. */
export interface ManagerContext {
  /**
   * The control plane. Writes made through it are remembered: the next pass of any key starts only after the
   * informers have seen them.
   */
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Logger;
  /** One shared informer per cluster, resource and options; the same arguments give the same informer. */
  informer<T extends KubeObject = AnyObject>(resource: Resource, options?: InformerOptions<T>): Informer<T>;
  /** Adds a controller of a lease group; it starts when that lease is held. */
  addController(definition: ControllerDefinition): void;
  /** Adds something that runs beside the controllers until the signal aborts (a listener, a sweep). */
  addRunnable(
    name: string,
    run: (signal: AbortSignal) => Promise<void>,
    options?: { readonly needsLease?: boolean },
  ): void;
  /** Lets writes of another client (a remote cluster's) pass only while this group's lease is held. */
  guard(client: Client): Client;
  /** Records an event on transitions (events.k8s.io/v1). Never fails the caller. */
  readonly events: EventRecorder;
  readonly metrics: MetricsRegistry;
}

export interface EventRecorder {
  event(
    regarding: KubeObject,
    event: {
      readonly type: "Normal" | "Warning";
      readonly reason: string;
      readonly note: string;
      readonly action?: string;
    },
  ): void;
}

/** The part of prom-client's registry that controllers use; label sets must be bounded. */
export interface MetricsRegistry {
  counter(
    name: string,
    help: string,
    labels?: readonly string[],
  ): { inc(labels?: Readonly<Record<string, string>>, value?: number): void };
  gauge(
    name: string,
    help: string,
    labels?: readonly string[],
  ): {
    set(labels: Readonly<Record<string, string>>, value: number): void;
    remove(labels: Readonly<Record<string, string>>): void;
  };
  histogram(
    name: string,
    help: string,
    options?: { readonly labels?: readonly string[]; readonly buckets?: readonly number[] },
  ): { observe(labels: Readonly<Record<string, string>>, value: number): void };
}
