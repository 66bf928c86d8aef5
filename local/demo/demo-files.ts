import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

/** Files below a folder, by path with forward slashes, in the order of their paths. */
export async function readFolder(folder: string): Promise<ReadonlyMap<string, Uint8Array>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  const files = await Promise.all(
    paths.map(async (path) => [path.slice(folder.length + 1), await readFile(path)] as const),
  );
  return new Map(files);
}
