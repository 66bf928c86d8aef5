import { hasCode } from "@kyma-operators/errors";
import type { AnyObject, Client, ObjectKey, Resource } from "@kyma-operators/kube";
import { countUnchanged, type EventRecorder, type Store } from "@kyma-operators/runtime";
import { annotations } from "../../apis/operator/annotations.ts";
import { fieldManagers, finalizers } from "../../apis/operator/finalizers.ts";
import { apiVersion, manifests } from "../../apis/operator/group.ts";
import type { Manifest, ManifestStatus } from "../../apis/operator/manifest.ts";
import { tellFailure } from "../../modules/warning-event.ts";
import { isSameStatus } from "./status.ts";

const resource: Resource = manifests;

/** Finalizers of ours, in the order in which they are added. */
export const ownFinalizers: readonly string[] = [
  finalizers.manifest,
  finalizers.labelRemoval,
  finalizers.moduleResource,
];

/** The only place that reads or writes Manifests. */
export class ManifestStore {
  readonly #client: Client;
  readonly #store: Store<Manifest>;
  readonly #events: EventRecorder;

  /** @param events - tells of writes that the control plane does not take. */
  constructor(client: Client, store: Store<Manifest>, events: EventRecorder) {
    this.#client = client;
    this.#store = store;
    this.#events = events;
  }

  get(key: ObjectKey): Manifest | undefined {
    return this.#store.get(key);
  }

  list(): readonly Manifest[] {
    return this.#store.list();
  }

  /** Manifests of a Kyma, in any namespace. */
  ofKyma(kymaName: string): readonly Manifest[] {
    return this.#store.byIndex("kyma", kymaName);
  }

  /** Manifests of a module, in any namespace. */
  ofModule(moduleName: string): readonly Manifest[] {
    return this.#store.byIndex("module", moduleName);
  }

  /**
   * Puts our finalizers on record, and the source that is about to be installed, before anything is created for them.
   * Sends nothing when both are there. The uid keeps an apply from bringing back an object that is gone.
   */
  async claim(manifest: Manifest, ref: string, signal: AbortSignal): Promise<Manifest> {
    const wanted = [finalizers.manifest, finalizers.labelRemoval];
    const present = manifest.metadata.finalizers ?? [];
    const annotated = manifest.metadata.annotations?.[annotations.syncOciRef] !== undefined;
    if (annotated && wanted.every((entry) => present.includes(entry))) return manifest;
    const recorded = manifest.metadata.annotations?.[annotations.syncOciRef] ?? ref;
    return this.#applyMetadata(
      manifest,
      { finalizers: wanted, annotations: { [annotations.syncOciRef]: recorded } },
      { manager: fieldManagers.manifestApplier, signal },
    );
  }

  /** Puts the finalizer of the default module CR on record. */
  async claimModuleResource(manifest: Manifest, signal: AbortSignal): Promise<Manifest> {
    if (manifest.metadata.finalizers?.includes(finalizers.moduleResource) === true) return manifest;
    return this.#applyMetadata(
      manifest,
      { finalizers: [finalizers.moduleResource] },
      { manager: fieldManagers.moduleResource, signal },
    );
  }

  /** Says which source is completely installed; an interrupted upgrade is recognised by the old value. */
  async recordInstalled(manifest: Manifest, ref: string, signal: AbortSignal): Promise<Manifest> {
    if (manifest.metadata.annotations?.[annotations.syncOciRef] === ref) return manifest;
    return this.#applyMetadata(
      manifest,
      {
        finalizers: [finalizers.manifest, finalizers.labelRemoval],
        annotations: { [annotations.syncOciRef]: ref },
      },
      { manager: fieldManagers.manifestApplier, signal },
    );
  }

  /** Removes finalizers in one write, whoever added them. Sends nothing when none is there. */
  async dropFinalizers(manifest: Manifest, dropped: readonly string[], signal: AbortSignal): Promise<Manifest> {
    const present = manifest.metadata.finalizers ?? [];
    const left = present.filter((entry) => !dropped.includes(entry));
    if (left.length === present.length) return manifest;
    const { resourceVersion } = manifest.metadata;
    const patch = { metadata: { finalizers: left, ...(resourceVersion === undefined ? {} : { resourceVersion }) } };
    return this.#write(manifest, "UpdateObject", () =>
      this.#client.mergePatch(this.#refOf(manifest), patch, {
        fieldManager: fieldManagers.manifestApplier,
        signal,
      }),
    );
  }

  /** Writes the whole status. Sends nothing when it says what is stored already; a vanished Manifest is fine. */
  async patchStatus(manifest: Manifest, status: ManifestStatus, signal: AbortSignal): Promise<Manifest> {
    if (isSameStatus(manifest.status, status)) {
      countUnchanged(this.#client, resource);
      return manifest;
    }
    const { name, namespace } = manifest.metadata;
    const object = { apiVersion, kind: "Manifest", metadata: { name, namespace }, status };
    return this.#write(manifest, "PatchStatus", () =>
      this.#client.apply(resource, object as AnyObject, {
        fieldManager: fieldManagers.manifestApplier,
        force: true,
        subresource: "status",
        signal,
      }),
    );
  }

  /** Asks for the deletion of exactly this Manifest. */
  async delete(manifest: Manifest, signal: AbortSignal): Promise<void> {
    const { uid } = manifest.metadata;
    await this.#client.delete(this.#refOf(manifest), {
      ...(uid === undefined ? {} : { preconditions: { uid } }),
      signal,
    });
  }

  async #applyMetadata(
    manifest: Manifest,
    metadata: { readonly finalizers: readonly string[]; readonly annotations?: Record<string, string> },
    { manager, signal }: { readonly manager: string; readonly signal: AbortSignal },
  ): Promise<Manifest> {
    const { name, namespace, uid } = manifest.metadata;
    const object = { apiVersion, kind: "Manifest", metadata: { name, namespace, uid, ...metadata } };
    return this.#write(manifest, "PatchObject", () =>
      this.#client.apply(resource, object as unknown as AnyObject, {
        fieldManager: manager,
        force: true,
        signal,
      }),
    );
  }

  /** The Manifest as it is after a write; one that vanished meanwhile is left as it was. */
  async #write(manifest: Manifest, reason: string, write: () => Promise<AnyObject>): Promise<Manifest> {
    const written = write().catch((error: unknown) => {
      if (hasCode(error, "KUBE_NOT_FOUND")) return manifest;
      throw error;
    });
    return (await tellFailure(written, { events: this.#events, regarding: manifest, reason })) as Manifest;
  }

  #refOf(manifest: Manifest): { resource: Resource; namespace: string; name: string } {
    return { resource, namespace: manifest.metadata.namespace ?? "", name: manifest.metadata.name ?? "" };
  }
}
