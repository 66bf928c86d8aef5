import type { AnyObject } from "@kyma-operators/kube";
import { splitApiVersion } from "../inventory/identity.ts";
import { show, valueAt } from "../json.ts";

/** Where a namespaced object goes that names no namespace. */
export const defaultNamespace = "default";

/** Whether a kind lives in namespaces; `undefined` when nobody knows the kind yet. */
export type ScopeOf = (group: string, version: string, kind: string) => boolean | undefined;

/**
 * Gives namespaced objects a namespace and takes it from cluster-scoped ones. Kinds that the cluster does not know
 * stay as they are, unless a CRD among the objects themselves says what they are.
 */
export function normalizeNamespaces(objects: readonly AnyObject[], scopeOf: ScopeOf): readonly AnyObject[] {
  const own = scopesOfOwnCrds(objects);
  return objects.map((object) => {
    const { group, version } = splitApiVersion(object.apiVersion);
    const namespaced = own.get(`${group}/${object.kind}`) ?? scopeOf(group, version, object.kind);
    return namespaced === undefined ? object : withScope(object, namespaced);
  });
}

function withScope(object: AnyObject, namespaced: boolean): AnyObject {
  const namespace = object.metadata.namespace ?? "";
  if (namespaced) {
    return namespace === "" ? { ...object, metadata: { ...object.metadata, namespace: defaultNamespace } } : object;
  }
  if (object.metadata.namespace === undefined) return object;
  const { namespace: _dropped, ...metadata } = object.metadata;
  return { ...object, metadata };
}

function scopesOfOwnCrds(objects: readonly AnyObject[]): ReadonlyMap<string, boolean> {
  const crds = objects.filter((object) => object.kind === "CustomResourceDefinition");
  return new Map(
    crds.map((crd) => {
      const group = show(valueAt(crd, "spec", "group"));
      const kind = show(valueAt(crd, "spec", "names", "kind"));
      return [`${group}/${kind}`, valueAt(crd, "spec", "scope") !== "Cluster"];
    }),
  );
}
