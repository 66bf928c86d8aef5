/** The packages that come with the product, and what they can do, read from the lockfile and from their code. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

export interface Locked {
  /** Where npm puts it: `node_modules/a/node_modules/b`. */
  readonly place: string;
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly integrity: string;
  readonly installScript: boolean;
  /** Names of those that ask for it, sorted; our own packages count as `ours`. */
  readonly neededBy: readonly string[];
}

interface LockEntry {
  readonly version?: string;
  readonly license?: string;
  readonly integrity?: string;
  readonly hasInstallScript?: boolean;
  readonly link?: boolean;
  readonly resolved?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

type Lock = Readonly<Record<string, LockEntry>>;

const nameOf = (place: string): string => place.slice(place.lastIndexOf("node_modules/") + "node_modules/".length);

/** Where a package finds another one: in its own folder first, then ever further out. */
function resolve(lock: Lock, from: string, name: string): string | undefined {
  const folders = from.split("/node_modules/");
  const bases = folders.map((_, index) => folders.slice(0, folders.length - index).join("/node_modules/"));
  const places = [
    ...bases.filter((base) => base !== "").map((base) => `${base}/node_modules/${name}`),
    `node_modules/${name}`,
  ];
  return places.find((place) => lock[place] !== undefined);
}

function wantedBy(entry: LockEntry): readonly string[] {
  const peers = Object.keys(entry.peerDependencies ?? {}).filter(
    (name) => entry.peerDependenciesMeta?.[name]?.optional !== true,
  );
  return [...Object.keys(entry.dependencies ?? {}), ...Object.keys(entry.optionalDependencies ?? {}), ...peers];
}

/** Everything that the root and the packages of ours need at run time, without what only builds and tests need. */
export function closureOf(lock: Lock): readonly Locked[] {
  const roots = ["", ...Object.keys(lock).filter((place) => /^packages\/[^/]+$/.test(place))];
  const neededBy = new Map<string, Set<string>>();
  const queue = roots.flatMap((from) => edgesOf(lock, from, "ours"));
  for (let edge = queue.shift(); edge !== undefined; edge = queue.shift()) {
    const known = neededBy.get(edge.to);
    neededBy.set(edge.to, (known ?? new Set()).add(edge.asker));
    if (known === undefined) queue.push(...edgesOf(lock, edge.to, nameOf(edge.to)));
  }
  return [...neededBy]
    .map(([place, askers]) => lockedAt(lock, place, [...askers].toSorted()))
    .toSorted((a, b) => (a.place < b.place ? -1 : 1));
}

function edgesOf(lock: Lock, from: string, asker: string): { readonly to: string; readonly asker: string }[] {
  const names = wantedBy(lock[from] ?? {});
  return names
    .map((name) => resolve(lock, from, name))
    .filter((to) => to !== undefined)
    .filter((to) => lock[to]?.link !== true)
    .map((to) => ({ to, asker }));
}

function lockedAt(lock: Lock, place: string, neededBy: readonly string[]): Locked {
  const { version = "", license = "", integrity = "", hasInstallScript = false } = lock[place] ?? {};
  return { place, name: nameOf(place), version, license, integrity, installScript: hasInstallScript, neededBy };
}

/** Reads `package-lock.json`. */
export function readLock(root: string): Lock {
  return (JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as { readonly packages: Lock }).packages;
}

const importOf = (modules: string): RegExp =>
  new RegExp(`(?:require\\(|from\\s*|import\\(\\s*|import\\s*)["'](?:node:)?(?:${modules})["']`);

/** What a package's code reaches for. It says where to look, not that it does harm. */
const signs: Readonly<Record<string, RegExp>> = {
  files: importOf("fs|fs/promises|fs-extra|graceful-fs"),
  network: importOf("net|http|https|http2|tls|dgram|dns|dns/promises"),
  processes: importOf("child_process|cluster"),
  threads: importOf("worker_threads"),
  code: /\bnew Function\(|(?<![\w.])eval\((?![^)]*\)\s*\{)|["'](?:node:)?vm["']/,
};

/** The capabilities that show in the code of a package. */
export function capabilitiesOf(root: string, place: string): readonly string[] {
  const files = globSync("**/*.{js,cjs,mjs}", {
    cwd: join(root, place),
    exclude: (path) =>
      /(^|\/)(node_modules|test|tests|__tests__|bench|benchmarks?|example|examples|docs?)(\/|$)/.test(path),
  });
  const texts = files.map((file) => readFileSync(join(root, place, file), "utf8"));
  return Object.entries(signs)
    .filter(([, sign]) => texts.some((text) => sign.test(text)))
    .map(([name]) => name);
}
