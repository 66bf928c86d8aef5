import { chmod, mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** Secrets of a server that outlive it. */
export interface KeptKeys {
  readonly certificate: string;
  readonly key: string;
  readonly tokenKey: string;
}

/** The keys in a data directory; made by `create` on the first start. Readable by the owner only. */
export async function keepKeys(dataDir: string, create: () => Promise<KeptKeys>): Promise<KeptKeys> {
  const path = join(dataDir, "keys.json");
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
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
