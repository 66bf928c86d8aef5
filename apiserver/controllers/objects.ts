import type { AnyObject } from "@kyma-operators/kube";
import type { UserInfo } from "../options.ts";
import { apiVersionOf, readAs, type ServedResource } from "../resources/resource.ts";
import { type Call, type Core, keyOf } from "../rest/call.ts";
import { createObject } from "../rest/create.ts";
import { decodeObject } from "../rest/decode.ts";
import { deleteObject } from "../rest/delete.ts";
import type { Propagation } from "../rest/delete-options.ts";
import { finalizeView } from "../rest/finalize.ts";
import { trackUpdate } from "../rest/ownership.ts";
import { changeObject } from "../rest/update.ts";
import { identityView, statusView, type View } from "../rest/view.ts";
import type { WriteOptions } from "../rest/write-options.ts";

const never = new AbortController().signal;
const views: Readonly<Record<string, View>> = { status: statusView, finalize: finalizeView };

/**
 * Reads and writes for controllers inside the server: through the same admission, validation and ownership as a
 * request, under the controller's own name.
 */
export class Objects {
  readonly core: Core;
  readonly #user: UserInfo;
  readonly #options: WriteOptions;

  constructor(core: Core, manager: string) {
    this.core = core;
    this.#user = { name: `system:${manager}`, groups: ["system:masters", "system:authenticated"] };
    this.#options = { dryRun: false, fieldManager: manager, fieldValidation: "Ignore", force: true };
  }

  get now(): number {
    return this.core.clock.now();
  }

  get(collection: string, namespace: string, name: string): AnyObject | undefined {
    return this.core.store.get({ collection, namespace, name })?.object;
  }

  list(collection: string, namespace?: string): readonly AnyObject[] {
    return this.core.store.list(collection, namespace).map(({ object }) => object);
  }

  async create(collection: string, object: Omit<AnyObject, "apiVersion" | "kind">): Promise<AnyObject> {
    const resource = this.#resource(collection);
    const { name = "", namespace = "" } = (object as AnyObject).metadata;
    const call = this.#call(resource, { namespace, name, subresource: "" });
    const full = { ...object, apiVersion: apiVersionOf(resource), kind: resource.kind } as AnyObject;
    return createObject(call, decodeObject(resource, full).value, { ...this.#options, track: trackUpdate });
  }

  /** Changes an object; the function may run again when another write came first, and gives the same object back for "no change". */
  async change(collection: string, object: AnyObject, edit: (current: AnyObject) => AnyObject): Promise<AnyObject> {
    return this.#change(collection, object, { edit, subresource: "" });
  }

  /** Replaces `status`; writes nothing when it is equal. */
  async changeStatus(collection: string, object: AnyObject, edit: (current: AnyObject) => unknown): Promise<AnyObject> {
    const next = (current: AnyObject): AnyObject => ({ ...current, status: edit(current) });
    return this.#change(collection, object, { edit: next, subresource: "status" });
  }

  /** Replaces the spec of a namespace through its `finalize` subresource. */
  async finalizeNamespace(namespace: AnyObject, spec: unknown): Promise<AnyObject> {
    const edit = (current: AnyObject): AnyObject => ({ ...current, spec });
    return this.#change("/namespaces", namespace, { edit, subresource: "finalize" });
  }

  async #change(
    collection: string,
    { metadata }: AnyObject,
    { edit, subresource }: { readonly edit: (current: AnyObject) => AnyObject; readonly subresource: string },
  ): Promise<AnyObject> {
    const { name = "", namespace = "" } = metadata;
    const call = this.#call(this.#resource(collection), { namespace, name, subresource });
    return changeObject(call, {
      ...this.#options,
      view: views[subresource] ?? identityView,
      track: trackUpdate,
      compute: edit,
    });
  }

  async delete(
    collection: string,
    { metadata }: AnyObject,
    options: { propagation?: Propagation; gracePeriodSeconds?: number } = {},
  ): Promise<void> {
    const { name = "", namespace = "", uid } = metadata;
    const call = this.#call(this.#resource(collection), { namespace, name, subresource: "" });
    if (this.core.store.get(keyOf(call))?.object.metadata.uid !== uid) return;
    await deleteObject(call, {
      dryRun: false,
      gracePeriodSeconds: options.gracePeriodSeconds,
      propagation: options.propagation,
      preconditions: uid === undefined ? {} : { uid },
    });
  }

  /** The object as its kind's newest version shows it. */
  shown(collection: string, object: AnyObject): AnyObject {
    return readAs(this.#resource(collection), object);
  }

  #resource(collection: string): ServedResource {
    const resource = this.core.registry.byCollection(collection);
    if (resource === undefined) throw new Error(`${collection} is not served any more`);
    return resource;
  }

  #call(resource: ServedResource, place: { namespace: string; name: string; subresource: string }): Call {
    const { group, version, plural } = resource;
    return {
      core: this.core,
      request: {
        method: "POST",
        path: "",
        query: new URLSearchParams(),
        headers: {},
        body: new Uint8Array(0),
        peer: this.#user,
        signal: never,
      },
      target: { group, version, resource: plural, ...place },
      resource,
      user: this.#user,
      now: this.now,
      warnings: [],
    };
  }
}
