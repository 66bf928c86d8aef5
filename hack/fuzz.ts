/** `fuzz.ts [TEXT] [ARGS…]`: runs every `fuzz-*.ts` beside it, or those whose name holds TEXT; the rest goes to them. */
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";

const [first = "", ...others] = process.argv.slice(2);
const wanted = first.startsWith("--") ? "" : first;
const passed = first.startsWith("--") ? [first, ...others] : others;

const programs = readdirSync(import.meta.dirname).filter(
  (name) => /^fuzz-[a-z-]+\.ts$/.test(name) && name.includes(wanted),
);
if (programs.length === 0) throw new Error(`no fuzz-*.ts holds ${JSON.stringify(wanted)} in its name`);

for (const program of programs) {
  console.log(`== ${program}`);
  const { status } = spawnSync(
    process.execPath,
    ["--conditions=source", join(import.meta.dirname, program), ...passed],
    { stdio: "inherit" },
  );
  if (status !== 0) process.exitCode = 1;
}
