/**
 * Bundles the three programs into `dist/` (or `--outdir DIR`): entry files with lazily loaded chunks beside them.
 * `--sbom` adds `sbom.cdx.json`, which lists the packages in them.
 */
import { existsSync } from "node:fs";
import { chmod, glob, readFile, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { build, type Plugin } from "esbuild";
import { withLazyBuiltins } from "./lazy-builtins.ts";
import { billOfMaterials } from "./sbom.ts";

const root = join(import.meta.dirname, "..");
const { values } = parseArgs({
  options: { outdir: { type: "string", default: join(root, "dist") }, sbom: { type: "boolean", default: false } },
});
const outdir = resolve(values.outdir);

/** CommonJS packages inside an ES module bundle still ask for `require`. */
const banner = `import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);`;

const programs = ["operator", "kyma", "apiserver"].filter((name) => existsSync(join(root, "cmd", `${name}.ts`)));

/** Only what is used of this package is bundled: of its 16 MB, the classes of the Kubernetes API are not. */
const clientNodeInParts: Plugin = {
  name: "client-node-in-parts",
  setup: (plugin) => {
    plugin.onResolve({ filter: /^[.@]/ }, async ({ path, pluginData, ...options }) => {
      if (pluginData === resolving) return undefined;
      const found = await plugin.resolve(path, { ...options, pluginData: resolving });
      return found.path.includes("/@kubernetes/client-node/") ? { ...found, sideEffects: false } : undefined;
    });
  },
};
const resolving = "client-node";

await rm(outdir, { recursive: true, force: true });
const { metafile } = await build({
  absWorkingDir: root,
  entryPoints: programs.map((name) => `cmd/${name}.ts`),
  outdir,
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node24",
  conditions: ["source"],
  chunkNames: "chunks/[name]-[hash]",
  banner: { js: banner },
  sourcemap: "linked",
  legalComments: "none",
  logLevel: "warning",
  metafile: true,
  plugins: [clientNodeInParts],
});
for await (const chunk of glob(join(outdir, "chunks", "*.js"))) {
  await writeFile(chunk, withLazyBuiltins(await readFile(chunk, "utf8")));
}
await Promise.all(programs.map((name) => chmod(join(outdir, `${name}.js`), 0o755)));
if (values.sbom) {
  const bom = billOfMaterials(root, Object.keys(metafile.inputs));
  await writeFile(join(outdir, "sbom.cdx.json"), `${JSON.stringify(bom, undefined, 2)}\n`);
}
