import {
  appendFileSync,
  type Dirent,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, resolve, sep } from "node:path";
import { type ChartSource, defaultLimits, helmErrors, type IgnoreFilter, parseHelmIgnore } from "helm-ts-lite";

/** The one place where `kyma template` touches files. Paths are resolved against `cwd`. */
export interface TemplateFiles {
  readChart(path: string): ChartSource;
  readText(path: string): string;
  /** Writes a text below a folder, or adds it to a file this run has written before. */
  writeBelow(folder: string, path: string, text: string): string;
}

const notFound = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === "ENOENT";

export function templateFiles(cwd: string): TemplateFiles {
  const written = new Set<string>();
  return {
    readChart: (path) => readChart(resolve(cwd, path), path),
    readText: (path) => readFileSync(resolve(cwd, path), "utf8"),
    writeBelow: (folder, path, text) => {
      const target = join(resolve(cwd, folder), path);
      mkdirSync(dirname(target), { recursive: true });
      if (written.has(target)) appendFileSync(target, text);
      else writeFileSync(target, text);
      written.add(target);
      return join(folder, path);
    },
  };
}

function readChart(path: string, shown: string): ChartSource {
  const facts = statSync(path, { throwIfNoEntry: false });
  if (facts === undefined) throw helmErrors.CHART({ text: `path ${JSON.stringify(shown)} not found` });
  if (!facts.isDirectory()) return readFileSync(path);
  if (statSync(join(path, "Chart.yaml"), { throwIfNoEntry: false }) === undefined) {
    const file = `${shown}/Chart.yaml`;
    throw helmErrors.CHART({ text: `unable to detect chart at ${file}: open ${file}: no such file or directory` });
  }
  return new DirectoryReader(path).read();
}

/** Walks a chart directory. Links are followed as long as they stay inside the chart. */
class DirectoryReader {
  readonly #root: string;
  readonly #ignored: IgnoreFilter;
  readonly #files = new Map<string, Uint8Array>();
  #bytes = 0;

  constructor(root: string) {
    this.#root = realpathSync(root);
    this.#ignored = parseHelmIgnore(readIgnore(root));
  }

  read(): ReadonlyMap<string, Uint8Array> {
    this.#walk("", 0);
    return this.#files;
  }

  #walk(folder: string, depth: number): void {
    if (depth > defaultLimits.maxChartDepth) throw this.#limit("maxChartDepth");
    const entries = readdirSync(join(this.#root, folder), { withFileTypes: true });
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      this.#entry(folder === "" ? entry.name : `${folder}/${entry.name}`, entry, depth);
    }
  }

  #entry(path: string, entry: Dirent, depth: number): void {
    // Joined by hand: path.join takes longer than reading a small file.
    const full = `${this.#root}/${path}`;
    if (entry.isSymbolicLink()) this.#checkLink(full, path);
    const facts = statSync(full);
    if (this.#ignored(path, facts.isDirectory())) return;
    if (facts.isDirectory()) this.#walk(path, depth + 1);
    else if (facts.isFile()) this.#file(path, full, facts.size);
    else throw helmErrors.CHART({ text: `cannot load irregular file ${path} as it has file mode type bits set` });
  }

  #file(path: string, full: string, size: number): void {
    if (size > defaultLimits.maxFileBytes) throw this.#limit("maxFileBytes");
    const data = readFileSync(full);
    this.#bytes += data.length;
    this.#files.set(path, data);
    if (this.#bytes > defaultLimits.maxChartBytes) throw this.#limit("maxChartBytes");
    if (this.#files.size > defaultLimits.maxFiles) throw this.#limit("maxFiles");
  }

  #checkLink(full: string, path: string): void {
    const target = realpathSync(full);
    if (full.startsWith(target + sep)) {
      throw helmErrors.CHART({ text: `${path} is a link to a folder that holds it; remove the link` });
    }
    if (target === this.#root || target.startsWith(this.#root + sep)) return;
    throw helmErrors.CHART({
      text: `${path} is a link that leads out of the chart; copy what it points at into the chart`,
    });
  }

  #limit(limit: keyof typeof defaultLimits): Error {
    return helmErrors.LIMIT({ chart: this.#root, limit, max: defaultLimits[limit] });
  }
}

function readIgnore(root: string): string {
  try {
    return readFileSync(join(root, ".helmignore"), "utf8").replace(/^\uFEFF/, "");
  } catch (error) {
    if (notFound(error)) return "";
    throw error;
  }
}
