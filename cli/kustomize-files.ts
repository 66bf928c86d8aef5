import { readFileSync, realpathSync, statSync } from "node:fs";
import type { FileTree, TreeEntry } from "@kyma-operators/kustomize";

const largestFileBytes = 16 * 1024 * 1024;

/** The files of this machine as a tree. Reads what a kustomization names, and nothing else; never writes. */
export function diskTree(): FileTree {
  return { resolve: resolveOnDisk, read: readOnDisk };
}

function resolveOnDisk(path: string): TreeEntry | undefined {
  try {
    const real = realpathSync(path);
    const facts = statSync(real);
    if (facts.isDirectory()) return { path: real, kind: "directory" };
    // A pipe or a device would block or never end.
    return facts.isFile() ? { path: real, kind: "file" } : undefined;
  } catch (error) {
    if (["ENOENT", "ENOTDIR", "ELOOP", "ENAMETOOLONG"].includes(String((error as NodeJS.ErrnoException).code))) {
      return undefined;
    }
    throw error;
  }
}

function readOnDisk(path: string): Uint8Array {
  const { size } = statSync(path);
  if (size > largestFileBytes) throw new Error(`${path} is larger than ${largestFileBytes} bytes`);
  return readFileSync(path);
}
