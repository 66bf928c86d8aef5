import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { writeTar } from "oras-js";
import type { Io } from "../../io.ts";
import { createErrors } from "./errors.ts";

const maxFiles = 5_000;
const limitBytes = 64 * 1024 * 1024;

/** Every file below a folder by its path inside it, sorted. Links and devices are refused: an archive cannot hold them. */
export async function readFolder(io: Io, folder: string, field: string): Promise<ReadonlyMap<string, Uint8Array>> {
  const files = new Map<string, Uint8Array>();
  const refuse = (problem: string): Error => createErrors.SOURCE_INVALID({ field, source: folder, problem });
  const open = [""];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    for (const { name, kind } of await io.files.list(join(folder, at))) {
      const path = at === "" ? name : `${at}/${name}`;
      if (kind === "directory") open.push(path);
      else if (kind === "file") files.set(path, await io.files.read(join(folder, path)));
      else throw refuse(`${path} is a ${kind}, expected files and folders only`);
    }
    if (files.size > maxFiles) throw refuse(`more than ${maxFiles} files`);
  }
  const bytes = [...files.values()].reduce((sum, content) => sum + content.length, 0);
  if (bytes > limitBytes) throw refuse(`more than ${limitBytes} bytes`);
  return new Map([...files].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** A gzipped tar of the files below one top folder; equal files give equal bytes. */
export function packFolder(files: ReadonlyMap<string, Uint8Array>, top: string): Uint8Array {
  const entries = [...files].map(([path, content]) => ({ path: top === "" ? path : `${top}/${path}`, content }));
  return gzipSync(writeTar(entries));
}
