import { isAppError, textOf } from "@kyma-operators/errors";
import type { Client, Clock, KubeObject, Resource } from "@kyma-operators/kube";
import { aborted } from "./aborted.ts";
import type { Expectations } from "./expectations.ts";
import { SharedInformer } from "./informer.ts";
import type { MetricsExport } from "./metrics.ts";
import type { Random } from "./system-random.ts";
import type { InformerOptions, Logger } from "./types.ts";

export interface InformerPoolOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Logger;
  readonly random: Random;
  readonly metrics: MetricsExport;
  readonly expectations: Expectations;
  readonly freeze: boolean;
  readonly relistMs: number;
}

interface Entry {
  readonly informer: SharedInformer<KubeObject>;
  readonly transform: unknown;
  /** Absent: the manager's own. */
  readonly client: Client | undefined;
}

/** One shared informer per cluster, kind, selection and transform. */
export class InformerPool {
  readonly #options: InformerPoolOptions;
  readonly #entries = new Map<string, readonly Entry[]>();
  readonly #stop = new AbortController();
  readonly #running: Promise<void>[] = [];
  readonly #failures: ReturnType<MetricsExport["counter"]>;
  #started = false;

  constructor(options: InformerPoolOptions) {
    this.#options = options;
    const { metrics } = options;
    this.#failures = metrics.counter("informer_failures_total", "Failed lists and watches", ["kind", "code"]);
    const age = metrics.gauge("informer_age_seconds", "Time since the last sign of life of a watch", ["kind"]);
    const objects = metrics.gauge("informer_objects", "Objects in the store", ["kind"]);
    metrics.beforeScrape(() => {
      // A kind may have several informers: the worst of them is what matters, and their objects add up.
      for (const [kind, informers] of Map.groupBy(this.#all(), ({ resource }) => resource.kind)) {
        const aliveAt = Math.min(...informers.map((informer) => informer.aliveAt));
        age.set({ kind }, (options.clock.now() - aliveAt) / 1000);
        objects.set(
          { kind },
          informers.reduce((sum, { store }) => sum + store.size, 0),
        );
      }
    });
  }

  /** The informer of a kind and selection; indexes are added to one that exists. */
  get<T extends KubeObject>(resource: Resource, options: InformerOptions<T> = {}): SharedInformer<T> {
    const { indexes = {}, transform, client, ...selection } = options;
    const key = keyOf(resource, selection);
    const same = this.#entries.get(key) ?? [];
    const present = same.find((candidate) => candidate.transform === transform && candidate.client === client);
    const found = present?.informer ?? this.#add(key, resource, options);
    // The key holds the kind, so what is stored under it has the type that callers name for that kind.
    const informer = found as unknown as SharedInformer<T>;
    informer.addIndexes(indexes);
    return informer;
  }

  /** Starts all informers, and from now on every new one at once. Resolves after {@link stop}. */
  async start(): Promise<void> {
    this.#started = true;
    for (const informer of this.#all()) this.#running.push(informer.run(this.#stop.signal));
    await aborted(this.#stop.signal);
    await Promise.all(this.#running);
  }

  stop(reason: Error): void {
    this.#stop.abort(reason);
  }

  unready(staleMs: number): readonly string[] {
    const now = this.#options.clock.now();
    return this.#own().flatMap(({ resource, synced, aliveAt, failure }) => {
      if (!synced) return [withReason(`the first list of ${resource.plural} is not complete`, failure)];
      const silence = `the watch of ${resource.plural} has been silent for ${now - aliveAt} ms`;
      return now - aliveAt > staleMs ? [withReason(silence, failure)] : [];
    });
  }

  #all(): readonly SharedInformer<KubeObject>[] {
    return [...this.#entries.values()].flat().map(({ informer }) => informer);
  }

  #own(): readonly SharedInformer<KubeObject>[] {
    const entries = [...this.#entries.values()].flat();
    return entries.filter(({ client }) => client === undefined).map(({ informer }) => informer);
  }

  #add<T extends KubeObject>(key: string, resource: Resource, options: InformerOptions<T>): SharedInformer<KubeObject> {
    const { indexes: _, transform, client, ...selection } = options;
    const { metrics: __, expectations, ...shared } = this.#options;
    const informer = new SharedInformer<T>({
      ...shared,
      client: client ?? shared.client,
      resource,
      selection,
      transform,
      onFailure: (error) => this.#failures.inc({ kind: resource.kind, code: isAppError(error) ? error.code : "" }),
    }) as unknown as SharedInformer<KubeObject>;
    this.#entries.set(key, [...(this.#entries.get(key) ?? []), { informer, transform, client }]);
    if (client === undefined) expectations.follow(informer);
    if (this.#started) this.#running.push(informer.run(this.#stop.signal));
    return informer;
  }
}

const withReason = (problem: string, failure: unknown): string =>
  failure === undefined ? problem : `${problem}: ${textOf(failure)}`;

function keyOf(resource: Resource, selection: object): string {
  const { group, version, plural } = resource;
  return JSON.stringify([group, version, plural, Object.entries(selection).sort(([a], [b]) => (a < b ? -1 : 1))]);
}
