import type { KubeObject } from "@kyma-operators/kube";

/** Names one applied object, as `status.synced` records it. `group` and `namespace` may be empty. */
export interface SyncedRef {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** The reference of an object; a missing group or namespace becomes an empty text. */
export function refOf(object: KubeObject): SyncedRef {
  const { group, version } = splitApiVersion(object.apiVersion);
  return {
    group,
    version,
    kind: object.kind,
    namespace: object.metadata?.namespace ?? "",
    name: object.metadata?.name ?? "",
  };
}

/** `apps/v1` → group `apps`, version `v1`; `v1` → the core group. */
export function splitApiVersion(apiVersion: string | undefined): { readonly group: string; readonly version: string } {
  const text = apiVersion ?? "";
  const slash = text.indexOf("/");
  return slash < 0 ? { group: "", version: text } : { group: text.slice(0, slash), version: text.slice(slash + 1) };
}

/** The opposite of {@link splitApiVersion}. */
export function apiVersionOf(ref: { readonly group: string; readonly version: string }): string {
  return ref.group === "" ? ref.version : `${ref.group}/${ref.version}`;
}

/**
 * What makes two references the same live object: group, kind, namespace and name.
 *
 * The API version is not part of it: an object that moves from `v1beta1` to `v1` is still there, and pruning it
 * would delete what was just applied.
 */
export function identityOf(ref: SyncedRef): string {
  return `${ref.group}/${ref.kind}/${ref.namespace}/${ref.name}`;
}

/** Identity with the API version, the form in which upstream prints and compares references. */
export function versionedIdOf(ref: SyncedRef): string {
  return `${ref.namespace}/${ref.name}/${ref.group}/${ref.version}/${ref.kind}`;
}

/** For people: `Deployment kyma-system/manager`, `Namespace team`. */
export function describeRef(ref: SyncedRef): string {
  return ref.namespace === "" ? `${ref.kind} ${ref.name}` : `${ref.kind} ${ref.namespace}/${ref.name}`;
}

/** Whether an object of this name can exist at all: what is no single segment of a path is nobody's name. */
export function isAddressable({ namespace, name }: Pick<SyncedRef, "namespace" | "name">): boolean {
  return isSegment(name) && (namespace === "" || isSegment(namespace));
}

function isSegment(text: string): boolean {
  return text !== "" && text !== "." && text !== ".." && !/[/%]/.test(text);
}
