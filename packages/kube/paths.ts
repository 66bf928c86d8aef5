import type { ListOptions, ObjectRef, WatchOptions, WriteOptions } from "./client-types.ts";
import { kubeErrors } from "./errors.ts";
import type { GroupVersionKind, Resource } from "./types.ts";

/** `apps/v1`, or `v1` for the core group. */
export function apiVersionOf(gvk: Pick<GroupVersionKind, "group" | "version">): string {
  return gvk.group === "" ? gvk.version : `${gvk.group}/${gvk.version}`;
}

/** The path of a group version, for example `/apis/apps/v1`. */
export function groupVersionPath(apiVersion: string): string {
  const segments = apiVersion.split("/").map((part) => segment("apiVersion", apiVersion, part));
  return segments.length === 1 ? `/api/${segments[0]}` : `/apis/${segments.slice(0, 2).join("/")}`;
}

/** The path of a collection, or of all namespaces when `namespace` is absent. */
export function collectionPath(resource: Resource, namespace?: string): string {
  const base = groupVersionPath(apiVersionOf(resource));
  const scope =
    resource.namespaced && namespace !== undefined && namespace !== ""
      ? `/namespaces/${segment("namespace", resource.kind, namespace)}`
      : "";
  return `${base}${scope}/${segment("plural", resource.kind, resource.plural)}`;
}

/** The path to create an object at; one that lives in a namespace must name it. */
export function creationPath(resource: Resource, namespace: string | undefined): string {
  if (resource.namespaced) segment("namespace", resource.kind, namespace ?? "");
  return collectionPath(resource, namespace);
}

/** The path of one object, or of a subresource of it. */
export function objectPath(ref: ObjectRef, subresource?: string): string {
  const { resource, name, namespace } = ref;
  const path = `${creationPath(resource, namespace)}/${segment("name", resource.kind, name)}`;
  return subresource === undefined ? path : `${path}/${segment("subresource", resource.kind, subresource)}`;
}

type QueryValue = string | number | boolean | undefined;

/** Joins what is set to a query; empty when nothing is. */
export function queryOf(values: Readonly<Record<string, QueryValue>>): string {
  const set = Object.entries(values).filter(([, value]) => value !== undefined && value !== "" && value !== false);
  if (set.length === 0) return "";
  return `?${set.map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`).join("&")}`;
}

export function listQuery(options: ListOptions, page: { limit?: number; continue?: string }): string {
  return queryOf({
    labelSelector: options.labelSelector,
    fieldSelector: options.fieldSelector,
    limit: page.limit,
    // A continue token carries its own resource version; servers refuse both together.
    ...(page.continue === undefined ? { resourceVersion: options.resourceVersion } : { continue: page.continue }),
  });
}

export function watchQuery(options: WatchOptions): string {
  return queryOf({
    watch: true,
    allowWatchBookmarks: true,
    labelSelector: options.labelSelector,
    fieldSelector: options.fieldSelector,
    resourceVersion: options.resourceVersion,
    timeoutSeconds: options.timeoutSeconds,
  });
}

export function writeQuery(options: WriteOptions, force?: boolean): string {
  return queryOf({
    dryRun: options.dryRun === true ? "All" : undefined,
    fieldManager: options.fieldManager,
    fieldValidation: options.fieldValidation,
    force,
  });
}

/** Names come from objects of other clusters too, so none may leave its place in the path. */
function segment(field: string, kind: string, found: string): string {
  if (found === "" || found === "." || found === ".." || found.includes("/") || found.length > 512) {
    throw kubeErrors.BAD_NAME({ field, kind, found: found.slice(0, 80) });
  }
  return encodeURIComponent(found);
}
