import { deepEqual, throws } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import { isAppError } from "@kyma-operators/errors";
import { parseImage } from "./image.ts";
import { parseModuleList } from "./module-list.ts";
import { parseModuleFlag } from "./wanted-modules.ts";

function problemsOf(text: string): readonly string[] {
  try {
    parseModuleList(text, "list.yaml");
    return [];
  } catch (error) {
    if (!isAppError(error) || error.code !== "DEPLOY_FILE_INVALID") throw error;
    return (error.detail as { problems: readonly string[] }).problems;
  }
}

const head = "apiVersion: cli.kyma-project.io/v1alpha1\nkind: ModuleList\n";

describe("a module list", () => {
  test("is read with its defaults", () => {
    const list = parseModuleList(`${head}modules:\n- name: alpha\n`, "list.yaml");
    deepEqual(list.modules, [{ name: "alpha", resources: [] }]);
  });

  test("says everything that is wrong with line and field", () => {
    const text = `${head}channel: Regular\nmodules:\n- name: alpha\n  chanel: fast\n- name: bravo\n  customResourcePolicy: Never\n- channel: fast\n`;
    deepEqual(problemsOf(text), [
      "line 3: channel: expected 3 to 32 lower-case letters",
      "line 6: modules[0].chanel: unknown field",
      "line 8: modules[1].customResourcePolicy: expected CreateAndDelete or Ignore",
      "line 9: modules[2].name: expected a text",
    ]);
  });

  test("refuses a module that is listed twice, another kind, and a resource that is no object", () => {
    deepEqual(problemsOf(`${head}modules:\n- name: a\n- name: a\n`), ["line 5: modules[1].name: a is listed twice"]);
    deepEqual(problemsOf("apiVersion: v1\nkind: List\n").length, 2);
    deepEqual(problemsOf(`${head}modules:\n- name: a\n  resources:\n  - kind: X\n`), [
      "line 6: modules[0].resources[0]: expected an object, or file: PATH",
    ]);
  });
});

test("a module flag has a channel, a version or neither", () => {
  deepEqual(parseModuleFlag("a"), { name: "a" });
  deepEqual(parseModuleFlag("a@fast"), { name: "a", channel: "fast" });
  deepEqual(parseModuleFlag("a@v1.2.3"), { name: "a", version: "1.2.3" });
  for (const wrong of ["", "@fast", "a@", "a@b@c"]) throws(() => parseModuleFlag(wrong), /expected NAME/);
});

test("an image is taken apart at the tag, never at a port", () => {
  deepEqual(parseImage("host:5000/name"), { newName: "host:5000/name" });
  deepEqual(parseImage("host:5000/name:1.2"), { newName: "host:5000/name", newTag: "1.2" });
  deepEqual(parseImage("name@sha256:ab"), { newName: "name", digest: "sha256:ab" });
  deepEqual(parseImage("name:1@sha256:ab"), { newName: "name", digest: "sha256:ab" });
});
