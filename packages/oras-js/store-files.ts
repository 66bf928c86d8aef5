import { randomUUID } from "node:crypto";
import { createReadStream } from "node:fs";
import { type FileHandle, mkdir, open, readdir, readFile, rename, rm, stat, utimes } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Directory, StoredFile } from "./store.ts";

/** Files being written; a crash leaves them behind, and an hour later they are swept. */
const partSuffix = ".part";
const partLifetimeMs = 3_600_000;

function isMissing(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === "ENOENT";
}

async function statOf(path: string): Promise<{ size: number; mtimeMs: number } | undefined> {
  try {
    return await stat(path);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

async function writeAll(file: FileHandle, content: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const chunk of content) await file.write(chunk);
  await file.sync();
}

async function writeAtomically(path: string, content: AsyncIterable<Uint8Array>): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const part = `${path}.${randomUUID()}${partSuffix}`;
  try {
    const file = await open(part, "wx", 0o644);
    try {
      await writeAll(file, content);
    } finally {
      await file.close();
    }
    await rename(part, path);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}

async function listFolder(root: string, folder: string, nowMs: number): Promise<readonly StoredFile[]> {
  const names = await readdir(join(root, folder)).catch((error: unknown) => {
    if (isMissing(error)) return [];
    throw error;
  });
  const found: StoredFile[] = [];
  for (const name of names) {
    const path = join(root, folder, name);
    const facts = await statOf(path);
    if (facts === undefined) continue;
    if (!name.endsWith(partSuffix))
      found.push({ name: `${folder}/${name}`, size: facts.size, usedAtMs: facts.mtimeMs });
    else if (nowMs - facts.mtimeMs > partLifetimeMs) await rm(path, { force: true });
  }
  return found;
}

/**
 * A directory on disk: `<root>/sha256/<hex>` and `<root>/sha512/<hex>`, created when first written.
 *
 * The time of last use is the file's modification time, because access times are often switched off.
 */
export function createDirectory(root: string): Directory {
  return {
    size: async (name) => (await statOf(join(root, name)))?.size,
    read: (name) => readFile(join(root, name)),
    open: (name) => createReadStream(join(root, name), { highWaterMark: 262_144 }),
    write: (name, content) => writeAtomically(join(root, name), content),
    remove: (name) => rm(join(root, name), { force: true }),
    list: async () => {
      const nowMs = Date.now();
      return [...(await listFolder(root, "sha256", nowMs)), ...(await listFolder(root, "sha512", nowMs))];
    },
    touch: async (name, nowMs) => {
      await utimes(join(root, name), nowMs / 1_000, nowMs / 1_000).catch((error: unknown) => {
        if (!isMissing(error)) throw error; // another process may have removed it
      });
    },
  };
}
