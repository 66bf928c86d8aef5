import type { Budget } from "./budget.ts";
import { kustomizeErrors } from "./errors.ts";
import { type FileTree, isWithin, normalize, type TreeEntry } from "./tree.ts";

const kustomizationNames = ["kustomization.yaml", "kustomization.yml", "Kustomization"] as const;
const fileLimitBytes = 16 * 1024 * 1024;
/** Reading a kustomization costs as much as some hundred changes. */
const stepsPerFolder = 200;

/**
 * One folder that is built. Files are read from it and from below only; other folders are reached as kustomizations of
 * their own.
 */
export class Root {
  readonly folder: string;
  /** Shared by all folders of one build. */
  readonly budget: Budget;
  readonly #tree: FileTree;
  /** Folders on the way to this one, this one included. */
  readonly #visited: readonly string[];

  private constructor(tree: FileTree, folder: string, from: Pick<Root, "budget"> & { visited: readonly string[] }) {
    this.#tree = tree;
    this.folder = folder;
    this.budget = from.budget;
    this.#visited = [...from.visited, folder];
    this.budget.spend(stepsPerFolder);
  }

  /** The folder to build. Throws `KUSTOMIZE_PATH`. */
  static at(tree: FileTree, path: string, budget: Budget): Root {
    const entry = tree.resolve(normalize(path));
    if (entry?.kind === "directory") return new Root(tree, entry.path, { budget, visited: [] });
    const problem = entry === undefined ? "no such file or directory" : "file is not directory";
    throw kustomizeErrors.PATH({ file: "build", path, problem });
  }

  /** Path of the kustomization file. Throws when there is none, or more than one. */
  kustomizationFile(): string {
    const { folder } = this;
    const found = kustomizationNames.filter((name) => this.#tree.resolve(join(folder, name))?.kind === "file");
    const [only, another] = found;
    if (only === undefined) {
      const listed = "unable to find one of 'kustomization.yaml', 'kustomization.yml' or 'Kustomization'";
      throw kustomizeErrors.NO_KUSTOMIZATION({ folder, problem: listed });
    }
    if (another !== undefined) {
      throw kustomizeErrors.NO_KUSTOMIZATION({
        folder,
        problem: `Found multiple kustomization files (${found.join(", ")})`,
      });
    }
    return join(folder, only);
  }

  /** The text of a file, a leading byte order mark taken off. */
  readText(path: string): string {
    return new TextDecoder().decode(this.readBytes(path));
  }

  /** Reads a file in or below this folder. Throws `KUSTOMIZE_PATH`, `KUSTOMIZE_REMOTE`. */
  readBytes(path: string): Uint8Array {
    const entry = this.resolve(path);
    const { folder: file } = this;
    if (entry === undefined) throw kustomizeErrors.PATH({ file, path, problem: "no such file" });
    if (entry.kind !== "file") throw kustomizeErrors.PATH({ file, path, problem: "is a folder, expected a file" });
    if (!isWithin(this.folder, entry.path)) {
      throw kustomizeErrors.PATH({ file, path, problem: `security; file is not in or below '${this.folder}'` });
    }
    const bytes = this.#tree.read(entry.path);
    if (bytes.length > fileLimitBytes)
      throw kustomizeErrors.LIMIT({ what: `${file}/${path} (bytes)`, limit: fileLimitBytes });
    this.budget.spendBytes(bytes.length);
    return bytes;
  }

  /** What stands at a path that a kustomization names. Throws `KUSTOMIZE_REMOTE` for anything that is no path. */
  resolve(path: string): TreeEntry | undefined {
    if (isRemote(path)) throw kustomizeErrors.REMOTE({ file: this.folder, path });
    return this.#tree.resolve(path.startsWith("/") ? normalize(path) : join(this.folder, path));
  }

  /** The folder at a path that `file` names, to be built on its own. Throws `KUSTOMIZE_CYCLE` when it contains one that is being built. */
  enter(entry: TreeEntry, file: string): Root {
    const inside = this.#visited.find((visited) => isWithin(entry.path, visited));
    if (inside !== undefined) throw kustomizeErrors.CYCLE({ file, folder: entry.path, visited: inside });
    return new Root(this.#tree, entry.path, { budget: this.budget, visited: this.#visited });
  }
}

function join(folder: string, path: string): string {
  return normalize(`${folder}/${path}`);
}

function isRemote(path: string): boolean {
  return /^[a-z][a-z0-9+.-]*:/i.test(path) || path.startsWith("git@") || path.includes("?ref=") || path.includes("//");
}
