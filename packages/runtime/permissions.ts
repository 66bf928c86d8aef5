import type { Resource } from "@kyma-operators/kube";

export type Verb = "get" | "list" | "watch" | "create" | "update" | "patch" | "delete" | "bind";

/** A right on one resource, and what it is for. A missing right of this list makes a controller fail. */
export interface Permission {
  /** Empty for the core group. */
  readonly group: string;
  /** Plural, with its subresource: `kymas` or `kymas/status`. */
  readonly resource: string;
  readonly verbs: readonly Verb[];
  /** Only objects with these names. Absent: all. */
  readonly names?: readonly string[];
  /** Why the controller needs it, as half a sentence. */
  readonly why: string;
}

/** What a controller may do, by where it does it. Roles are generated from it, and hold nothing else. */
export interface Permissions {
  /** On the control plane, in the namespace of our objects. */
  readonly namespace?: readonly Permission[];
  /** On the control plane, on objects without namespace, or in all namespaces. */
  readonly cluster?: readonly Permission[];
  /** On the control plane, in the namespace of Istio. */
  readonly istio?: readonly Permission[];
  /** In the namespace of the Gardener project. */
  readonly garden?: readonly Permission[];
  /** In the garden, on objects without namespace. */
  readonly gardenCluster?: readonly Permission[];
  /** On remote clusters, beside what modules consist of. */
  readonly remote?: readonly Permission[];
}

/** Verbs on a resource, or on one of its subresources. */
export function allow(
  resource: Pick<Resource, "group" | "plural">,
  verbs: readonly Verb[],
  why: string,
  options: { readonly subresource?: string; readonly names?: readonly string[] } = {},
): Permission {
  const { subresource, names } = options;
  return {
    group: resource.group,
    resource: subresource === undefined ? resource.plural : `${resource.plural}/${subresource}`,
    verbs,
    ...(names === undefined ? {} : { names }),
    why,
  };
}
