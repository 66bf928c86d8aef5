/** Bytes `first` to `last`, both included. */
export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

/**
 * Where a registry keeps its bytes: a flat map from keys with slashes to contents.
 *
 * `move` replaces its target in one step, so that no reader sees half a content.
 */
export interface Storage {
  /** Bytes; undefined when there is no such content. */
  size(key: string): Promise<number | undefined>;
  /** All of a small content; undefined when there is none. */
  read(key: string): Promise<Uint8Array | undefined>;
  open(key: string, range?: ByteRange): AsyncIterable<Uint8Array>;
  write(key: string, content: Uint8Array): Promise<void>;
  /** Adds to the end of a content, or begins it. */
  append(key: string, content: AsyncIterable<Uint8Array>): Promise<void>;
  move(from: string, to: string): Promise<void>;
  remove(key: string): Promise<void>;
  /** Keys below a prefix that ends with a slash, sorted. */
  list(prefix: string): Promise<readonly string[]>;
}

/** Keeps everything in memory; gone when the process ends. */
export function createMemoryStorage(): Storage {
  const contents = new Map<string, readonly Uint8Array[]>();
  const sizeOf = (chunks: readonly Uint8Array[]): number => chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  const whole = (key: string): Uint8Array => Buffer.concat(contents.get(key) ?? []);

  return {
    size: async (key) => {
      const chunks = contents.get(key);
      return chunks === undefined ? undefined : sizeOf(chunks);
    },
    read: async (key) => (contents.has(key) ? whole(key) : undefined),
    open: async function* (key, range) {
      if (range === undefined) yield* contents.get(key) ?? [];
      else yield whole(key).subarray(range.first, range.last + 1);
    },
    write: async (key, content) => void contents.set(key, [content]),
    append: async (key, content) => {
      const added: Uint8Array[] = [];
      for await (const chunk of content) added.push(chunk);
      contents.set(key, [...(contents.get(key) ?? []), ...added]);
    },
    move: async (from, to) => {
      contents.set(to, contents.get(from) ?? []);
      contents.delete(from);
    },
    remove: async (key) => void contents.delete(key),
    list: async (prefix) => [...contents.keys()].filter((key) => key.startsWith(prefix)).toSorted(),
  };
}
