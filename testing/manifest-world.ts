import type { AnyObject } from "@kyma-operators/kube";
import { formatYamlDocuments } from "@kyma-operators/yaml";
import type { HttpResponse, Transport } from "oras-js";
import type { Manifest, ManifestSpec } from "../apis/operator/manifest.ts";
import type { ApiServerOptions } from "../apiserver/index.ts";
import {
  accessSecret,
  kymaObject,
  type LifecycleWorld,
  restarted,
  startLifecycleWorld,
  type WorldFaults,
} from "./lifecycle-world.ts";
import { type MemoryDirectory, memoryDirectory } from "./memory-directory.ts";

const api = "operator.kyma-project.io/v1beta2";
const namespace = "kcp-system";
const name = "one-alpha";

/** What a Manifest controller needs from a world of tests. */
export interface ManifestWiring {
  readonly context: LifecycleWorld["context"];
  readonly clusters: LifecycleWorld["clusters"];
  /** Filled by {@link ManifestWorld.layer}. */
  readonly content: MemoryDirectory;
  readonly namespace: string;
  readonly registry: { readonly transport: Transport; readonly attempts: number };
}

/** The Manifest `kcp-system/one-alpha` of the Kyma `one`, and the cluster it is for. */
export class ManifestWorld<C = unknown> {
  world: LifecycleWorld;
  controller: C;
  readonly content: MemoryDirectory;
  readonly #add: (wiring: ManifestWiring) => C;

  private constructor(world: LifecycleWorld, content: MemoryDirectory, add: (wiring: ManifestWiring) => C) {
    this.world = world;
    this.content = content;
    this.#add = add;
    this.controller = this.#start();
  }

  /**
   * Starts the clusters and the controller.
   *
   * @param add - adds the controller under test to the manager.
   * @param remote - options of the remote cluster.
   * @param faults - what goes wrong on the way to the clusters.
   */
  static async start<C>(
    add: (wiring: ManifestWiring) => C,
    remote: ApiServerOptions = {},
    faults: WorldFaults = {},
  ): Promise<ManifestWorld<C>> {
    const world = await startLifecycleWorld(faults, remote);
    await world.skr.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name: "kyma-system" } });
    await world.kcp.apply(accessSecret("one"), kymaObject("one", { channel: "regular" }));
    const started = new ManifestWorld(world, memoryDirectory(), add);
    await started.#mention();
    return started;
  }

  /** Ends the process and starts another one on the same clusters. */
  async restart(): Promise<void> {
    await this.world.halt();
    this.world = restarted(this.world);
    this.controller = this.#start();
  }

  stop(): Promise<void> {
    return this.world.stop();
  }

  /** Puts a layer into the registry; gives its digest. */
  layer(content: readonly AnyObject[] | Uint8Array): string {
    return this.content.put(content instanceof Uint8Array ? content : formatYamlDocuments(content));
  }

  /** Creates the Manifest with this layer. */
  async install(
    ref: string,
    spec: Partial<ManifestSpec> = {},
    metadata: Partial<AnyObject["metadata"]> = {},
  ): Promise<void> {
    await this.world.kcp.apply(manifestObject(ref, spec, metadata));
  }

  /** Changes the Manifest as its owner would. */
  async patch(change: object): Promise<void> {
    const resource = await this.world.kcp.resource(api, "Manifest");
    await this.world.kcp.client.mergePatch({ resource, namespace, name }, change);
  }

  /** Points the Manifest to another layer. */
  async upgrade(ref: string, version?: string): Promise<void> {
    await this.patch({ spec: { ...(version === undefined ? {} : { version }), install: { source: { ref } } } });
  }

  async delete(): Promise<void> {
    const resource = await this.world.kcp.resource(api, "Manifest");
    await this.world.kcp.client.delete({ resource, namespace, name });
  }

  async manifest(): Promise<Manifest | undefined> {
    return (await this.world.kcp.list(api, "Manifest"))[0] as unknown as Manifest | undefined;
  }

  /** Moves time until the Manifest is in a state. */
  async until(state: string): Promise<Manifest> {
    const { clock } = this.world;
    await clock
      .until(async () => (await this.manifest())?.status?.state === state)
      .catch(async (error: unknown) => {
        const found = JSON.stringify((await this.manifest())?.status?.lastOperation);
        throw new Error(`the Manifest never became ${state}; it says ${found}`, { cause: error });
      });
    return (await this.manifest()) as Manifest;
  }

  /** Moves time until the layer is installed completely and the Manifest is Ready. */
  async installed(ref: string): Promise<Manifest> {
    await this.world.clock.until(async () => (await this.manifest())?.metadata.annotations?.["sync-oci-ref"] === ref);
    return this.until("Ready");
  }

  /** Moves time until the Manifest is gone. */
  gone(): Promise<void> {
    return this.world.clock.until(async () => (await this.manifest()) === undefined);
  }

  /** Names of all objects of a kind on the remote cluster; empty while the kind is not served. */
  async names(apiVersion: string, kind: string): Promise<readonly string[]> {
    const objects = await this.world.skr.list(apiVersion, kind).catch(() => []);
    return objects.map(({ metadata }) => metadata.name ?? "").filter((found) => found !== "kube-root-ca.crt");
  }

  /** `verb plural/name` of every write to the remote cluster since a number of them. */
  writes(since = 0): readonly string[] {
    return this.world.skr
      .writes()
      .slice(since)
      .map(({ verb, resource, name: object }) => `${verb} ${resource}/${object}`);
  }

  #start(): C {
    const { context, clusters } = this.world;
    const registry = { transport: { send: async () => corrupt(), close: async () => undefined }, attempts: 1 };
    const controller = this.#add({ context, clusters, content: this.content, namespace, registry });
    this.world.start();
    return controller;
  }

  /** As the Kyma would, so that the Manifest is no orphan. */
  async #mention(): Promise<void> {
    const { kcp } = this.world;
    const resource = await kcp.resource(api, "Kyma");
    const modules = [{ name: "alpha", state: "Processing", manifest: { metadata: { name, namespace } } }];
    const status = { state: "Processing", modules };
    await kcp.client.mergePatch({ resource, namespace, name: "one" }, { status }, { subresource: "status" });
  }
}

/** A Manifest as the Kyma controller writes it. */
export function manifestObject(
  ref: string,
  spec: Partial<ManifestSpec> = {},
  metadata: Partial<AnyObject["metadata"]> = {},
): AnyObject {
  const labels = { "operator.kyma-project.io/kyma-name": "one", "operator.kyma-project.io/module-name": "alpha" };
  const source = { type: "oci-ref", repo: "registry.example.org", name: "example.org/module/alpha", ref };
  return {
    apiVersion: api,
    kind: "Manifest",
    metadata: { name, namespace, labels, ...metadata },
    spec: { remote: false, install: { name: "raw-manifest", source }, ...spec },
  };
}

/** A registry that has something else for every digest. */
function corrupt(): HttpResponse {
  const body = (async function* (): AsyncGenerator<Uint8Array> {
    yield Buffer.from("something else");
  })();
  return { status: 200, headers: {}, body, discard: async () => undefined };
}
