import type { KubeObject, ObjectKey, ObjectRef, Resource } from "@kyma-operators/kube";

/** The key of an object. */
export function keyOf(object: KubeObject): ObjectKey {
  return { namespace: object.metadata.namespace ?? "", name: object.metadata.name ?? "" };
}

/** `namespace/name`, or the name alone for cluster-scoped objects. */
export function keyText(key: ObjectKey): string {
  return key.namespace === "" ? key.name : `${key.namespace}/${key.name}`;
}

/** Names an object for a request. */
export function refTo(resource: Resource, object: KubeObject): ObjectRef {
  const { namespace, name } = keyOf(object);
  return { resource, name, ...(namespace === "" ? {} : { namespace }) };
}
