import { randomUUID } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, open, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import type { Storage } from "./storage.ts";

async function orUndefined<T>(result: Promise<T>): Promise<T | undefined> {
  try {
    return await result;
  } catch (error) {
    const code = (error as { code?: unknown } | null)?.code;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw error;
  }
}

/** Keeps contents as files below a directory. Keys are made by the registry and hold no `..`. */
export function createDirectoryStorage(root: string): Storage {
  const pathOf = (key: string): string => join(root, key);

  async function move(from: string, to: string): Promise<void> {
    await mkdir(dirname(to), { recursive: true });
    await rename(from, to);
  }

  async function append(path: string, content: Iterable<Uint8Array> | AsyncIterable<Uint8Array>): Promise<void> {
    await mkdir(dirname(path), { recursive: true });
    const file = await open(path, "a");
    try {
      for await (const chunk of content) await file.write(chunk);
      await file.sync();
    } finally {
      await file.close();
    }
  }

  return {
    size: async (key) => {
      const facts = await orUndefined(stat(pathOf(key)));
      return facts?.isFile() === true ? facts.size : undefined;
    },
    read: (key) => orUndefined(readFile(pathOf(key))),
    open: (key, range) =>
      createReadStream(pathOf(key), range === undefined ? {} : { start: range.first, end: range.last }),
    write: async (key, content) => {
      const part = join(root, "_parts", randomUUID());
      await append(part, [content]);
      await move(part, pathOf(key));
    },
    append: (key, content) => append(pathOf(key), content),
    move: (from, to) => move(pathOf(from), pathOf(to)),
    remove: (key) => rm(pathOf(key), { force: true }),
    list: async (prefix) => {
      const options = { recursive: true, withFileTypes: true } as const;
      const entries = (await orUndefined(readdir(pathOf(prefix), options))) ?? [];
      return entries
        .filter((entry) => entry.isFile())
        .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll("\\", "/"))
        .toSorted();
    },
  };
}
