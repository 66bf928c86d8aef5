import type { AnyObject, OwnerReference } from "@kyma-operators/kube";
import { KeyLoop } from "../controllers/loop.ts";
import type { Objects } from "../controllers/objects.ts";
import type { StoreEvent } from "../storage/store.ts";

/** One controller: which collection it keeps, which changes wake it. */
export interface WorkloadController {
  readonly collection: string;
  /** Kind in the owner references of what it creates. */
  readonly kind: string;
  /** Collections whose objects wake their controlling owner. */
  readonly owned: readonly string[];
  /** Objects of another collection that wake those which care for them: of their namespace, or without one. */
  readonly related?: {
    readonly collection: string;
    isFor(object: AnyObject, related: AnyObject): boolean;
  };
  /** Brings one object up to date. Answers after how many milliseconds to look again. */
  sync(object: AnyObject): Promise<number | undefined>;
}

/** Runs a controller until the returned function is called. */
export function runController(objects: Objects, controller: WorkloadController): () => void {
  const { store } = objects.core;
  const { collection, kind, owned, related } = controller;
  const isNamespaced = objects.core.registry.byCollection(collection)?.namespaced !== false;
  const loop = new KeyLoop(objects.core, async (key) => {
    const [namespace = "", name = ""] = key.split("/");
    const object = objects.get(collection, namespace, name);
    const again = object === undefined ? undefined : await controller.sync(object);
    if (again !== undefined) loop.addAfter(key, again);
  });
  const wakeOwner = (object: AnyObject | undefined): void => {
    const owner = object === undefined ? undefined : controllerOf(object);
    if (owner?.kind === kind) loop.add(`${object?.metadata.namespace ?? ""}/${owner.name}`);
  };
  const wakeRelated = (event: StoreEvent): void => {
    if (related?.collection !== event.collection) return;
    const states = [event.stored.object, ...(event.previous === undefined ? [] : [event.previous.object])];
    for (const object of objects.list(collection, isNamespaced ? event.namespace : "")) {
      if (states.some((state) => related.isFor(object, state)))
        loop.add(`${object.metadata.namespace ?? ""}/${object.metadata.name}`);
    }
  };
  const unsubscribe = store.subscribeAll((event) => {
    if (event.collection === collection) loop.add(`${event.namespace}/${event.name}`);
    if (owned.includes(event.collection)) {
      wakeOwner(event.stored.object);
      wakeOwner(event.previous?.object);
    }
    wakeRelated(event);
  });
  for (const { metadata } of objects.list(collection)) loop.add(`${metadata.namespace ?? ""}/${metadata.name ?? ""}`);
  return () => {
    unsubscribe();
    loop.stop();
  };
}

/** The owner that controls the object. */
export function controllerOf({ metadata }: AnyObject): OwnerReference | undefined {
  return metadata.ownerReferences?.find(({ controller }) => controller === true);
}

/** The reference that makes `owner` the controller of what it creates. */
export function controlledBy({ apiVersion, kind, metadata }: AnyObject): OwnerReference {
  const { name = "", uid = "" } = metadata;
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
}

/** The objects of a collection that this owner controls, by name. */
export function controlledObjects(objects: Objects, collection: string, { metadata }: AnyObject): readonly AnyObject[] {
  return objects.core.store
    .dependents(metadata.uid ?? "")
    .filter((key) => key.collection === collection)
    .flatMap(({ namespace, name }) => objects.get(collection, namespace, name) ?? [])
    .filter((object) => controllerOf(object)?.uid === metadata.uid)
    .sort((a, b) => ((a.metadata.name ?? "") < (b.metadata.name ?? "") ? -1 : 1));
}
