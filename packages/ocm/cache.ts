import { LRUCache } from "lru-cache";
import type { RegistryClient } from "oras-js";
import { SingleFlight } from "oras-js";
import { type ComponentRepository, repositoryFor, tagOf } from "./names.ts";
import { type ComponentVersion, pullComponentVersion } from "./pull.ts";

/** Options of {@link DescriptorCache}. */
export interface DescriptorCacheOptions {
  readonly client: Pick<RegistryClient, "resolve" | "pullManifest" | "pullBlob">;
  readonly clock: { now(): number };
  /** A tag is asked again after this time; a version that moved is read anew. Default 5 minutes. */
  readonly recheckMs?: number;
  /** Component versions that are kept. Default 2,000. */
  readonly entries?: number;
}

interface Tag {
  readonly digest: string;
  readonly checkedAtMs: number;
}

/**
 * Component versions by name and version, each read once.
 *
 * A version is found by its tag, and kept by the digest of its manifest: as long as the tag points at
 * the same manifest nothing is transferred, and when it has moved the new version is read. Callers at
 * the same time share one request. A failure is not remembered.
 */
export class DescriptorCache {
  readonly #options: DescriptorCacheOptions;
  readonly #recheckMs: number;
  readonly #tags: LRUCache<string, Tag>;
  readonly #versions: LRUCache<string, ComponentVersion>;
  readonly #flights = new SingleFlight<string, ComponentVersion>();

  constructor(options: DescriptorCacheOptions) {
    this.#options = options;
    this.#recheckMs = options.recheckMs ?? 300_000;
    this.#tags = new LRUCache({ max: options.entries ?? 2_000 });
    this.#versions = new LRUCache({ max: options.entries ?? 2_000 });
  }

  /** The component version; the result is shared and must not be changed. Throws as `getComponentVersion` does. */
  async get(
    repository: ComponentRepository,
    component: { readonly name: string; readonly version: string },
    signal?: AbortSignal,
  ): Promise<ComponentVersion> {
    const target = { ...repositoryFor(repository, component.name), tag: tagOf(component.version) };
    const key = `${target.plainHttp ? "http" : "https"}://${target.host}/${target.path}:${target.tag}`;
    const fresh = this.#fresh(key);
    if (fresh !== undefined) return fresh;
    return this.#flights.run(
      key,
      async (shared) => {
        const { digest } = await this.#options.client.resolve(target, { signal: shared });
        const known = this.#versions.get(this.#versionKey(key, digest));
        const found =
          known ??
          (await pullComponentVersion(this.#options.client, { ...target, digest }, component, { signal: shared }));
        this.#versions.set(this.#versionKey(key, digest), found);
        this.#tags.set(key, { digest, checkedAtMs: this.#options.clock.now() });
        return found;
      },
      signal,
    );
  }

  #fresh(key: string): ComponentVersion | undefined {
    const tag = this.#tags.get(key);
    if (tag === undefined || this.#options.clock.now() - tag.checkedAtMs >= this.#recheckMs) return undefined;
    return this.#versions.get(this.#versionKey(key, tag.digest));
  }

  // The same manifest may lie in several repositories; its local blobs are in each of them.
  #versionKey(key: string, digest: string): string {
    return `${key}@${digest}`;
  }
}
