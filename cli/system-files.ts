import { readdir, readFile, realpath, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { makeFolder } from "../local/folder-files.ts";
import type { FileEntry, Files } from "./io.ts";

interface Kinds {
  isFile(): boolean;
  isDirectory(): boolean;
  isSymbolicLink(): boolean;
}

function kindOf(entry: Kinds): FileEntry["kind"] {
  if (entry.isFile()) return "file";
  if (entry.isDirectory()) return "directory";
  return entry.isSymbolicLink() ? "link" : "other";
}

/** The file system, with relative paths resolved against `cwd`. */
export function systemFiles(cwd: string): Files {
  const at = (path: string): string => resolve(cwd, path);
  return {
    read: async (path) => readFile(at(path)),
    readText: async (path) => readFile(at(path), "utf8"),
    list: async (path) => {
      const entries = await readdir(at(path), { withFileTypes: true });
      return entries.map((entry) => ({ name: entry.name, kind: kindOf(entry) }));
    },
    kind: async (path) => {
      try {
        return kindOf(await stat(at(path)));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
        throw error;
      }
    },
    realpath: async (path) => realpath(at(path)),
    write: async (path, data, options) => {
      const target = at(path);
      await makeFolder(dirname(target));
      const draft = `${target}.new`;
      await writeFile(draft, data, options);
      await rename(draft, target);
    },
    remove: async (path) => rm(at(path), { recursive: true, force: true }),
  };
}
