/** A JSON value as a Kubernetes API carries it. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json | undefined };

/** Names one kind of object. `group` is empty for the core group. */
export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** Names the REST collection of one kind. */
export interface Resource extends GroupVersionKind {
  /** Lower-case plural as it stands in the path, for example `deployments`. */
  readonly plural: string;
  readonly namespaced: boolean;
}

export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
}

export interface ManagedFieldsEntry {
  readonly manager?: string;
  readonly operation?: "Apply" | "Update";
  readonly apiVersion?: string;
  readonly time?: string;
  readonly fieldsType?: "FieldsV1";
  readonly fieldsV1?: { readonly [key: string]: Json | undefined };
  readonly subresource?: string;
}

/** `metadata` of every object; times are RFC 3339 texts. */
export interface ObjectMeta {
  name?: string;
  generateName?: string;
  namespace?: string;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  creationTimestamp?: string;
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  finalizers?: string[];
  ownerReferences?: OwnerReference[];
  managedFields?: ManagedFieldsEntry[];
}

/** Any object of a Kubernetes API as plain JSON. Kinds of ours extend it in `apis/`. */
export interface KubeObject {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
}

/** An object whose fields beyond `metadata` are not typed here. */
export interface AnyObject extends KubeObject {
  [field: string]: unknown;
}

/** Namespace and name; `namespace` is empty for cluster-scoped objects. */
export interface ObjectKey {
  readonly namespace: string;
  readonly name: string;
}
