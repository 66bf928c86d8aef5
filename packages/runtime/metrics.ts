import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import { runtimeErrors } from "./errors.ts";
import type { MetricsRegistry } from "./types.ts";

/** The metrics of a process, in the text format of Prometheus. */
export interface MetricsExport extends MetricsRegistry {
  /** Called before each scrape, to set gauges that are computed. */
  beforeScrape(update: () => void): void;
  scrape(): Promise<{ readonly contentType: string; readonly text: string }>;
}

/**
 * A registry of its own, so that several managers of one process don't meet.
 *
 * Asking twice for one name and type gives the same metric; another type is refused.
 *
 * @param options - `process`: also report the memory, CPU and event loop of the process.
 */
export function createMetrics(options: { readonly process?: boolean } = {}): MetricsExport {
  const registry = new Registry();
  if (options.process === true) collectDefaultMetrics({ register: registry });
  return new PromMetrics(registry);
}

type Labels = Readonly<Record<string, string>>;

class PromMetrics implements MetricsExport {
  readonly #registry: Registry;
  readonly #updates: (() => void)[] = [];

  constructor(registry: Registry) {
    this.#registry = registry;
  }

  counter(name: string, help: string, labels: readonly string[] = []): ReturnType<MetricsRegistry["counter"]> {
    const counter = this.#get(name, Counter, () => new Counter({ name, help, labelNames: labels, registers: [] }));
    return { inc: (values: Labels = {}, value = 1) => counter.inc({ ...values }, value) };
  }

  gauge(name: string, help: string, labels: readonly string[] = []): ReturnType<MetricsRegistry["gauge"]> {
    const gauge = this.#get(name, Gauge, () => new Gauge({ name, help, labelNames: labels, registers: [] }));
    return {
      set: (values: Labels, value: number) => gauge.set({ ...values }, value),
      remove: (values: Labels) => gauge.remove({ ...values }),
    };
  }

  histogram(
    name: string,
    help: string,
    options: { readonly labels?: readonly string[]; readonly buckets?: readonly number[] } = {},
  ): ReturnType<MetricsRegistry["histogram"]> {
    const { labels = [], buckets } = options;
    const init = {
      name,
      help,
      labelNames: labels,
      registers: [],
      ...(buckets === undefined ? {} : { buckets: [...buckets] }),
    };
    const histogram = this.#get(name, Histogram, () => new Histogram(init));
    return { observe: (values: Labels, value: number) => histogram.observe({ ...values }, value) };
  }

  beforeScrape(update: () => void): void {
    this.#updates.push(update);
  }

  async scrape(): Promise<{ readonly contentType: string; readonly text: string }> {
    for (const update of this.#updates) update();
    return { contentType: this.#registry.contentType, text: await this.#registry.metrics() };
  }

  #get<M extends Counter | Gauge | Histogram>(name: string, type: new (...init: never[]) => M, make: () => M): M {
    const present = this.#registry.getSingleMetric(name);
    if (present instanceof type) return present;
    if (present !== undefined) throw runtimeErrors.NAME_TAKEN({ what: "metric of another type", name });
    const metric = make();
    this.#registry.registerMetric(metric);
    return metric;
  }
}
