/**
 * Sets a new version in all files that hold one, moves the section of the changelog, commits and tags.
 * `node hack/release.ts 1.4.0` only shows what would change; `--apply` does it. Nothing is pushed or published.
 */
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Edit, planRelease } from "./release-plan.ts";

const root = join(import.meta.dirname, "..");

function textOf(error: unknown): string {
  return (error as Error).message;
}

function git(...args: readonly string[]): string {
  return execFileSync("git", args, { cwd: root, encoding: "utf8" }).trim();
}

function refuseUnlessReady(tag: string): void {
  if (git("status", "--porcelain", "--untracked-files=all") !== "") {
    throw new Error(
      "the work tree has changes, perhaps of a release that was interrupted: commit or restore them first",
    );
  }
  if (git("tag", "--list", tag) !== "") throw new Error(`tag ${tag} exists: a release is never made twice`);
}

/** Goes on from a run that ended between commit and tag. */
function apply(plan: () => readonly Edit[], tag: string): void {
  refuseUnlessReady(tag);
  const subject = `chore: release ${tag}`;
  if (git("log", "-1", "--format=%s") !== subject) commit(plan(), subject);
  git("tag", "--annotate", tag, "--message", tag);
}

/** Commits the edits and the documents that follow from them, or leaves the work tree as it was. */
function commit(edits: readonly Edit[], subject: string): void {
  try {
    for (const { path, text } of edits) writeFileSync(join(root, path), text);
    execFileSync("npm", ["run", "--silent", "docs"], { cwd: root, stdio: "inherit" });
    git("add", "--all"); // a release may bring new pages
    git("commit", "--quiet", "--message", subject);
  } catch (error) {
    restore(error);
    throw error;
  }
}

/** The work tree had no changes and no new files before; ignored files stay. */
function restore(reason: unknown): void {
  try {
    git("restore", "--staged", "--worktree", ".");
    git("clean", "--force", "-d", "--quiet");
  } catch (error) {
    throw new Error(`${textOf(reason)}\nand the work tree is not as it was: ${textOf(error)}`, { cause: error });
  }
}

function main(): void {
  const { values, positionals } = parseArgs({ allowPositionals: true, options: { apply: { type: "boolean" } } });
  const [version = ""] = positionals;
  const tag = `v${version}`;
  const plan = () => planRelease(root, { version, date: new Date().toISOString().slice(0, 10) });
  if (values.apply === true) apply(plan, tag);
  else for (const { path } of plan()) console.log(`would change ${path}`);
  console.log(
    values.apply === true
      ? `${tag} is committed and tagged. Next:
  git push --follow-tags
  VERSION=${version} docker buildx bake --push release
  make packages && for folder in dist/npm/*/; do npm publish "$folder"; done`
      : `nothing is changed; make release VERSION=${version} APPLY=1 does it`,
  );
}

try {
  main();
} catch (error) {
  console.error(`release: ${textOf(error)}`);
  process.exitCode = 1;
}
