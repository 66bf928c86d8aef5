import { LRUCache } from "lru-cache";
import type { Descriptor, DescriptorProblem } from "./descriptor.ts";
import type { ComponentVersion } from "./wanted-manifest.ts";

export type FetchDescriptor = (id: ComponentVersion, signal: AbortSignal) => Promise<Descriptor | DescriptorProblem>;

/**
 * Remembers component descriptors, which never change once published. Bounded by their size; problems are not
 * remembered. Several callers that ask for one descriptor at a time share one fetch.
 */
export class DescriptorCache {
  readonly #fetch: FetchDescriptor;
  readonly #known: LRUCache<string, Descriptor>;
  readonly #running = new Map<string, Promise<Descriptor | DescriptorProblem>>();

  constructor(fetch: FetchDescriptor, limitBytes: number) {
    this.#fetch = fetch;
    this.#known = new LRUCache({
      maxSize: limitBytes,
      sizeCalculation: (descriptor) => JSON.stringify(descriptor).length,
    });
  }

  async get(id: ComponentVersion, signal: AbortSignal): Promise<Descriptor | DescriptorProblem> {
    const key = `${id.component}:${id.version}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const running = this.#running.get(key);
    if (running !== undefined) return running;
    const fetched = this.#fetchOnce(key, id, signal);
    this.#running.set(key, fetched);
    return fetched;
  }

  async #fetchOnce(key: string, id: ComponentVersion, signal: AbortSignal): Promise<Descriptor | DescriptorProblem> {
    try {
      const result = await this.#fetch(id, signal);
      if (!("problem" in result)) this.#known.set(key, result);
      return result;
    } finally {
      this.#running.delete(key);
    }
  }
}
