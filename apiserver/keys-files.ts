import { chmod, mkdir, readFile, rename, stat, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";

/** Secrets of a server that outlive it. */
export interface KeptKeys {
  readonly certificate: string;
  readonly key: string;
  readonly tokenKey: string;
}

/** The keys in a data directory; made by `create` on the first start. Readable by the owner only. */
export async function keepKeys(dataDir: string, create: () => Promise<KeptKeys>): Promise<KeptKeys> {
  const path = join(dataDir, "keys.json");
  await ensureFolder(resolve(dataDir));
  try {
    return JSON.parse(await readFile(path, "utf8")) as KeptKeys;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
  const keys = await create();
  // Complete under another name first: a start that dies in the middle must not leave half a file.
  await writeFile(`${path}.new`, JSON.stringify(keys), { mode: 0o600 });
  await chmod(`${path}.new`, 0o600);
  await rename(`${path}.new`, path);
  return keys;
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
