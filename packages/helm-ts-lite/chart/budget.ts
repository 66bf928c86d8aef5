import { helm } from "../errors.ts";
import type { HelmLimits } from "../limits.ts";

/** What a chart may hold, shared with the charts inside it, however they are packed. */
export class ChartBudget {
  readonly limits: HelmLimits;
  readonly #chart: string;
  #bytes = 0;
  #files = 0;
  #values = 0;

  constructor(chart: string, limits: HelmLimits) {
    this.#chart = chart;
    this.limits = limits;
  }

  /** Bytes that may still come. */
  get bytesLeft(): number {
    return this.limits.maxChartBytes - this.#bytes;
  }

  /** Values that may still come. */
  get valuesLeft(): number {
    return this.limits.maxValues - this.#values;
  }

  file(size: number, name: string): void {
    if (++this.#files > this.limits.maxFiles) throw this.exceeded("maxFiles");
    if (size > this.limits.maxFileBytes) throw this.exceeded("maxFileBytes", name);
    this.#bytes += size;
    if (this.#bytes > this.limits.maxChartBytes) throw this.exceeded("maxChartBytes");
  }

  values(count: number): void {
    this.#values += count;
    if (this.#values > this.limits.maxValues) throw this.exceeded("maxValues");
  }

  exceeded(limit: keyof HelmLimits, place?: string): Error {
    return helm.LIMIT({ chart: this.#chart, limit, max: this.limits[limit], place });
  }
}
