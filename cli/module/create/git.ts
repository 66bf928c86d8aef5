import { dirname, isAbsolute, join } from "node:path";
import type { Label, Source } from "@kyma-operators/ocm";
import type { Io } from "../../io.ts";
import { createErrors } from "./errors.ts";

/** The commit a module is made from. */
export interface GitSource {
  /** `https://host/path`, whatever way the remote is written. */
  readonly repoUrl: string;
  readonly commit: string;
  /** For example `refs/heads/main`; `HEAD` when no branch is checked out. */
  readonly ref: string;
}

const objectName = /^[0-9a-f]{40}([0-9a-f]{24})?$/;

/**
 * The repository around a folder: its HEAD and the address of a remote. Undefined when the folder is in no repository.
 * Reads git's files and runs nothing. Throws `CREATE_GIT_INVALID` for a repository that does not say so much.
 */
export async function readGitSource(io: Io, folder: string, remote: string): Promise<GitSource | undefined> {
  const git = await findGitFolder(io, folder);
  if (git === undefined) return undefined;
  const shared = await sharedFolder(io, git);
  const refuse = (problem: string): Error => createErrors.GIT_INVALID({ repository: dirname(shared), problem });
  const head = ((await readIfThere(io, join(git, "HEAD"))) ?? "").trim();
  const ref = head.startsWith("ref: ") ? head.slice("ref: ".length) : "HEAD";
  const commit = ref === "HEAD" ? head : await resolveRef(io, [git, shared], ref);
  if (commit === undefined || !objectName.test(commit)) throw refuse("HEAD leads to no commit");
  const address = remoteAddress((await readIfThere(io, join(shared, "config"))) ?? "", remote);
  if (address === undefined) throw refuse(`there is no remote ${remote}: name another with --git-remote`);
  const repoUrl = normalizeRemote(address);
  if (repoUrl === undefined) throw refuse(`remote ${remote} is no address of a repository`);
  return { repoUrl, commit, ref };
}

/** `.git` of the nearest folder above that has one; in a work tree it is a file that says where. */
async function findGitFolder(io: Io, folder: string): Promise<string | undefined> {
  for (let at = folder; ; at = dirname(at)) {
    const path = join(at, ".git");
    const kind = await io.files.kind(path);
    if (kind === "directory") return path;
    if (kind === "file") {
      const target = /^gitdir: (.+)$/m.exec(await io.files.readText(path))?.[1] ?? "";
      return isAbsolute(target) ? target : join(at, target);
    }
    if (dirname(at) === at) return undefined;
  }
}

/** Where a work tree has what it shares with others. */
async function sharedFolder(io: Io, git: string): Promise<string> {
  const common = (await readIfThere(io, join(git, "commondir")))?.trim();
  if (common === undefined) return git;
  return isAbsolute(common) ? common : join(git, common);
}

async function resolveRef(io: Io, folders: readonly string[], ref: string): Promise<string | undefined> {
  for (const folder of folders) {
    const loose = await readIfThere(io, join(folder, ref));
    if (loose !== undefined) return loose.trim();
  }
  const packed = (await readIfThere(io, join(folders.at(-1) ?? "", "packed-refs"))) ?? "";
  const line = packed.split("\n").find((entry) => entry.endsWith(` ${ref}`));
  return line?.slice(0, line.indexOf(" "));
}

async function readIfThere(io: Io, path: string): Promise<string | undefined> {
  return (await io.files.kind(path)) === "file" ? io.files.readText(path) : undefined;
}

/** The `url` of a remote in the text of git's config. */
function remoteAddress(config: string, remote: string): string | undefined {
  const sections = config.split(/^\s*\[/m);
  const section = sections.find((text) => text.startsWith(`remote "${remote}"]`));
  return /^\s*url\s*=\s*(\S+)\s*$/m.exec(section ?? "")?.[1];
}

/**
 * `https://host/path` for the address of a remote: of `https`, `http`, `ssh` and `git`, and of ssh's short form
 * `user@host:path`. Credentials and the end `.git` are left out. Undefined for paths and anything else.
 */
export function normalizeRemote(address: string): string | undefined {
  const short = /^(?:[\w.-]+@)?([\w.-]+\.[\w-]+):(?!\/\/)\/?(.+)$/.exec(address);
  const [host, path] = short === null ? hostAndPath(address) : [short[1] ?? "", short[2] ?? ""];
  const clean = path
    .replace(/^\/+/, "")
    .replace(/\/+$/, "")
    .replace(/\.git$/, "");
  return host === "" || clean === "" ? undefined : `https://${host}/${clean}`;
}

function hostAndPath(address: string): readonly [string, string] {
  const url = /^(https?|ssh|git):\/\//.test(address) ? URL.parse(address) : null;
  return url === null ? ["", ""] : [url.hostname, url.pathname];
}

/** The entry of a descriptor that names the commit. */
export function sourceOf({ repoUrl, commit, ref }: GitSource, version: string, labels: readonly Label[]): Source {
  return {
    name: "module-sources",
    version,
    type: "Github",
    extraIdentity: {},
    labels: [{ name: "git.kyma-project.io/ref", value: ref, version: "v1" }, ...labels],
    access: { type: "gitHub", repoUrl, commit },
    referenceHints: [],
  };
}
