import { constants, gunzipSync } from "node:zlib";
import { textOf } from "@kyma-operators/errors";
import { readTarGz } from "oras-js";
import { manifestErrors } from "../errors.ts";

/** What a layer turned out to be. */
export type Content =
  | { readonly kind: "documents"; readonly text: string }
  /** Paths relative to the chart's own folder. */
  | { readonly kind: "chart"; readonly files: ReadonlyMap<string, Uint8Array> }
  /** Paths relative to the folder that holds the kustomization file. */
  | { readonly kind: "kustomization"; readonly files: ReadonlyMap<string, Uint8Array> };

const limitBytes = 64 * 1024 * 1024;
const kustomizationFiles = ["kustomization.yaml", "kustomization.yml", "Kustomization"];

/**
 * Finds out what the bytes of a layer are: one YAML file, an archive with a chart, an archive with a kustomization, or
 * an archive with one YAML file. The bytes decide, so a source whose type and content disagree still works where that
 * is unambiguous.
 *
 * @param name - names the layer in errors.
 */
export async function readContent(bytes: Uint8Array, name: string, signal: AbortSignal): Promise<Content> {
  if (isTar(isGzip(bytes) ? headOf(bytes) : bytes)) return contentOf(await readTarGz(bytes, { name, signal }), name);
  return { kind: "documents", text: decode(isGzip(bytes) ? unzip(bytes, name) : bytes, name) };
}

/** Sorts the files of an archive out. */
export function contentOf(files: ReadonlyMap<string, Uint8Array>, name: string): Content {
  const chart = folderOf(files, ["Chart.yaml"]);
  if (chart !== undefined) return { kind: "chart", files: below(files, chart) };
  const kustomization = folderOf(files, kustomizationFiles);
  if (kustomization !== undefined) return { kind: "kustomization", files: below(files, kustomization) };
  const file = [...files].find(([path]) => !(path.split("/").at(-1) ?? "").startsWith("._"));
  if (file === undefined) {
    throw manifestErrors.CONTENT_INVALID({
      source: name,
      problem: "tar archive has invalid structure, expected a single file",
    });
  }
  return { kind: "documents", text: decode(file[1], `${name}/${file[0]}`) };
}

/** The folder nearest to the root that holds one of the files; empty for the root itself. */
function folderOf(files: ReadonlyMap<string, Uint8Array>, wanted: readonly string[]): string | undefined {
  const folders = [...files.keys()]
    .filter((path) => wanted.includes(path.split("/").at(-1) ?? ""))
    .map((path) => path.slice(0, Math.max(path.lastIndexOf("/"), 0)))
    .sort((a, b) => depthOf(a) - depthOf(b) || a.localeCompare(b));
  const [nearest] = folders;
  return nearest !== undefined && depthOf(nearest) <= 1 ? nearest : undefined;
}

function depthOf(folder: string): number {
  return folder === "" ? 0 : folder.split("/").length;
}

function below(files: ReadonlyMap<string, Uint8Array>, folder: string): ReadonlyMap<string, Uint8Array> {
  if (folder === "") return files;
  const prefix = `${folder}/`;
  return new Map(
    [...files].filter(([path]) => path.startsWith(prefix)).map(([path, bytes]) => [path.slice(prefix.length), bytes]),
  );
}

function isGzip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

function isTar(bytes: Uint8Array): boolean {
  return bytes.length >= 512 && Buffer.from(bytes.subarray(257, 262)).toString("latin1") === "ustar";
}

/** The beginning of what a gzip stream holds, or nothing when it is damaged. */
function headOf(bytes: Uint8Array): Uint8Array {
  try {
    return gunzipSync(bytes.subarray(0, 4096), { finishFlush: constants.Z_SYNC_FLUSH });
  } catch {
    return new Uint8Array();
  }
}

function unzip(bytes: Uint8Array, name: string): Uint8Array {
  try {
    return gunzipSync(bytes, { maxOutputLength: limitBytes });
  } catch (error) {
    throw manifestErrors.CONTENT_INVALID(
      { source: name, problem: `gzip can't be unpacked within ${limitBytes} bytes: ${textOf(error)}` },
      error,
    );
  }
}

function decode(bytes: Uint8Array, name: string): string {
  if (bytes.length > limitBytes) {
    throw manifestErrors.CONTENT_INVALID({ source: name, problem: `it is larger than ${limitBytes} bytes` });
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    throw manifestErrors.CONTENT_INVALID({ source: name, problem: "it is no UTF-8 text" }, error);
  }
}
