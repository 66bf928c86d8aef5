import { basename, resolve } from "node:path";
import { readTarGz } from "oras-js";
import { ExitCode, exitCodes } from "../command.ts";
import type { Io } from "../io.ts";
import { download } from "../system-download.ts";

/** Where a kustomization is: a folder of this machine, or a folder in a repository of a git server. */
export type KustomizationSource =
  | { readonly kind: "folder"; readonly name: string; readonly path: string }
  | RepositorySource;

export interface RepositorySource {
  readonly kind: "repository";
  readonly name: string;
  /** `https://host/owner/repository` */
  readonly url: string;
  /** Folder in it; empty for its root. */
  readonly folder: string;
  readonly ref: string;
}

/**
 * Reads `PATH` or `URL[@REF]`, where the URL names owner and repository and may go on with a folder; the default REF is
 * `main`. A path may hold `@`. Ends with the usage code for anything else.
 *
 * @param isFolder - whether a path stands for a folder of this machine.
 */
export function parseKustomizationSource(text: string, isFolder: (path: string) => boolean): KustomizationSource {
  if (!/^https?:\/\//.test(text)) {
    if (isFolder(text)) return { kind: "folder", name: basename(text), path: text };
    throw refused(text, "no such folder");
  }
  const [address = "", ref = "main", ...rest] = text.split("@");
  if (rest.length > 0 || ref === "") throw refused(text, "expected URL or URL@REF");
  return { ...repositoryAt(text, address), ref };
}

function repositoryAt(text: string, address: string): Omit<RepositorySource, "ref"> {
  const url = URL.parse(address);
  const [owner, repository, ...folder] = (url?.pathname ?? "").split("/").filter((part) => part !== "");
  if (url === null || owner === undefined || repository === undefined) {
    throw refused(text, "expected https://HOST/OWNER/REPOSITORY[/FOLDER][@REF]");
  }
  const name = repository.replace(/\.git$/, "");
  return { kind: "repository", name, url: `${url.origin}/${owner}/${name}`, folder: folder.join("/") };
}

/** The files of a kustomization that is not on this machine, by their paths in the repository. */
export async function fetchRepository(
  io: Io,
  { url, ref }: RepositorySource,
): Promise<ReadonlyMap<string, Uint8Array>> {
  // Git servers give a repository as an archive, whose only top folder they name as they like.
  const archive = `${url}/archive/${ref}.tar.gz`;
  const files = await readTarGz(await download(archive, io.signal), { name: archive });
  return new Map([...files].map(([path, content]) => [path.slice(path.indexOf("/") + 1), content]));
}

/** Kustomizations as one tree: folders of the disk, and fetched files below a folder that is not there. */
export interface Bases {
  /** Absolute. */
  readonly folders: readonly string[];
  /** Absolute paths of files that only this tree has. */
  readonly files: ReadonlyMap<string, Uint8Array>;
}

/** Fetches what is not on this machine. `root` is a folder below which fetched files may seem to lie. */
export async function readBases(io: Io, sources: readonly string[], root: string): Promise<Bases> {
  const folders: string[] = [];
  const files = new Map<string, Uint8Array>();
  for (const [at, text] of sources.entries()) {
    const isFolder = text.includes("://") ? false : (await io.files.kind(text)) === "directory";
    const source = parseKustomizationSource(text, () => isFolder);
    if (source.kind === "folder") {
      folders.push(resolve(io.cwd, source.path));
      continue;
    }
    const mount = `${root}/fetched-${at}`;
    for (const [path, content] of await fetchRepository(io, source)) files.set(`${mount}/${path}`, content);
    folders.push(source.folder === "" ? mount : `${mount}/${source.folder}`);
  }
  return { folders, files };
}

function refused(text: string, why: string): ExitCode {
  return new ExitCode(exitCodes.refused, `--kustomization ${text}: ${why}`);
}
