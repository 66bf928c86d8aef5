import type { Clock } from "@kyma-operators/clock";
import { hasCode } from "@kyma-operators/errors";
import type {
  ApplyOptions,
  CallOptions,
  Client,
  DeleteOptions,
  JsonPatchOperation,
  ListOptions,
  ObjectList,
  ObjectRef,
  ServerInfo,
  WatchEvent,
  WatchOptions,
  WriteOptions,
} from "./client-types.ts";
import { Discovery } from "./discovery.ts";
import { listAll } from "./list.ts";
import { apiVersionOf, creationPath, objectPath, writeQuery } from "./paths.ts";
import { type Call, Requester, type RequestReport } from "./requester.ts";
import { readServerInfo } from "./server-info.ts";
import type { Transport } from "./transport.ts";
import type { AnyObject, KubeObject, Resource } from "./types.ts";
import { watchCollection } from "./watch.ts";

export interface ClientOptions {
  readonly transport: Transport;
  readonly clock: Clock;
  /** Default `kyma-operators`. */
  readonly userAgent?: string;
  /** Deadline of every call but watches, in milliseconds. Default 30 s. */
  readonly timeoutMs?: number;
  /** Largest answer, in bytes. Default 64 MiB; a list has it per page. */
  readonly responseLimitBytes?: number;
  /** Field manager of writes that name none. */
  readonly fieldManager?: string;
  /** How often a throttled request waits for `Retry-After` and is sent again. Default 0: the work queue waits. */
  readonly throttleRetries?: number;
  /** Called after every request, for metrics. Must not throw. */
  readonly onRequest?: (report: RequestReport) => void;
}

/** Servers are upgraded under a running client; kinds that this client adds are seen at once. */
const serverInfoAgeMs = 600_000;

/** A client of one API server. See {@link Client} for its promises. */
export function createClient(options: ClientOptions): Client {
  return new HttpClient(options);
}

class HttpClient implements Client {
  readonly #requester: Requester;
  readonly #discovery: Discovery;
  readonly #fieldManager: string | undefined;
  #serverInfo: { readonly answer: Promise<ServerInfo>; readonly until: number } | undefined;

  constructor(options: ClientOptions) {
    this.#requester = new Requester({
      transport: options.transport,
      clock: options.clock,
      userAgent: options.userAgent ?? "kyma-operators",
      timeoutMs: options.timeoutMs ?? 30_000,
      responseLimitBytes: options.responseLimitBytes ?? 64 * 1024 * 1024,
      throttleRetries: options.throttleRetries ?? 0,
      onRequest: options.onRequest,
    });
    this.#discovery = new Discovery(this.#requester);
    this.#fieldManager = options.fieldManager;
  }

  async get<T extends KubeObject = AnyObject>(
    ref: ObjectRef,
    options: CallOptions & { subresource?: string } = {},
  ): Promise<T> {
    const { subresource, ...call } = options;
    return this.#object<T>(ref.resource, { method: "GET", path: objectPath(ref, subresource), ...call });
  }

  list<T extends KubeObject = AnyObject>(resource: Resource, options: ListOptions = {}): Promise<ObjectList<T>> {
    return this.#guard(resource, () => listAll<T>(this.#requester, resource, options));
  }

  watch<T extends KubeObject = AnyObject>(
    resource: Resource,
    options: WatchOptions = {},
  ): AsyncIterable<WatchEvent<T>> {
    return watchCollection<T>(this.#requester, resource, options);
  }

  async create<T extends KubeObject = AnyObject>(
    resource: Resource,
    object: T,
    options: WriteOptions = {},
  ): Promise<T> {
    const path =
      options.subresource === undefined
        ? creationPath(resource, object.metadata.namespace)
        : objectPath(refOf(resource, object), options.subresource);
    return this.#write<T>(resource, { method: "POST", path, body: object }, options);
  }

  async update<T extends KubeObject = AnyObject>(
    resource: Resource,
    object: T,
    options: WriteOptions = {},
  ): Promise<T> {
    const path = objectPath(refOf(resource, object), options.subresource);
    return this.#write<T>(resource, { method: "PUT", path, body: object }, options);
  }

  async apply<T extends KubeObject = AnyObject>(resource: Resource, object: T, options: ApplyOptions): Promise<T> {
    const path = objectPath(refOf(resource, object), options.subresource);
    const call = { method: "PATCH", path, body: object, contentType: "application/apply-patch+yaml" };
    return this.#write<T>(resource, call, options, options.force ?? false);
  }

  async mergePatch<T extends KubeObject = AnyObject>(
    ref: ObjectRef,
    patch: unknown,
    options: WriteOptions = {},
  ): Promise<T> {
    const path = objectPath(ref, options.subresource);
    const call = { method: "PATCH", path, body: patch, contentType: "application/merge-patch+json" };
    return this.#write<T>(ref.resource, call, options);
  }

  async jsonPatch<T extends KubeObject = AnyObject>(
    ref: ObjectRef,
    patch: readonly JsonPatchOperation[],
    options: WriteOptions = {},
  ): Promise<T> {
    const path = objectPath(ref, options.subresource);
    const call = { method: "PATCH", path, body: patch, contentType: "application/json-patch+json" };
    return this.#write<T>(ref.resource, call, options);
  }

  async delete(ref: ObjectRef, options: DeleteOptions = {}): Promise<void> {
    const { signal, timeoutMs, dryRun, ...rest } = options;
    const body = { kind: "DeleteOptions", apiVersion: "v1", ...rest, ...(dryRun ? { dryRun: ["All"] } : {}) };
    const call: Call = { method: "DELETE", path: objectPath(ref), body, ...callOptions({ signal, timeoutMs }) };
    await this.#guard(ref.resource, () => this.#requester.text(call));
  }

  async createSubresource<R = unknown>(
    ref: ObjectRef,
    subresource: string,
    body: unknown,
    options: CallOptions = {},
  ): Promise<R> {
    const call = { method: "POST", path: objectPath(ref, subresource), body, ...options };
    return (await this.#guard(ref.resource, () => this.#requester.json(call))) as R;
  }

  resourceFor(apiVersion: string, kind: string, options: CallOptions = {}): Promise<Resource> {
    return this.#discovery.resourceFor(apiVersion, kind, options);
  }

  serverInfo(options: CallOptions = {}): Promise<ServerInfo> {
    const now = this.#requester.clock.now();
    if (this.#serverInfo !== undefined && now < this.#serverInfo.until) return this.#serverInfo.answer;
    const answer = readServerInfo(this.#requester, this.#discovery, options);
    const kept = { answer, until: now + serverInfoAgeMs };
    this.#serverInfo = kept;
    answer.catch(() => {
      if (this.#serverInfo === kept) this.#serverInfo = undefined;
    });
    return answer;
  }

  async raw(path: string, options: CallOptions = {}): Promise<unknown> {
    const call: Call = { method: "GET", path, accept: "application/json, */*", ...options };
    const reply = await this.#requester.text(call);
    return reply.contentType.startsWith("application/json") ? this.#requester.parse(call, reply) : reply.text;
  }

  close(): Promise<void> {
    return this.#requester.close();
  }

  async #write<T extends KubeObject>(
    resource: Resource,
    call: Call,
    options: WriteOptions,
    force?: boolean,
  ): Promise<T> {
    const named = this.#fieldManager === undefined ? options : { fieldManager: this.#fieldManager, ...options };
    const path = call.path + writeQuery(named, force);
    return this.#object<T>(resource, { ...call, path, ...callOptions(options) });
  }

  async #object<T extends KubeObject>(resource: Resource, call: Call): Promise<T> {
    // Objects are plain JSON by contract; the caller names the type it asked for.
    return (await this.#guard(resource, () => this.#requester.json(call))) as unknown as T;
  }

  /** Drops what is known of a kind when its path is gone, and of all kinds when kinds may have changed. */
  async #guard<R>(resource: Resource, run: () => Promise<R>): Promise<R> {
    try {
      const result = await run();
      if (changesKinds(resource)) this.#serverInfo = undefined;
      return result;
    } catch (error) {
      if (isUnknownPath(error)) this.#forget(resource);
      throw error;
    }
  }

  #forget(resource: Resource): void {
    this.#discovery.invalidate(apiVersionOf(resource));
    this.#serverInfo = undefined;
  }
}

function callOptions(options: { signal?: AbortSignal | undefined; timeoutMs?: number | undefined }): CallOptions {
  return {
    ...(options.signal === undefined ? {} : { signal: options.signal }),
    ...(options.timeoutMs === undefined ? {} : { timeoutMs: options.timeoutMs }),
  };
}

function refOf(resource: Resource, object: KubeObject): ObjectRef {
  const { name = "", namespace } = object.metadata;
  return { resource, name, ...(namespace === undefined ? {} : { namespace }) };
}

const changesKinds = ({ plural }: Resource): boolean =>
  plural === "customresourcedefinitions" || plural === "apiservices";

/** A 404 that names no object says that the path itself is not served. */
function isUnknownPath(error: unknown): boolean {
  if (!hasCode(error, "KUBE_NOT_FOUND")) return false;
  const { detail } = error as { detail: { object?: unknown } };
  return detail.object === undefined;
}
