import type { AnyObject, Clock } from "@kyma-operators/kube";

/** Who asks. `system:masters` in the groups passes every authorization. */
export interface UserInfo {
  readonly name: string;
  readonly groups: readonly string[];
  readonly uid?: string;
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** One finished request; a watch is reported when it starts. Tests assert "no write" with it, the audit log prints it. */
export interface RequestRecord {
  readonly method: string;
  /** Path without the query. */
  readonly path: string;
  readonly query: string;
  readonly user: string;
  readonly userAgent: string;
  /** `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, `deletecollection`; lower-case method elsewhere. */
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  readonly status: number;
  readonly dryRun: boolean;
}

/** One write on its way into the store, after patching and defaulting and before validation. */
export interface Write {
  readonly operation: "CREATE" | "UPDATE" | "DELETE";
  /** What would be stored; on DELETE the object as it is. A hook may return a changed copy, never change this one. */
  readonly object: AnyObject;
  /** What is stored now; absent on CREATE. */
  readonly oldObject?: AnyObject;
  /** For example `status`; empty for the object itself. */
  readonly subresource: string;
  readonly user: UserInfo;
  readonly dryRun: boolean;
}

/** A POST to a subresource that an extension serves. */
export interface SubresourceRequest {
  /** The object the subresource belongs to, as it is stored. */
  readonly object: AnyObject;
  /** The parsed body. */
  readonly body: AnyObject;
  readonly user: UserInfo;
  readonly dryRun: boolean;
}

/**
 * Behaviour added to one resource, for example the rules of Gardener's API server on Shoots.
 *
 * A hook refuses by throwing {@link ApiError} (see `apiError`); everything else it throws is answered with 500.
 */
export interface Extension {
  /** Empty for the core group. */
  readonly group: string;
  /** Plural, as in the path. */
  readonly resource: string;
  /** Called before every write; the returned object is stored instead (ignored on DELETE). */
  readonly admit?: (write: Write) => AnyObject | undefined | Promise<AnyObject | undefined>;
  /** Whether this update raises `metadata.generation`; absent: when anything but metadata and status differs. */
  readonly raisesGeneration?: (next: AnyObject, old: AnyObject) => boolean;
  /** Handlers of extra subresources by name; what they return is the body of a 201. */
  readonly subresources?: Readonly<Record<string, (request: SubresourceRequest) => AnyObject | Promise<AnyObject>>>;
}

/** Pods of our own image run as processes of this machine; all others are simulated. */
export interface OwnImageOptions {
  /** Images whose Pods are run: names without registry, tag and digest. */
  readonly names: readonly string[];
  /** What the image's entrypoint starts: a script for this Node. */
  readonly script: string;
  /** The image's working directory. */
  readonly workingDir: string;
  /** Takes a folder per Pod, with its volumes and the logs of its containers; removed with the Pod. */
  readonly dataDir: string;
}

/** How Pods behave. */
export interface WorkloadOptions {
  /** `false`: the controllers run, but there is no node, so that Pods stay Pending until somebody else sets their status. */
  readonly node?: boolean;
  /** Absent: every Pod is simulated. Needs a listener. */
  readonly ownImage?: OwnImageOptions;
  /** From scheduling to Ready, in milliseconds. Default 0. */
  readonly readyDelayMs?: number;
  /** From Running to Succeeded for Pods of Jobs, in milliseconds. Default 0. */
  readonly completeDelayMs?: number;
}

/** What `kyma-apiserver` and tests choose. Every field has a default. */
export interface ApiServerOptions {
  /** Default `127.0.0.1`. */
  readonly host?: string;
  /** 0, the default, takes a free port; absent sockets are chosen by `listen: false`. */
  readonly port?: number;
  /** `false`: no socket at all, requests only come through `transport`. Default true. */
  readonly listen?: boolean;
  /** Keeps every acknowledged write across restarts, with the keys of the server. Absent: everything is in memory. */
  readonly dataDir?: string;
  /** With `dataDir`: wait for the disk on every write, so that a power failure loses nothing either. Default false. */
  readonly fsync?: boolean;
  readonly clock?: Clock;
  /** Default `AlwaysAllow`. */
  readonly authorizationMode?: "AlwaysAllow" | "RBAC";
  /** Options of the workload simulator; `false` leaves Pods Pending and workloads without controllers. */
  readonly workload?: WorkloadOptions | false;
  /** Called once per request. Must not throw. */
  readonly onRequest?: (record: RequestRecord) => void;
  /** Told about failures nobody else sees: a controller's pass that is tried again, an answer 500. Must not throw. */
  readonly onFault?: (where: string, error: unknown) => void;
  /** CustomResourceDefinitions that are served from the first request on. */
  readonly crds?: readonly AnyObject[];
  readonly extensions?: readonly Extension[];
  /**
   * Where a Service of the cluster listens on this machine, for webhooks that name one; for example
   * `https://127.0.0.1:9443`. Absent or `undefined`: at a Pod that runs as a process, if there is one.
   */
  readonly resolveService?: (service: {
    readonly namespace: string;
    readonly name: string;
    readonly port: number;
  }) => string | undefined;
  /** Stops the server when it aborts. */
  readonly signal?: AbortSignal;
}

/** A request as `packages/kube` sends it; the path carries the query. */
export interface TransportRequest {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly signal?: AbortSignal;
}

export interface TransportResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: AsyncIterable<Uint8Array>;
}

/** Sends one request to the server without a socket. */
export type Transport = (request: TransportRequest) => Promise<TransportResponse>;

/** A running server. */
export interface ApiServer {
  /** For example `https://127.0.0.1:34567`; without a listener `https://in-process.invalid`. */
  readonly url: string;
  /** PEM. */
  readonly caCertificate: string;
  /** In-process requests of an administrator (`kubernetes-admin`, group `system:masters`). */
  readonly transport: Transport;
  /** In-process requests of someone else. A bearer token in the headers wins. */
  transportFor(user: { readonly user: string; readonly groups?: readonly string[] }): Transport;
  /**
   * A kubeconfig with a client certificate; default an administrator.
   *
   * `expiresAt`: when the certificate ends, in milliseconds since the epoch, by the machine's clock. Default: it does
   * not while the server lives.
   */
  kubeconfig(user?: {
    readonly user?: string;
    readonly groups?: readonly string[];
    readonly expiresAt?: number;
  }): Promise<string>;
  /** A kubeconfig with a bearer token that lives as long as the server; default an administrator. */
  tokenKubeconfig(user?: { readonly user?: string; readonly groups?: readonly string[] }): string;
  /** Ends watches, closes sockets and the store. Safe to call twice. */
  stop(): Promise<void>;
}
