import { hasCode } from "@kyma-operators/errors";
import type {
  AnyObject,
  ApplyOptions,
  CallOptions,
  Client,
  DeleteOptions,
  JsonPatchOperation,
  KubeObject,
  ListOptions,
  ObjectList,
  ObjectRef,
  Resource,
  ServerInfo,
  WatchEvent,
  WatchOptions,
  WriteOptions,
} from "@kyma-operators/kube";

/** What happens around the calls of a client. */
export interface ClientHooks {
  /** Called before every write; throws when none may be sent. */
  beforeWrite(): void;
  /** An object of the API as the server stored it. */
  written?(resource: Resource, object: KubeObject): void;
  deleted?(ref: ObjectRef): void;
  /** The server refused a write as if what we have read were not so (any more). */
  contradicted?(resource: Resource): void;
  /** Counts what was sent. */
  counted?(kind: string, result: WriteResult): void;
  /** Counts what was not sent. */
  skipped?(kind: string, reason: SkipReason): void;
}

const contradictions = ["KUBE_NOT_FOUND", "KUBE_CONFLICT", "KUBE_ALREADY_EXISTS", "KUBE_INVALID"];

export type WriteResult = "written" | "failed";

/** Why a write is not sent: the object is as wanted already, or the lease is not held. */
export type SkipReason = "unchanged" | "lease";

/**
 * Counts a write that a controller leaves out because nothing would change (`controller_skips_total`).
 *
 * @param client - the one that would have sent it: that of a `ManagerContext`, or one that it guards. Others count nothing.
 */
export function countUnchanged(client: Client, resource: Resource): void {
  if (client instanceof ManagedClient) client.skip(resource.kind, "unchanged");
}

/** A client whose writes are allowed by a lease and remembered by whoever waits for them. Reads pass through. */
export class ManagedClient implements Client {
  readonly #client: Client;
  readonly #hooks: ClientHooks;

  constructor(client: Client, hooks: ClientHooks) {
    this.#client = client;
    this.#hooks = hooks;
  }

  get<T extends KubeObject = AnyObject>(ref: ObjectRef, options?: CallOptions & { subresource?: string }): Promise<T> {
    return this.#client.get<T>(ref, options);
  }

  list<T extends KubeObject = AnyObject>(resource: Resource, options?: ListOptions): Promise<ObjectList<T>> {
    return this.#client.list<T>(resource, options);
  }

  watch<T extends KubeObject = AnyObject>(resource: Resource, options?: WatchOptions): AsyncIterable<WatchEvent<T>> {
    return this.#client.watch<T>(resource, options);
  }

  create<T extends KubeObject = AnyObject>(resource: Resource, object: T, options: WriteOptions = {}): Promise<T> {
    return this.#write(resource, options, () => this.#client.create(resource, object, options));
  }

  update<T extends KubeObject = AnyObject>(resource: Resource, object: T, options: WriteOptions = {}): Promise<T> {
    return this.#write(resource, options, () => this.#client.update(resource, object, options));
  }

  apply<T extends KubeObject = AnyObject>(resource: Resource, object: T, options: ApplyOptions): Promise<T> {
    return this.#write(resource, options, () => this.#client.apply(resource, object, options));
  }

  mergePatch<T extends KubeObject = AnyObject>(ref: ObjectRef, patch: unknown, options: WriteOptions = {}): Promise<T> {
    return this.#write(ref.resource, options, () => this.#client.mergePatch<T>(ref, patch, options));
  }

  jsonPatch<T extends KubeObject = AnyObject>(
    ref: ObjectRef,
    patch: readonly JsonPatchOperation[],
    options: WriteOptions = {},
  ): Promise<T> {
    return this.#write(ref.resource, options, () => this.#client.jsonPatch<T>(ref, patch, options));
  }

  async delete(ref: ObjectRef, options: DeleteOptions = {}): Promise<void> {
    await this.#count(ref.resource, () => this.#client.delete(ref, options));
    if (options.dryRun !== true) this.#hooks.deleted?.(ref);
  }

  async createSubresource<R = unknown>(
    ref: ObjectRef,
    subresource: string,
    body: unknown,
    options?: CallOptions,
  ): Promise<R> {
    return this.#count(ref.resource, () => this.#client.createSubresource<R>(ref, subresource, body, options));
  }

  resourceFor(apiVersion: string, kind: string, options?: CallOptions): Promise<Resource> {
    return this.#client.resourceFor(apiVersion, kind, options);
  }

  serverInfo(options?: CallOptions): Promise<ServerInfo> {
    return this.#client.serverInfo(options);
  }

  raw(path: string, options?: CallOptions): Promise<unknown> {
    return this.#client.raw(path, options);
  }

  close(): Promise<void> {
    return this.#client.close();
  }

  skip(kind: string, reason: SkipReason): void {
    this.#hooks.skipped?.(kind, reason);
  }

  async #write<T extends KubeObject>(resource: Resource, options: WriteOptions, send: () => Promise<T>): Promise<T> {
    const stored = await this.#count(resource, send).catch((error: unknown) => {
      if (contradictions.some((code) => hasCode(error, code))) this.#hooks.contradicted?.(resource);
      throw error;
    });
    // What other subresources answer (a Scale, a token) is not the object that informers show.
    const isObject = options.subresource === undefined || options.subresource === "status";
    if (options.dryRun !== true && isObject) this.#hooks.written?.(resource, stored);
    return stored;
  }

  async #count<T>({ kind }: Resource, send: () => Promise<T>): Promise<T> {
    this.#require(kind);
    let result: WriteResult = "failed";
    try {
      const answer = await send();
      result = "written";
      return answer;
    } finally {
      this.#hooks.counted?.(kind, result);
    }
  }

  #require(kind: string): void {
    try {
      this.#hooks.beforeWrite();
    } catch (error) {
      this.skip(kind, "lease");
      throw error;
    }
  }
}
