import { deepEqual, equal, rejects } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import type { Files } from "../../io.ts";
import { fakeIo } from "../../testing.ts";
import { normalizeRemote, readGitSource } from "./git.ts";

const commit = "7935a702bf6b8173ada39564f8b874bb66b17ce0";
const origin = '[remote "origin"]\n\turl = https://example.org/team/demo.git\n\tfetch = +refs/heads/*\n';

/** A folder tree of the given files. */
function treeIo(content: Readonly<Record<string, string>>) {
  const isFolder = (path: string): boolean => Object.keys(content).some((file) => file.startsWith(`${path}/`));
  const files = {
    readText: async (path: string) => content[path] ?? "",
    kind: async (path: string) => (path in content ? "file" : isFolder(path) ? "directory" : undefined),
  };
  return fakeIo({ files: files as unknown as Files });
}

const read = (content: Readonly<Record<string, string>>, folder = "/src/demo") =>
  readGitSource(treeIo(content), folder, "origin");

describe("the source of a module", () => {
  const base = { "/src/.git/config": origin, "/src/.git/HEAD": "ref: refs/heads/main\n" };

  test("is HEAD of the repository around the folder, loose or packed", async () => {
    const wanted = { repoUrl: "https://example.org/team/demo", commit, ref: "refs/heads/main" };
    deepEqual(await read({ ...base, "/src/.git/refs/heads/main": `${commit}\n` }), wanted);
    const packed = `# pack-refs with: peeled\n${"0".repeat(40)} refs/heads/next\n${commit} refs/heads/main\n`;
    deepEqual(await read({ ...base, "/src/.git/packed-refs": packed }), wanted);
  });

  test("is the commit itself without a branch, and the shared repository of a work tree", async () => {
    deepEqual((await read({ ...base, "/src/.git/HEAD": `${commit}\n` }))?.ref, "HEAD");
    const tree = {
      "/tree/.git": "gitdir: /src/.git/worktrees/tree\n",
      "/src/.git/worktrees/tree/HEAD": "ref: refs/heads/next\n",
      "/src/.git/worktrees/tree/commondir": "../..\n",
      "/src/.git/refs/heads/next": `${commit}\n`,
      "/src/.git/config": origin,
    };
    equal((await read(tree, "/tree"))?.commit, commit);
  });

  test("is unknown outside a repository", async () => equal(await read({ "/src/a.txt": "" }), undefined));

  test("#46 a repository without commit, or without that remote, is named", async () => {
    await rejects(read(base), /\/src: HEAD leads to no commit/);
    const lonely = { ...base, "/src/.git/refs/heads/main": commit, "/src/.git/config": "[core]\n\tbare = false\n" };
    await rejects(read(lonely), /there is no remote origin: name another with --git-remote/);
    const local = { ...lonely, "/src/.git/config": '[remote "origin"]\n\turl = ../demo\n' };
    await rejects(read(local), /remote origin is no address of a repository/);
  });
});

test("#46 every way to write a remote gives one https address, without credentials", () => {
  const wanted = "https://example.org/team/demo";
  for (const address of [
    "https://example.org/team/demo.git",
    "https://user:token@example.org/team/demo",
    "ssh://git@example.org/team/demo.git",
    "ssh://git@example.org:22/team/demo.git",
    "git@example.org:team/demo.git",
    "git://example.org/team/demo.git/",
  ]) {
    equal(normalizeRemote(address), wanted, address);
  }
  for (const address of ["", "../demo", "/srv/demo.git", "https://", "file:///srv/demo", "no address"]) {
    equal(normalizeRemote(address), undefined, address);
  }
});
