import { chmod, mkdir, readFile, rename, stat, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";

/** Secrets of a server that outlive it. */
export interface KeptKeys {
  readonly certificate: string;
  readonly key: string;
  readonly tokenKey: string;
}

/**
 * The keys in a data directory; made on the first start, and when they are no longer usable. Readable by the owner only.
 *
 * @param create - is given the keys that are no longer usable
 */
export async function keepKeys(
  dataDir: string,
  { create, isUsable }: { create: (former?: KeptKeys) => Promise<KeptKeys>; isUsable: (kept: KeptKeys) => boolean },
): Promise<KeptKeys> {
  const path = join(dataDir, "keys.json");
  await ensureFolder(resolve(dataDir));
  const kept = await readKeys(path);
  if (kept !== undefined && isUsable(kept)) return kept;
  const keys = await create(kept);
  // Complete under another name first: a start that dies in the middle must not leave half a file.
  await writeFile(`${path}.new`, JSON.stringify(keys), { mode: 0o600 });
  await chmod(`${path}.new`, 0o600);
  await rename(`${path}.new`, path);
  return keys;
}

async function readKeys(path: string): Promise<KeptKeys | undefined> {
  try {
    return JSON.parse(await readFile(path, "utf8")) as KeptKeys;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    return undefined;
  }
}

/** Makes a folder and its parents. (Node's recursive mkdir never ends below a folder like /proc.) */
async function ensureFolder(path: string): Promise<void> {
  const parent = dirname(path);
  if (parent !== path && !(await exists(parent))) await ensureFolder(parent);
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
