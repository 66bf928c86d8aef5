/** What stands at a path. */
export interface TreeEntry {
  /** The path with all symbolic links resolved. */
  readonly path: string;
  readonly kind: "file" | "directory";
}

/**
 * The files a kustomization may see. Paths are absolute, with `/` between segments; what is read is decided by whoever
 * builds the tree, so that this package needs no file system.
 */
export interface FileTree {
  /** `undefined` when nothing stands there. */
  resolve(path: string): TreeEntry | undefined;
  /** The bytes of a file that {@link resolve} found. */
  read(path: string): Uint8Array;
}

/** A tree of the files in a map. Keys are paths; a leading slash may be missing. Folders exist where files are. */
export function treeOf(files: ReadonlyMap<string, Uint8Array>): FileTree {
  const byPath = new Map([...files].map(([path, bytes]) => [normalize(`/${path}`), bytes]));
  const folders = new Set([...byPath.keys()].flatMap(parentsOf));
  return {
    resolve: (path) => {
      const real = normalize(path);
      if (byPath.has(real)) return { path: real, kind: "file" };
      return folders.has(real) ? { path: real, kind: "directory" } : undefined;
    },
    read: (path) => {
      const bytes = byPath.get(path);
      if (bytes === undefined) throw new Error(`${path} was not resolved before it was read`);
      return bytes;
    },
  };
}

/** An absolute path without `.`, `..`, doubled and trailing slashes. */
export function normalize(path: string): string {
  const kept: string[] = [];
  for (const segment of path.split("/")) {
    if (segment === "..") kept.pop();
    else if (segment !== "" && segment !== ".") kept.push(segment);
  }
  return `/${kept.join("/")}`;
}

/** `child` is `parent` or lies below it. */
export function isWithin(parent: string, child: string): boolean {
  return child === parent || child.startsWith(parent === "/" ? "/" : `${parent}/`);
}

export function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/")) || "/";
}

export function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

function parentsOf(path: string): readonly string[] {
  return path === "/" ? ["/"] : [parentOf(path), ...parentsOf(parentOf(path))];
}
