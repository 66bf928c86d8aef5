import type { AnyObject, KubeObject, Resource } from "./types.ts";

/** What every call takes. A call without a signal still has the client's own deadline. */
export interface CallOptions {
  readonly signal?: AbortSignal;
  /** Overrides the client's deadline for this call, in milliseconds. */
  readonly timeoutMs?: number;
}

export interface WriteOptions extends CallOptions {
  readonly dryRun?: boolean;
  readonly fieldManager?: string;
  readonly fieldValidation?: "Strict" | "Warn" | "Ignore";
  /** For example `status` or `scale`; absent for the object itself. */
  readonly subresource?: string;
}

export interface ApplyOptions extends WriteOptions {
  readonly fieldManager: string;
  /** Take over fields that other managers own. */
  readonly force?: boolean;
}

export interface DeleteOptions extends CallOptions {
  readonly propagationPolicy?: "Background" | "Foreground" | "Orphan";
  readonly gracePeriodSeconds?: number;
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  readonly dryRun?: boolean;
}

export interface ListOptions extends CallOptions {
  /** Absent: all namespaces. */
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** Page size; the client follows `continue` to the end by itself. */
  readonly limit?: number;
  readonly resourceVersion?: string;
  /** Ask for `PartialObjectMetadata` only. */
  readonly metadataOnly?: boolean;
}

export interface WatchOptions extends CallOptions {
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  readonly resourceVersion?: string;
  readonly metadataOnly?: boolean;
  /** The server ends the watch after this many seconds. */
  readonly timeoutSeconds?: number;
  /** Longest silence (bookmarks count) before the stream is given up, in milliseconds. */
  readonly idleTimeoutMs?: number;
}

export interface ObjectList<T> {
  readonly resourceVersion: string;
  readonly items: readonly T[];
}

export type WatchEvent<T> =
  | { readonly type: "ADDED" | "MODIFIED" | "DELETED"; readonly object: T }
  | { readonly type: "BOOKMARK"; readonly resourceVersion: string };

/** Names one object of one kind for a request. */
export interface ObjectRef {
  readonly resource: Resource;
  /** Absent for cluster-scoped kinds. */
  readonly namespace?: string;
  readonly name: string;
}

/** One JSON Patch (RFC 6902) operation. */
export interface JsonPatchOperation {
  readonly op: "add" | "remove" | "replace" | "move" | "copy" | "test";
  readonly path: string;
  readonly from?: string;
  readonly value?: unknown;
}

/** What a server is and serves. */
export interface ServerInfo {
  /** For example `v1.35.2`. */
  readonly gitVersion: string;
  /** Every `group/version` and `group/version/Kind`, sorted: what Helm calls the capabilities' API versions. */
  readonly apiVersions: readonly string[];
  /** False while the server of an aggregated API does not answer: its kinds may be missing. */
  readonly complete: boolean;
}

/**
 * One API server. Every method throws typed errors of `packages/errors` (codes `KUBE_…`: NOT_FOUND, CONFLICT,
 * ALREADY_EXISTS, INVALID, FORBIDDEN, UNAUTHORIZED, GONE, TOO_MANY_REQUESTS, TIMEOUT, CONNECTION, SERVER, …).
 * Objects are plain JSON: nothing is dropped or added on the way.
 */
export interface Client {
  get<T extends KubeObject = AnyObject>(ref: ObjectRef, options?: CallOptions & { subresource?: string }): Promise<T>;
  list<T extends KubeObject = AnyObject>(resource: Resource, options?: ListOptions): Promise<ObjectList<T>>;
  watch<T extends KubeObject = AnyObject>(resource: Resource, options?: WatchOptions): AsyncIterable<WatchEvent<T>>;
  create<T extends KubeObject = AnyObject>(resource: Resource, object: T, options?: WriteOptions): Promise<T>;
  update<T extends KubeObject = AnyObject>(resource: Resource, object: T, options?: WriteOptions): Promise<T>;
  /** Server-side apply. The object carries only the fields this manager wants. */
  apply<T extends KubeObject = AnyObject>(resource: Resource, object: T, options: ApplyOptions): Promise<T>;
  mergePatch<T extends KubeObject = AnyObject>(ref: ObjectRef, patch: unknown, options?: WriteOptions): Promise<T>;
  jsonPatch<T extends KubeObject = AnyObject>(
    ref: ObjectRef,
    patch: readonly JsonPatchOperation[],
    options?: WriteOptions,
  ): Promise<T>;
  delete(ref: ObjectRef, options?: DeleteOptions): Promise<void>;
  /** POST to a subresource that is not part of the object, for example `token` or `adminkubeconfig`. */
  createSubresource<R = unknown>(ref: ObjectRef, subresource: string, body: unknown, options?: CallOptions): Promise<R>;
  /** The REST collection of a kind by discovery; looked up again when the kind is unknown. Throws `KUBE_NO_MATCH`. */
  resourceFor(apiVersion: string, kind: string, options?: CallOptions): Promise<Resource>;
  /** `/version` and the served group versions, as charts see them. */
  serverInfo(options?: CallOptions): Promise<ServerInfo>;
  /** Any other GET, for example `/readyz`; parsed JSON or text. */
  raw(path: string, options?: CallOptions): Promise<unknown>;
  /** Closes every connection. Calls after it fail with `KUBE_CLOSED`. */
  close(): Promise<void>;
}
