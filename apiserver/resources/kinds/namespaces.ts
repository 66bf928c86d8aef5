import type { AnyObject } from "@kyma-operators/kube";
import type { Strategy } from "../resource.ts";

const nameLabel = "kubernetes.io/metadata.name";

/** A namespace is Active, labelled by its name, and kept by the finalizer `kubernetes` of its spec. */
export const namespaceStrategy: Partial<Strategy> = {
  fillDefaults: withLabel,
  prepareCreate: (namespace) => ({
    ...withLabel(namespace),
    spec: { finalizers: ["kubernetes"] },
    status: { phase: "Active" },
  }),
  // The finalizers of the spec go by the `finalize` subresource only.
  prepareUpdate: (next, old) => ({ ...withLabel(next), ...(old.spec === undefined ? {} : { spec: old.spec }) }),
};

function withLabel(namespace: AnyObject): AnyObject {
  const { metadata } = namespace;
  if (metadata.name === undefined || metadata.labels?.[nameLabel] === metadata.name) return namespace;
  return { ...namespace, metadata: { ...metadata, labels: { ...metadata.labels, [nameLabel]: metadata.name } } };
}
