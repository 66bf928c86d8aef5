import { deepEqual, equal, match } from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, test } from "@jest/globals";

const hack = import.meta.dirname;
const identity = { NAME: "tester", EMAIL: "tester@example.org" };
/** Of a git that runs these tests, for example in a hook, nothing is taken over. */
const outer = Object.entries(process.env).filter(([name]) => !name.startsWith("GIT_"));
const env = {
  ...Object.fromEntries(outer),
  GIT_CONFIG_GLOBAL: "/dev/null",
  ...Object.fromEntries(
    Object.entries(identity).flatMap(([key, value]) =>
      ["AUTHOR", "COMMITTER"].map((who) => [`GIT_${who}_${key}`, value]),
    ),
  ),
};

/** A small project with the scripts of this one. */
let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "release-"));
  mkdirSync(join(root, "hack"));
  for (const name of ["release.ts", "release-plan.ts"]) cpSync(join(hack, name), join(root, "hack", name));
  symlinkSync(join(hack, "../node_modules"), join(root, "node_modules"));
  write(".gitignore", "node_modules\n");
  write("CHANGELOG.md", "# Changelog\n\n## Unreleased\n\n- a\n");
  write("docs.md", "1.0.0\n");
  writePackage("node -p \"require('./package.json').version\" > docs.md");
  git("init", "--quiet");
  commitAll("feat: begin");
});
afterEach(() => rmSync(root, { recursive: true }));

function write(name: string, text: string): void {
  writeFileSync(join(root, name), text);
}

function writePackage(docs: string): void {
  write("package.json", JSON.stringify({ type: "module", version: "1.0.0", scripts: { docs } }, undefined, 2));
}

function git(...args: readonly string[]): string {
  return execFileSync("git", args, { cwd: root, encoding: "utf8", env }).trim();
}

function commitAll(message: string): void {
  git("add", "--all");
  git("commit", "--quiet", "--message", message);
}

function release(version: string): { readonly status: number | null; readonly stderr: string } {
  return spawnSync(process.execPath, [join(root, "hack/release.ts"), version, "--apply"], {
    cwd: root,
    encoding: "utf8",
    env,
  });
}

const subjects = () => git("log", "--format=%s").split("\n");

describe("a release", () => {
  test("is one commit with its tag", () => {
    equal(release("1.1.0").status, 0);
    deepEqual(subjects(), ["chore: release v1.1.0", "feat: begin"]);
    equal(git("describe"), "v1.1.0");
    equal(readFileSync(join(root, "docs.md"), "utf8"), "1.1.0\n");
  });

  test("that ended between commit and tag is tagged by the next run", () => {
    equal(release("1.1.0").status, 0);
    git("tag", "--delete", "v1.1.0");
    equal(release("1.1.0").status, 0);
    deepEqual(subjects(), ["chore: release v1.1.0", "feat: begin"]);
    equal(git("describe"), "v1.1.0");
    match(release("1.1.0").stderr, /tag v1\.1\.0 exists/);
  });

  test("takes along the documents that it brings", () => {
    writePackage("mkdir pages; echo new > pages/new.md");
    commitAll("feat: bring a page");
    equal(release("1.1.0").status, 0);
    deepEqual([git("status", "--porcelain"), git("show", "HEAD:pages/new.md")], ["", "new"]);
  });

  test("that can't put everything back says so, and why it failed", () => {
    writePackage("touch .git/index.lock; exit 1");
    commitAll("feat: break the documents for good");
    const { status, stderr } = release("1.1.0");
    equal(status, 1);
    match(
      stderr,
      /release: Command failed: npm run --silent docs[^]*and the work tree is not as it was: .*git restore/,
    );
  });

  test("whose documents fail leaves everything as it was", () => {
    writePackage("echo broken > docs.md; mkdir pages; echo new > pages/new.md; exit 1");
    commitAll("feat: break the documents");
    const { status, stderr } = release("1.1.0");
    equal(status, 1);
    match(stderr, /release: Command failed: npm run --silent docs/);
    deepEqual([git("status", "--porcelain"), git("tag", "--list")], ["", ""]);
    equal(subjects()[0], "feat: break the documents");
  });

  test("is refused where something is not committed", () => {
    write("docs.md", "mine\n");
    match(release("1.1.0").stderr, /the work tree has changes, perhaps of a release that was interrupted/);
    equal(readFileSync(join(root, "docs.md"), "utf8"), "mine\n");
  });
});
