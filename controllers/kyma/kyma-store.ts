import { type Client, type JsonPatchOperation, type ObjectKey, optional } from "@kyma-operators/kube";
import { countUnchanged, jsonEqual, type Store } from "@kyma-operators/runtime";
import { fieldManagers, finalizers } from "../../apis/operator/finalizers.ts";
import { apiVersion, kymas } from "../../apis/operator/group.ts";
import type { Kyma, KymaStatus } from "../../apis/operator/kyma.ts";
import { labels, labelValues } from "../../apis/operator/labels.ts";

/** The only place that reads or writes the Kymas of the control plane. */
export class KymaStore {
  readonly #client: Client;
  readonly #store: Store<Kyma>;

  constructor(client: Client, store: Store<Kyma>) {
    this.#client = client;
    this.#store = store;
  }

  get(key: ObjectKey): Kyma | undefined {
    return this.#store.get(key);
  }

  /**
   * Puts our finalizer and label on the Kyma and takes a finalizer of former releases off. Answers whether anything
   * was written.
   */
  async claim(kyma: Kyma, signal: AbortSignal): Promise<boolean> {
    const present = kyma.metadata.finalizers ?? [];
    if (present.includes(finalizers.foregroundDeletion)) return false;
    const kept = present.filter((finalizer) => finalizer !== finalizers.purge);
    const wanted = kept.includes(finalizers.kyma) ? kept : [...kept, finalizers.kyma];
    const managed = kyma.metadata.labels?.[labels.managedBy] === labelValues.managedByControlPlane;
    if (managed && wanted.length === present.length && kept.length === present.length) return false;
    await this.#patch(
      kyma,
      { finalizers: wanted, labels: { [labels.managedBy]: labelValues.managedByControlPlane } },
      signal,
    );
    return true;
  }

  /** Lets the Kyma go. Finalizers of other components stay, those that came meanwhile included. */
  async release(kyma: Kyma, signal: AbortSignal): Promise<void> {
    const { name = "", namespace = "", finalizers: present = [] } = kyma.metadata;
    const ours = new Set<string>([finalizers.kyma, finalizers.purge]);
    const rest = present.filter((finalizer) => !ours.has(finalizer));
    // Guarded by the list itself: our own status write a moment ago has moved the resource version.
    const patch: readonly JsonPatchOperation[] = [
      { op: "test", path: "/metadata/finalizers", value: present },
      { op: "replace", path: "/metadata/finalizers", value: rest },
    ];
    const options = { fieldManager: fieldManagers.lifecycleManager, signal };
    await optional(this.#client.jsonPatch({ resource: kymas, namespace, name }, patch, options));
  }

  /** Writes the status; sends nothing when it is the one that was found. Answers whether anything was written. */
  async writeStatus(observed: Kyma, status: KymaStatus, signal: AbortSignal): Promise<boolean> {
    if (jsonEqual(observed.status ?? {}, status)) {
      countUnchanged(this.#client, kymas);
      return false;
    }
    const { name = "", namespace = "", uid = "" } = observed.metadata;
    // The uid keeps the apply from bringing back a Kyma that is gone.
    const intent = { apiVersion, kind: "Kyma", metadata: { name, namespace, uid }, status } as Kyma;
    const options = { fieldManager: fieldManagers.lifecycleManager, force: true, subresource: "status", signal };
    await this.#client.apply(kymas, intent, options);
    return true;
  }

  async #patch({ metadata }: Kyma, change: object, signal: AbortSignal): Promise<void> {
    const { name = "", namespace = "", resourceVersion } = metadata;
    const patch = { metadata: { ...change, resourceVersion } };
    const options = { fieldManager: fieldManagers.lifecycleManager, signal };
    await this.#client.mergePatch({ resource: kymas, namespace, name }, patch, options);
  }
}
