import { deepEqual, equal, match, ok } from "node:assert/strict";
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, test } from "@jest/globals";
import { commands } from "./commands.ts";
import { runCli } from "./run.ts";
import { fakeIo } from "./testing.ts";

async function script(shell: string): Promise<string> {
  const io = fakeIo();
  equal(await runCli(["completion", shell], io), 0);
  return io.out();
}

/** What real bash offers for the last of these words. */
async function offered(words: readonly string[]): Promise<readonly string[]> {
  const line = words.map((word) => `'${word}'`).join(" ");
  const ask = `COMP_WORDS=(kyma ${line}); COMP_CWORD=${words.length}; _kyma; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout } = await promisify(execFile)("bash", ["-c", `${await script("bash")}\n${ask}`]);
  return stdout.split("\n").filter((word) => word !== "");
}

describe("kyma completion", () => {
  test("bash offers commands, sub-commands, flags and choices", async () => {
    deepEqual(
      await offered([""]),
      commands.map(({ name }) => name),
    );
    deepEqual(await offered(["module", "en"]), ["enable"]);
    deepEqual(await offered(["deploy", "--module", "alpha", "--dry"]), ["--dry-run"]);
    deepEqual(await offered(["completion", "z"]), ["zsh"]);
    deepEqual(await offered(["deploy", "--profile", "e"]), ["evaluation"]);
    deepEqual(await offered(["deploy", "--profile", "evaluation", "--dry"]), ["--dry-run"]);
    deepEqual(await offered(["module", "list", "-o", ""]), ["text", "wide", "name", "json", "yaml"]);
  });

  test("bash offers its files where a flag or an argument takes one, and flags there after a dash", async () => {
    for (const words of [
      ["deploy", "--file", ""],
      ["deploy", "-f", ""],
      ["module", "list", "--kubeconfig", ""],
      ["kustomize", ""],
    ]) {
      deepEqual(await offered(words), [], words.join(" "));
    }
    deepEqual(await offered(["kustomize", "--o"]), ["--output"]);
    deepEqual(await offered(["kustomize", "folder", "-o", "j"]), ["json"]);
    match(await script("bash"), /\ncomplete -o default -F _kyma kyma\n$/);
    match(await script("fish"), /= "deploy"' -l file -r\n/);
  });

  test("zsh and fish get scripts that know every command", async () => {
    match(await script("zsh"), /^autoload -U \+X compinit/);
    const fish = await script("fish");
    for (const { name } of commands) ok(fish.includes(`"${name}"`), name);
  });

  test("another shell is a usage error", async () => {
    equal(await runCli(["completion", "tcsh"], fakeIo()), 4);
  });
});
