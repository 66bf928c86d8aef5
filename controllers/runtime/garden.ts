import { gardenerAnnotations, type Shoot, seedResource, shootResource } from "@kyma-operators/gardener";
import { type AnyObject, builtIn, type Client, type ObjectRef, optional } from "@kyma-operators/kube";
import type { Informer } from "@kyma-operators/runtime";
import { fieldManager } from "../../apis/infrastructure/index.ts";
import type { RuntimeMetrics } from "./metrics.ts";
import type { CacheSecret } from "./registry-caches.ts";
import type { StructuredAuthConfigMap } from "./shoot/index.ts";

const { configMaps, secrets } = builtIn;

/** A Shoot as the API carries it. */
export type GardenShoot = Shoot & AnyObject;

export interface GardenOptions {
  readonly client: Client;
  readonly shoots: Informer<GardenShoot>;
  /** Namespace of the project. */
  readonly namespace: string;
  readonly metrics: RuntimeMetrics;
}

/** The Gardener project: the only file that speaks to Gardener. */
export class Garden {
  readonly #options: GardenOptions;

  constructor(options: GardenOptions) {
    this.#options = options;
  }

  /** False until all Shoots are known: an empty answer then says nothing. */
  get isKnown(): boolean {
    return this.#options.shoots.synced;
  }

  /** The Shoot as the watch has shown it; costs no request. */
  shoot(name: string): GardenShoot | undefined {
    return this.#options.shoots.store.get({ namespace: this.#options.namespace, name });
  }

  /** The Shoot as it is now. Asked before every write, because the watch may lag behind. */
  live(name: string, signal: AbortSignal): Promise<GardenShoot | undefined> {
    return this.#request("get", () => optional(this.#options.client.get<GardenShoot>(this.#ref(name), { signal })));
  }

  create(shoot: Shoot, signal: AbortSignal): Promise<GardenShoot> {
    const object = shoot as GardenShoot;
    return this.#request("create", () => this.#options.client.create(shootResource, object, { fieldManager, signal }));
  }

  /** Replaces the whole Shoot; refused with a conflict when somebody else wrote since it was read. */
  update(shoot: Shoot, signal: AbortSignal): Promise<GardenShoot> {
    const object = shoot as GardenShoot;
    return this.#request("update", () => this.#options.client.update(shootResource, object, { fieldManager, signal }));
  }

  apply(shoot: Shoot, signal: AbortSignal): Promise<GardenShoot> {
    const object = shoot as GardenShoot;
    const options = { fieldManager, force: true, signal };
    return this.#request("apply", () => this.#options.client.apply(shootResource, object, options));
  }

  /** Sets annotations and nothing else. */
  async annotate(name: string, annotations: Readonly<Record<string, string>>, signal: AbortSignal): Promise<void> {
    const patch = { metadata: { annotations } };
    await this.#request("patch", () =>
      this.#options.client.mergePatch(this.#ref(name), patch, { fieldManager, signal }),
    );
  }

  /** Confirms and deletes. A Shoot that is gone already is fine. */
  async remove(shoot: Shoot, signal: AbortSignal): Promise<void> {
    const name = shoot.metadata.name ?? "";
    if (shoot.metadata.annotations?.[gardenerAnnotations.confirmDeletion] !== "true") {
      await this.annotate(name, { [gardenerAnnotations.confirmDeletion]: "true" }, signal);
    }
    await this.#request("delete", () => optional(this.#options.client.delete(this.#ref(name), { signal })));
  }

  async seeds(signal: AbortSignal): Promise<readonly AnyObject[]> {
    return (await this.#request("list", () => this.#options.client.list(seedResource, { signal }))).items;
  }

  async writeConfigMap(map: StructuredAuthConfigMap, signal: AbortSignal): Promise<void> {
    const object = map as unknown as AnyObject;
    const options = { fieldManager, force: true, signal };
    await this.#request("apply", () => this.#options.client.apply(configMaps, object, options));
  }

  async writeSecret(secret: CacheSecret, signal: AbortSignal): Promise<void> {
    const object = secret as unknown as AnyObject;
    const options = { fieldManager, force: true, signal };
    await this.#request("apply", () => this.#options.client.apply(secrets, object, options));
  }

  /** Removes the selected Secrets of the project, except those of these names. */
  async removeSecrets(labelSelector: string, kept: readonly string[], signal: AbortSignal): Promise<void> {
    const { client, namespace } = this.#options;
    const options = { namespace, labelSelector, metadataOnly: true, signal };
    const { items } = await this.#request("list", () => client.list(secrets, options));
    const stale = items.map(({ metadata }) => metadata.name ?? "").filter((name) => !kept.includes(name));
    for (const name of stale) {
      await this.#request("delete", () => optional(client.delete({ resource: secrets, namespace, name }, { signal })));
    }
  }

  async removeConfigMap(name: string, signal: AbortSignal): Promise<void> {
    const ref = { resource: configMaps, namespace: this.#options.namespace, name };
    await this.#request("delete", () => optional(this.#options.client.delete(ref, { signal })));
  }

  #ref(name: string): ObjectRef {
    return { resource: shootResource, namespace: this.#options.namespace, name };
  }

  #request<T>(verb: string, call: () => Promise<T>): Promise<T> {
    return this.#options.metrics.request(verb, call);
  }
}
