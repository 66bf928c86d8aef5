import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";

/** A file that pages load. */
export interface Asset {
  /** Its address, with a mark that changes with its content. */
  readonly url: string;
  readonly contentType: string;
  readonly text: string;
}

export interface Assets {
  readonly style: Asset;
  readonly script: Asset;
}

/** Reads the files of the pages; they are served as they are. */
export async function readAssets(): Promise<Assets> {
  const folder = assetFolder();
  const [style, script] = await Promise.all([
    readAsset(folder, "dashboard.css", "text/css; charset=utf-8"),
    readAsset(folder, "dashboard.js", "text/javascript; charset=utf-8"),
  ]);
  return { style, script };
}

async function readAsset(folder: string, name: string, contentType: string): Promise<Asset> {
  const text = await readFile(join(folder, name), "utf8");
  const mark = createHash("sha256").update(text).digest("hex").slice(0, 12);
  return { url: `/assets/${name}?${mark}`, contentType, text };
}

/** Found upwards from this file, which lies in another depth when it is bundled. */
function assetFolder(): string {
  let folder = import.meta.dirname;
  while (!existsSync(join(folder, "dashboard", "assets"))) {
    const parent = dirname(folder);
    if (parent === folder) throw new Error(`dashboard/assets is not above ${import.meta.dirname}`);
    folder = parent;
  }
  return join(folder, "dashboard", "assets");
}
