import { type AnyObject, builtIn, type Client, type KubeObject, optional } from "@kyma-operators/kube";
import {
  ensureFinalizer,
  type Informer,
  jsonEqual,
  patchStatus,
  refTo,
  removeFinalizer,
} from "@kyma-operators/runtime";
import {
  annotations,
  fieldManager,
  type GardenerCluster,
  gardenerClusterResource,
  type Runtime,
  type RuntimeStatus,
  runtimeFinalizer,
  runtimeResource,
} from "../../apis/infrastructure/index.ts";

export const secretResource = builtIn.secrets;

/** A kubeconfig Secret as the informer holds it. */
export interface KubeconfigSecret extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

/** Index of Runtimes by the name of their Shoot. */
export const byShoot = "shoot";

export interface ControlPlaneOptions {
  readonly client: Client;
  readonly runtimes: Informer<Runtime>;
  readonly clusters: Informer<GardenerCluster>;
  readonly secrets: Informer<KubeconfigSecret>;
}

/** Our objects on the control plane: read from stores, written by the smallest patch that says it. */
export class ControlPlane {
  readonly #options: ControlPlaneOptions;

  constructor(options: ControlPlaneOptions) {
    this.#options = options;
  }

  runtime(key: { readonly namespace: string; readonly name: string }): Runtime | undefined {
    return this.#options.runtimes.store.get(key);
  }

  /** All Runtimes that name the Shoot of this one. */
  namesakes({ spec }: Runtime): readonly Runtime[] {
    return this.#options.runtimes.store.byIndex(byShoot, spec.shoot.name);
  }

  gardenerCluster(namespace: string, name: string): GardenerCluster | undefined {
    return this.#options.clusters.store.get({ namespace, name });
  }

  secret(namespace: string, name: string): KubeconfigSecret | undefined {
    return this.#options.secrets.store.get({ namespace, name });
  }

  /** Returns true when it wrote; the change wakes the Runtime again. */
  ensureFinalizer(runtime: Runtime, signal: AbortSignal): Promise<boolean> {
    return ensureFinalizer(this.#options.client, runtimeResource, runtime, { finalizer: runtimeFinalizer, signal });
  }

  async release(runtime: Runtime, signal: AbortSignal): Promise<void> {
    await removeFinalizer(this.#options.client, runtimeResource, runtime, { finalizer: runtimeFinalizer, signal });
  }

  /** Sends nothing when the status is what it was. */
  async writeStatus(observed: Runtime, status: RuntimeStatus, signal: AbortSignal): Promise<void> {
    const change = { observed, status };
    const options = { fieldManager, signal };
    await optional(patchStatus<Runtime & KubeObject>(this.#options.client, runtimeResource, change, options));
  }

  /** Removes the annotation that asks for one forced patch, and nothing else. */
  async removeForce(runtime: Runtime, signal: AbortSignal): Promise<void> {
    const patch = { metadata: { annotations: { [annotations.forcePatch]: null } } };
    await optional(this.#options.client.mergePatch(refTo(runtimeResource, runtime), patch, { fieldManager, signal }));
  }

  async createGardenerCluster(cluster: GardenerCluster, signal: AbortSignal): Promise<void> {
    const object = cluster as unknown as AnyObject;
    await this.#options.client.create(gardenerClusterResource, object, { fieldManager, signal });
  }

  /** Brings labels and annotations to the wanted values; others stay. Returns false when nothing was to be done. */
  async syncGardenerCluster(current: GardenerCluster, wanted: GardenerCluster, signal: AbortSignal): Promise<boolean> {
    const stale = (is: Record<string, string> = {}, should: Record<string, string> = {}): boolean =>
      !jsonEqual({ ...is, ...should }, is);
    const { labels, annotations: marks } = wanted.metadata;
    if (!stale(current.metadata.labels, labels) && !stale(current.metadata.annotations, marks)) return false;
    const patch = { metadata: { labels, annotations: marks } };
    await this.#options.client.mergePatch(refTo(gardenerClusterResource, current), patch, { fieldManager, signal });
    return true;
  }

  async removeGardenerCluster(cluster: GardenerCluster, signal: AbortSignal): Promise<void> {
    await optional(this.#options.client.delete(refTo(gardenerClusterResource, cluster), { signal }));
  }
}
