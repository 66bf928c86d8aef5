/** The libraries of packages/ as npm gets them: JavaScript, types, README and license, without sources and tests. */
import { execFileSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** One library in a folder that `npm publish` can be run in. */
export interface StagedPackage {
  readonly name: string;
  readonly version: string;
  readonly folder: string;
}

interface PackageJson {
  readonly name: string;
  readonly version: string;
  readonly exports: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly [field: string]: unknown;
}

const relativeImport = /((?:from|import)\s*\(?\s*"\.[^"]*)\.ts"/g;

/** Compiles all libraries and writes each with its files to `outdir/FOLDER`. Throws what the compiler says. */
export async function stagePackages(root: string, outdir: string): Promise<readonly StagedPackage[]> {
  const compiled = await mkdtemp(join(tmpdir(), "kyma-packages-"));
  try {
    await compile(root, compiled);
    await rm(outdir, { recursive: true, force: true });
    const folders = globSync("packages/*/package.json", { cwd: root }).map((file) => dirname(file).slice(9));
    return await Promise.all(folders.sort().map(async (folder) => stage(root, { folder, compiled, outdir })));
  } finally {
    await rm(compiled, { recursive: true, force: true });
  }
}

/** One run for all of them, since they import each other; from the sources, so that nothing must be built before. */
async function compile(root: string, outDir: string): Promise<void> {
  const config = {
    extends: join(root, "tsconfig.json"),
    compilerOptions: {
      noEmit: false,
      declaration: true,
      rewriteRelativeImportExtensions: true,
      rootDir: join(root, "packages"),
      outDir,
      typeRoots: [join(root, "node_modules/@types")],
      paths: sourcesOf(root),
    },
    include: [join(root, "packages/*/index.ts")],
    exclude: [],
  };
  const file = join(outDir, "tsconfig.json");
  await writeFile(file, JSON.stringify(config));
  execFileSync(process.execPath, [join(root, "node_modules/ts7/bin/tsc"), "--project", file], { stdio: "pipe" });
}

/**
 * Where the libraries find each other. By their links in node_modules they would be taken for foreign code, of which the
 * compiler writes nothing: which files that concerns depends on the way it comes to them first.
 */
function sourcesOf(root: string): Readonly<Record<string, readonly string[]>> {
  const files = globSync("packages/*/package.json", { cwd: root });
  const entries = files.flatMap((file) => {
    const { name, exports } = JSON.parse(readFileSync(join(root, file), "utf8")) as PackageJson;
    return Object.entries(exports).map(([path, { source = "" }]) => {
      return [join(name, path), [join(root, dirname(file), source)]] as const;
    });
  });
  return Object.fromEntries(entries);
}

async function stage(
  root: string,
  { folder, compiled, outdir }: { readonly folder: string; readonly compiled: string; readonly outdir: string },
): Promise<StagedPackage> {
  const from = join(root, "packages", folder);
  const to = join(outdir, folder);
  for (const path of globSync("**/*.{js,d.ts}", { cwd: join(compiled, folder) })) {
    await mkdir(dirname(join(to, "dist", path)), { recursive: true });
    const text = await readFile(join(compiled, folder, path), "utf8");
    await writeFile(join(to, "dist", path), text.replace(relativeImport, '$1.js"'));
  }
  const source = JSON.parse(readFileSync(join(from, "package.json"), "utf8")) as PackageJson;
  await writeFile(join(to, "package.json"), `${JSON.stringify(published(source), undefined, 2)}\n`);
  await copyFile(join(from, "README.md"), join(to, "README.md"));
  await copyFile(join(root, "LICENSE"), join(to, "LICENSE"));
  return { name: source.name, version: source.version, folder: to };
}

/** The condition `source` leads to files that only the repository has. */
function published({ exports, ...rest }: PackageJson): object {
  const entries = Object.entries(exports).map(
    ([path, { source: _source, ...conditions }]) => [path, conditions] as const,
  );
  return { ...rest, exports: Object.fromEntries(entries), publishConfig: { access: "public" } };
}
