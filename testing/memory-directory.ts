import { createHash } from "node:crypto";
import type { Directory } from "oras-js";

/** A content directory in memory, which a test fills with what a registry would have sent. */
export interface MemoryDirectory extends Directory {
  /** Stores content and gives its digest. */
  put(content: string | Uint8Array): string;
  readonly files: Map<string, Uint8Array>;
}

export function memoryDirectory(): MemoryDirectory {
  const files = new Map<string, Uint8Array>();
  const contentOf = (name: string): Uint8Array => {
    const content = files.get(name);
    if (content === undefined) throw Object.assign(new Error(`no file ${name}`), { code: "ENOENT" });
    return content;
  };
  return {
    files,
    put(content) {
      const bytes = Buffer.from(content);
      const hex = createHash("sha256").update(bytes).digest("hex");
      files.set(`sha256/${hex}`, bytes);
      return `sha256:${hex}`;
    },
    size: async (name) => files.get(name)?.length,
    read: async (name) => contentOf(name),
    async *open(name) {
      yield contentOf(name);
    },
    async write(name, content) {
      const chunks: Uint8Array[] = [];
      for await (const chunk of content) chunks.push(chunk);
      files.set(name, Buffer.concat(chunks));
    },
    remove: async (name) => void files.delete(name),
    list: async () => [...files].map(([name, { length }]) => ({ name, size: length, usedAtMs: 0 })),
    touch: async () => undefined,
  };
}
