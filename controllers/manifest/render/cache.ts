import { createHash } from "node:crypto";
import { LRUCache } from "lru-cache";
import { type Directory, SingleFlight } from "oras-js";
import type { Rendering } from "./rendering.ts";

/** Where a rendering came from. */
export type RenderTier = "memory" | "disk" | "rendered";

export interface RenderCacheOptions {
  /** Bytes of renderings in memory. Default 128 MiB. */
  readonly memoryBytes?: number;
  /** A folder that survives a restart; absent: memory only. */
  readonly directory?: Directory;
  /** Bytes in that folder. Default 512 MiB. */
  readonly diskBytes?: number;
  /** Called for every lookup, for metrics. */
  readonly onLookup?: (tier: RenderTier) => void;
  /** Called for everything that was rendered, with the milliseconds it took by {@link now}. */
  readonly onRendered?: (tookMs: number) => void;
  readonly now?: () => number;
}

interface Kept {
  readonly rendering: Rendering;
  readonly bytes: number;
}

/**
 * Renderings by key: rendered once however many Manifests ask, bounded in bytes, in memory and on disk.
 *
 * A key names content and inputs by digest, so an entry never becomes wrong, only old. What is read from disk is
 * verified; a damaged file counts as absent. Failures are not kept.
 */
export class RenderCache {
  readonly #memory: LRUCache<string, Kept>;
  readonly #directory: Directory | undefined;
  readonly #diskBytes: number;
  readonly #onLookup: (tier: RenderTier) => void;
  readonly #onRendered: (tookMs: number) => void;
  readonly #now: () => number;
  readonly #flights = new SingleFlight<string, Rendering>();
  #writtenBytes = Number.POSITIVE_INFINITY; // looks at the folder after the first write

  constructor(options: RenderCacheOptions = {}) {
    const memoryBytes = options.memoryBytes ?? 134_217_728;
    this.#memory = new LRUCache({ maxSize: memoryBytes, sizeCalculation: ({ bytes }) => Math.max(1, bytes) });
    this.#directory = options.directory;
    this.#diskBytes = options.diskBytes ?? 536_870_912;
    this.#onLookup = options.onLookup ?? (() => undefined);
    this.#onRendered = options.onRendered ?? (() => undefined);
    this.#now = options.now ?? (() => 0);
  }

  /** The rendering of a key. The objects are shared: nobody may change them. */
  async get(key: string, render: (signal: AbortSignal) => Promise<Rendering>, signal: AbortSignal): Promise<Rendering> {
    const kept = this.#memory.get(key);
    if (kept !== undefined) {
      this.#onLookup("memory");
      return kept.rendering;
    }
    return this.#flights.run(key, (inner) => this.#load(key, render, inner), signal);
  }

  async #load(
    key: string,
    render: (signal: AbortSignal) => Promise<Rendering>,
    signal: AbortSignal,
  ): Promise<Rendering> {
    const stored = await this.#read(key);
    if (stored !== undefined) {
      this.#onLookup("disk");
      return this.#keep(key, stored, JSON.stringify(stored).length);
    }
    this.#onLookup("rendered");
    const started = this.#now();
    const rendering = await render(signal);
    this.#onRendered(this.#now() - started);
    const text = JSON.stringify(rendering);
    await this.#write(key, text);
    return this.#keep(key, rendering, text.length);
  }

  #keep(key: string, rendering: Rendering, bytes: number): Rendering {
    this.#memory.set(key, { rendering, bytes });
    return rendering;
  }

  async #read(key: string): Promise<Rendering | undefined> {
    const name = fileName(key);
    if (this.#directory === undefined || (await this.#directory.size(name)) === undefined) return undefined;
    const chunks: Uint8Array[] = [];
    for await (const chunk of this.#directory.open(name)) chunks.push(chunk);
    const [sum = "", ...rest] = Buffer.concat(chunks).toString("utf8").split("\n");
    const text = rest.join("\n");
    if (sum === checksum(text)) return JSON.parse(text) as Rendering;
    await this.#directory.remove(name);
    return undefined;
  }

  async #write(key: string, text: string): Promise<void> {
    if (this.#directory === undefined) return;
    await this.#directory.write(fileName(key), once(`${checksum(text)}\n${text}`));
    this.#writtenBytes += text.length;
    if (this.#writtenBytes > this.#diskBytes) await this.#evict(this.#directory);
  }

  /** Removes the oldest files until nine tenths of the limit are left. */
  async #evict(directory: Directory): Promise<void> {
    const files = (await directory.list()).toSorted((a, b) => a.usedAtMs - b.usedAtMs);
    let total = files.reduce((sum, { size }) => sum + size, 0);
    const target = total > this.#diskBytes ? this.#diskBytes * 0.9 : this.#diskBytes;
    for (const { name, size } of files) {
      if (total <= target) break;
      await directory.remove(name);
      total -= size;
    }
    this.#writtenBytes = total;
  }
}

/** Folders list by digest algorithm, so a rendering is filed like content. */
function fileName(key: string): string {
  return `sha256/${key}`;
}

function checksum(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

async function* once(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text, "utf8");
}
