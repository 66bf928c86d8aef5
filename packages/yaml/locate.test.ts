import { deepEqual, equal } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import { locateYaml, type YamlPath } from "./locate.ts";

const text = `# a comment
a:
- b: 1
  c:
  - d
  - "e"
- {b: 2, c: {x: 1}}
f: &anchor
  g: h
i: *anchor
`;

const lineOf = (path: YamlPath): number | undefined => locateYaml(text)(path)?.line;

describe("where entries stand", () => {
  test("keys, items and what is in flow style", () => {
    equal(lineOf(["a"]), 2);
    equal(lineOf(["a", 0]), 3);
    equal(lineOf(["a", 0, "c", 1]), 6);
    deepEqual(locateYaml(text)(["a", 1, "c", "x"]), { line: 7, column: 14 });
    equal(lineOf(["f", "g"]), 9);
    equal(lineOf(["i"]), 10);
  });

  test("an entry that is missing is found at its nearest parent", () => {
    equal(lineOf(["a", 1, "missing"]), 7);
    equal(lineOf(["a", 0, "c", 9]), 4);
    equal(lineOf(["nothing"]), undefined);
    equal(locateYaml("a: [")(["b"]), undefined);
  });
});
