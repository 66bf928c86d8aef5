import { deepEqual, equal, throws } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import { parseKustomizationSource } from "./kustomization-source.ts";

const parse = (text: string, ...folders: readonly string[]) =>
  parseKustomizationSource(text, (path) => folders.includes(path));

describe("where a kustomization is", () => {
  test("#22 #23 a repository has a name, and the ref main unless another is given", () => {
    const url = "https://git.example.org/team/setup";
    deepEqual(parse(`${url}/config/default`), {
      kind: "repository",
      name: "setup",
      url,
      folder: "config/default",
      ref: "main",
    });
    deepEqual(parse(`${url}.git@v1.2.3`), { kind: "repository", name: "setup", url, folder: "", ref: "v1.2.3" });
  });

  test("#24 #25 two refs, and an address without a repository, are refused", () => {
    throws(() => parse("https://git.example.org/team/setup@a@b"), /expected URL or URL@REF/);
    throws(() => parse("https://git.example.org/team@b"), /expected https:\/\/HOST\/OWNER\/REPOSITORY/);
    throws(() => parse("https://git.example.org/team/setup@"), /expected URL or URL@REF/);
  });

  test("#26 a folder of this machine is one, whatever is in its name", () => {
    equal(parse("./config/default", "./config/default").kind, "folder");
    deepEqual(parse("./a@b", "./a@b"), { kind: "folder", name: "a@b", path: "./a@b" });
    throws(() => parse("./gone"), /--kustomization \.\/gone: no such folder/);
  });
});
