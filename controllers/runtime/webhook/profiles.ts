import { cloudProfileResource, type JsonObject } from "@kyma-operators/gardener";
import type { Clock } from "@kyma-operators/kube";
import { type AnyObject, type Client, optional } from "@kyma-operators/kube";
import { LRUCache } from "lru-cache";
import type { Runtime } from "../../../apis/infrastructure/index.ts";
import type { LandscapeConfig } from "../shoot/index.ts";
import { cloudProfileOf } from "../shoot/placement.ts";

const ageMs = 300_000;
const timeoutMs = 3_000;

/** CloudProfiles as Gardener has them, each read at most once in five minutes. */
export class CloudProfiles {
  readonly #client: Client;
  readonly #config: () => LandscapeConfig;
  readonly #cache: LRUCache<string, AnyObject>;

  constructor(client: Client, config: () => LandscapeConfig, clock: Clock) {
    this.#client = client;
    this.#config = config;
    this.#cache = new LRUCache({ max: 32, ttl: ageMs, ttlResolution: 0, perf: { now: () => clock.now() } });
  }

  /** Undefined when there is none, or when Gardener does not answer in time: then nothing is refused for it. */
  async profileFor(runtime: Runtime): Promise<JsonObject | undefined> {
    let name: string;
    try {
      const { cloudProfile, cloudProfileName } = cloudProfileOf(runtime, this.#config(), "");
      // Profiles of a project are that project's own business.
      if (cloudProfile !== undefined && cloudProfile.kind !== "CloudProfile") return undefined;
      name = cloudProfile?.name ?? cloudProfileName ?? "";
    } catch {
      return undefined; // an unknown provider is refused by validation, by name
    }
    const known = this.#cache.get(name);
    if (known !== undefined) return known;
    const ref = { resource: cloudProfileResource, name };
    const found = await optional(this.#client.get(ref, { timeoutMs })).catch(() => undefined);
    if (found !== undefined) this.#cache.set(name, found);
    return found;
  }
}
