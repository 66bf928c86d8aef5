import { randomUUID } from "node:crypto";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { ArtifactFiles } from "./file-client.ts";

/** Artifact files below a directory, which is created when first written. */
export function filesIn(root: string): ArtifactFiles {
  return {
    read: async (path) => {
      try {
        return await readFile(join(root, path));
      } catch (error) {
        if ((error as { code?: unknown } | null)?.code === "ENOENT") return undefined;
        throw error;
      }
    },
    write: async (path, content) => {
      const target = join(root, path);
      const part = `${target}.${randomUUID()}.part`;
      await mkdir(dirname(target), { recursive: true });
      await writeFile(part, content, { flush: true });
      await rename(part, target);
    },
  };
}
