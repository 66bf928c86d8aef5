import { hasCode } from "@kyma-operators/errors";
import { LRUCache } from "lru-cache";
import { createDigester, digestOf, parseDigest } from "./digest.ts";
import { oci } from "./errors.ts";
import { SingleFlight } from "./single-flight.ts";

/** One stored file as a directory lists it. */
export interface StoredFile {
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  readonly usedAtMs: number;
}

/**
 * A directory of immutable files. The one on disk is `createDirectory` of `store-files.ts`.
 *
 * `write` makes a file appear whole or not at all, also for other processes and after a crash.
 */
export interface Directory {
  /** Undefined when there is no such file. */
  size(name: string): Promise<number | undefined>;
  /** All of a file. */
  read(name: string): Promise<Uint8Array>;
  open(name: string): AsyncIterable<Uint8Array>;
  write(name: string, content: AsyncIterable<Uint8Array>): Promise<void>;
  remove(name: string): Promise<void>;
  list(): Promise<readonly StoredFile[]>;
  /** Marks a file as used now. */
  touch(name: string, nowMs: number): Promise<void>;
}

/** What is wanted: content of this digest and, when known, of this many bytes. */
export interface ContentTarget {
  readonly digest: string;
  readonly size?: number;
}

/** Where content comes from when the store has none, usually `client.openBlob`. */
export type ContentOrigin = (signal: AbortSignal) => AsyncIterable<Uint8Array>;

interface Source {
  readonly origin: ContentOrigin;
  readonly signal: AbortSignal | undefined;
}

export interface ContentStoreOptions {
  readonly directory: Directory;
  readonly clock: { now(): number };
  /** Bytes on disk. Default 1 GiB. */
  readonly limitBytes?: number;
  /** Bytes of recently used contents in memory. Default 32 MiB; 0 switches the tier off. */
  readonly memoryBytes?: number;
}

/** Counters since the start. */
export interface ContentStoreStats {
  readonly memoryHits: number;
  readonly diskHits: number;
  readonly fetches: number;
  /** Files that did not have the bytes of their name, and were fetched again. */
  readonly corrupt: number;
  readonly evictions: number;
}

// Recency on disk is for other processes and the next start; minutes are exact enough for that.
const touchIntervalMs = 60_000;

function fileName(digest: string): string {
  const { algorithm, hex } = parseDigest(digest);
  return `${algorithm}/${hex}`;
}

/** Passes bytes on, and fails at the end when they are not what the digest says. */
async function* verified(content: AsyncIterable<Uint8Array>, digest: string): AsyncGenerator<Uint8Array> {
  const digester = createDigester(parseDigest(digest).algorithm);
  for await (const chunk of content) {
    digester.update(chunk);
    yield chunk;
  }
  const got = digester.digest();
  if (got !== digest) throw oci.DIGEST_MISMATCH({ ref: digest, want: digest, got });
}

/**
 * Contents by digest: on disk once, fetched once however many ask at the same time, verified whenever
 * they are read.
 *
 * Several processes may share the directory. The least recently used contents are removed above the
 * limit, except those that are held.
 */
export class ContentStore {
  readonly #directory: Directory;
  readonly #clock: { now(): number };
  readonly #limitBytes: number;
  readonly #memory: LRUCache<string, Uint8Array> | undefined;
  readonly #memoryBytes: number;
  readonly #reads = new SingleFlight<string, Uint8Array>();
  readonly #flights = new SingleFlight<string, void>();
  readonly #holds = new Map<string, number>();
  readonly #touched = new Map<string, number>();
  #writtenBytes = Number.POSITIVE_INFINITY; // forces a look at the directory at the first write
  #stats = { memoryHits: 0, diskHits: 0, fetches: 0, corrupt: 0, evictions: 0 };

  constructor(options: ContentStoreOptions) {
    this.#directory = options.directory;
    this.#clock = options.clock;
    this.#limitBytes = options.limitBytes ?? 1_073_741_824;
    this.#memoryBytes = options.memoryBytes ?? 33_554_432;
    this.#memory =
      this.#memoryBytes > 0
        ? new LRUCache({ maxSize: this.#memoryBytes, sizeCalculation: (bytes) => Math.max(1, bytes.length) })
        : undefined;
  }

  get stats(): ContentStoreStats {
    return { ...this.#stats };
  }

  /** The whole content, verified. The bytes are shared: nobody may change them. */
  async get(target: ContentTarget, origin: ContentOrigin, signal?: AbortSignal): Promise<Uint8Array> {
    const kept = this.#memory?.get(target.digest);
    if (kept !== undefined) {
      this.#stats.memoryHits += 1;
      return kept;
    }
    return this.#reads.run(target.digest, (shared) => this.#load(target, { origin, signal: shared }), signal);
  }

  async #load(target: ContentTarget, from: Source): Promise<Uint8Array> {
    return this.#withContent(target, from, async () => {
      const bytes = await this.#directory.read(fileName(target.digest));
      const got = digestOf(bytes, parseDigest(target.digest).algorithm);
      if (got !== target.digest) throw oci.DIGEST_MISMATCH({ ref: target.digest, want: target.digest, got });
      // One large content must not empty the tier.
      if (bytes.length <= this.#memoryBytes / 4) this.#memory?.set(target.digest, bytes);
      return bytes;
    });
  }

  /**
   * Reads content as a stream into `read`, which must not use a byte before its source has ended
   * without an error. `read` runs a second time, from the start, when the stored file was damaged.
   */
  async read<T>(
    target: ContentTarget,
    origin: ContentOrigin,
    read: (content: AsyncIterable<Uint8Array>) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T> {
    const kept = this.#memory?.get(target.digest);
    if (kept !== undefined) {
      this.#stats.memoryHits += 1;
      return read(once(kept));
    }
    return this.#withContent(target, { origin, signal }, () =>
      read(verified(this.#directory.open(fileName(target.digest)), target.digest)),
    );
  }

  /** Keeps content from being removed until the returned function is called. */
  hold(digest: string): () => void {
    this.#holds.set(digest, (this.#holds.get(digest) ?? 0) + 1);
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      const left = (this.#holds.get(digest) ?? 1) - 1;
      if (left === 0) this.#holds.delete(digest);
      else this.#holds.set(digest, left);
    };
  }

  async #withContent<T>(target: ContentTarget, from: Source, use: () => Promise<T>): Promise<T> {
    const release = this.hold(target.digest);
    try {
      await this.#ensure(target, from);
      return await use().catch(async (error: unknown) => {
        if (!this.#isDamage(error, target)) throw error;
        this.#stats.corrupt += 1;
        await this.#directory.remove(fileName(target.digest));
        await this.#ensure(target, from);
        return use();
      });
    } finally {
      release();
    }
  }

  /** Bytes that changed on disk, or a file that another process has removed meanwhile. */
  #isDamage(error: unknown, { digest }: ContentTarget): boolean {
    if ((error as { code?: unknown } | null)?.code === "ENOENT") return true;
    return hasCode(error, "OCI_DIGEST_MISMATCH") && (error as { detail?: { ref?: unknown } }).detail?.ref === digest;
  }

  /** Fetches content that is not on disk. */
  async #ensure(target: ContentTarget, from: Source): Promise<void> {
    const name = fileName(target.digest);
    const size = await this.#directory.size(name);
    if (size === undefined || (target.size !== undefined && size !== target.size)) {
      return this.#flights.run(target.digest, (signal) => this.#fetch(target, from.origin(signal)), from.signal);
    }
    this.#stats.diskHits += 1;
    await this.#touch(target.digest, name);
  }

  async #fetch({ digest }: ContentTarget, content: AsyncIterable<Uint8Array>): Promise<void> {
    this.#stats.fetches += 1;
    let written = 0;
    const counted = (async function* (): AsyncGenerator<Uint8Array> {
      for await (const chunk of verified(content, digest)) {
        written += chunk.length;
        yield chunk;
      }
    })();
    await this.#directory.write(fileName(digest), counted);
    this.#touched.set(digest, this.#clock.now());
    this.#writtenBytes += written;
    if (this.#writtenBytes > this.#limitBytes) await this.#evict();
  }

  async #touch(digest: string, name: string): Promise<void> {
    const nowMs = this.#clock.now();
    if (nowMs - (this.#touched.get(digest) ?? Number.NEGATIVE_INFINITY) < touchIntervalMs) return;
    this.#touched.set(digest, nowMs);
    await this.#directory.touch(name, nowMs);
  }

  /** Removes the least recently used files until nine tenths of the limit are left. */
  async #evict(): Promise<void> {
    const files = await this.#directory.list();
    let total = files.reduce((sum, file) => sum + file.size, 0);
    const target = total > this.#limitBytes ? this.#limitBytes * 0.9 : this.#limitBytes;
    for (const file of files.toSorted((a, b) => a.usedAtMs - b.usedAtMs)) {
      if (total <= target) break;
      const digest = file.name.replace("/", ":");
      if (this.#holds.has(digest)) continue;
      await this.#directory.remove(file.name);
      this.#touched.delete(digest);
      total -= file.size;
      this.#stats.evictions += 1;
    }
    this.#writtenBytes = total;
  }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
