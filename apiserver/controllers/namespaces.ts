import type { AnyObject } from "@kyma-operators/kube";
import { isStored } from "../resources/builtin.ts";
import { isFields } from "../resources/kinds/edit.ts";
import { KeyLoop } from "./loop.ts";
import type { Objects } from "./objects.ts";

const namespaces = "/namespaces";

/** Empties a deleted namespace and lets it go; runs until the returned function is called. */
export function runNamespaceController(objects: Objects): () => void {
  const { store } = objects.core;
  const loop = new KeyLoop(objects.core, (name) => reconcileNamespace(objects, name));
  const wake = (name: string): void => {
    if (store.get({ collection: namespaces, namespace: "", name })?.object.metadata.deletionTimestamp !== undefined)
      loop.add(name);
  };
  const unsubscribe = store.subscribeAll(({ collection, namespace, name }) => {
    if (collection === namespaces) wake(name);
    else if (namespace !== "") wake(namespace);
  });
  for (const { object } of store.list(namespaces)) wake(object.metadata.name ?? "");
  return () => {
    unsubscribe();
    loop.stop();
  };
}

async function reconcileNamespace(objects: Objects, name: string): Promise<void> {
  const namespace = objects.get(namespaces, "", name);
  if (namespace?.metadata.deletionTimestamp === undefined) return;
  const left = await deleteContent(objects, name);
  if (left > 0) {
    await reportContent(objects, namespace);
    return;
  }
  const spec = isFields(namespace.spec) ? namespace.spec : {};
  const finalizers = (Array.isArray(spec.finalizers) ? spec.finalizers : []).filter(
    (finalizer) => finalizer !== "kubernetes",
  );
  await objects.finalizeNamespace(namespace, { ...spec, finalizers });
}

/** Asks for the deletion of everything inside; returns how many objects are still there. */
async function deleteContent(objects: Objects, namespace: string): Promise<number> {
  const { registry, store } = objects.core;
  const inside = registry.all().filter((resource) => resource.namespaced && isStored(resource));
  const collections = new Set(inside.map(({ collection }) => collection));
  for (const collection of collections) {
    for (const object of objects.list(collection, namespace)) {
      if (object.metadata.deletionTimestamp === undefined)
        await objects.delete(collection, object, { propagation: "Background" });
    }
  }
  return [...collections].reduce((sum, collection) => sum + store.list(collection, namespace).length, 0);
}

async function reportContent(objects: Objects, namespace: AnyObject): Promise<void> {
  const kept = {
    type: "NamespaceContentRemaining",
    status: "True",
    reason: "SomeResourcesRemain",
    message: "Some resources are remaining in the namespace",
  };
  await objects.changeStatus(namespaces, namespace, (current) => {
    const status = isFields(current.status) ? current.status : {};
    return Array.isArray(status.conditions) ? status : { ...status, conditions: [kept] };
  });
}
