import type { AnyObject, Clock } from "@kyma-operators/kube";
import type { Admission } from "../admission/admission.ts";
import { apiError } from "../api-error.ts";
import type { ApiRequest } from "../http/messages.ts";
import type { ResourceTarget } from "../http/request-info.ts";
import type { Extension, UserInfo } from "../options.ts";
import type { Registry } from "../resources/registry.ts";
import { type ServedResource, type StrategyContext, subjectOf } from "../resources/resource.ts";
import type { Store } from "../storage/store.ts";
import type { StoreKey } from "../storage/store-key.ts";
import type { FilePart } from "../workload/own-image/mounts-files.ts";
import type { WaitingEvents } from "./event-stream.ts";

/** What every request works on. */
export interface Core {
  readonly store: Store;
  readonly registry: Registry;
  readonly clock: Clock;
  readonly admission: Admission;
  /** By collection. */
  readonly extensions: ReadonlyMap<string, Extension>;
  /** What a container printed from a position on; nothing for simulated Pods. */
  readonly podLog: (pod: AnyObject, container: string, from: number) => Promise<FilePart>;
  readonly waitingEvents: WaitingEvents;
  /** Told about failures nobody else sees. */
  readonly onFault: (where: string, error: unknown) => void;
}

/** One request about a served resource. */
export interface Call {
  readonly core: Core;
  readonly request: ApiRequest;
  readonly target: ResourceTarget;
  readonly resource: ServedResource;
  readonly user: UserInfo;
  /** Start of the request, milliseconds since the epoch. */
  readonly now: number;
  /** Texts of `Warning` headers. */
  readonly warnings: string[];
}

export function keyOf({ resource, target }: Call, name = target.name): StoreKey {
  return { collection: resource.collection, namespace: resource.namespaced ? target.namespace : "", name };
}

/** The object of the request as it is stored. Throws 404. */
export function storedObject(call: Call): AnyObject {
  const stored = call.core.store.get(keyOf(call));
  if (stored === undefined) throw apiError.notFound(subjectOf(call.resource, call.target.name));
  return stored.object;
}

export function strategyContext({ core, now }: Pick<Call, "core" | "now">): StrategyContext {
  return {
    now,
    get: (collection, namespace, name) => core.store.get({ collection, namespace, name })?.object,
    list: (collection, namespace) => core.store.list(collection, namespace).map(({ object }) => object),
  };
}
