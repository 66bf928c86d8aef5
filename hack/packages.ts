/** Writes the libraries to `dist/npm` (or `--outdir DIR`), ready for `npm publish`, and says what publint has to say. */
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { stagePackages } from "./package-files.ts";

const root = join(import.meta.dirname, "..");
const { values } = parseArgs({ options: { outdir: { type: "string", default: join(root, "dist/npm") } } });

for (const { name, version, folder } of await stagePackages(root, resolve(values.outdir))) {
  const { messages, pkg } = await publint({ pkgDir: folder, strict: true });
  console.log(`${name} ${version}: ${folder}`);
  for (const message of messages) console.error(`  ${formatMessage(message, pkg, { color: false })}`);
  if (messages.length > 0) process.exitCode = 1;
}
