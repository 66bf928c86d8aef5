import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";

/**
 * Makes a folder and those above it. Fails with Node's error for the first one that can't be made.
 *
 * Level by level, because Node's own recursive form never ends where the system answers ENOENT for a folder whose
 * parent exists, as `/proc` does.
 */
export async function makeFolder(path: string, mode = 0o777): Promise<void> {
  const failure = await tryFolder(path, mode);
  if (failure === undefined) return;
  if (failure.code !== "ENOENT" || dirname(path) === path) throw failure;
  await makeFolder(dirname(path), mode);
  const again = await tryFolder(path, mode);
  if (again !== undefined) throw again;
}

/** A folder that is there already is fine. */
async function tryFolder(path: string, mode: number): Promise<NodeJS.ErrnoException | undefined> {
  try {
    await mkdir(path, { mode });
  } catch (error) {
    const failure = error as NodeJS.ErrnoException;
    if (failure.code !== "EEXIST") return failure;
  }
  return undefined;
}
