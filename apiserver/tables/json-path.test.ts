import { deepEqual, equal } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import { compileJsonPath } from "./json-path.ts";

const object = {
  metadata: { name: "a", labels: { "kyma-project.io/runtime-id": "demo" } },
  status: {
    conditions: [
      { type: "Ready", status: "True" },
      { type: "Other", status: "False" },
    ],
  },
  items: [{ name: "x" }, { name: "y" }],
};

describe("a printer column's path", () => {
  const cases: readonly [string, readonly unknown[]][] = [
    [".metadata.name", ["a"]],
    ["{.metadata.name}", ["a"]],
    [".metadata.labels.kyma-project\\.io/runtime-id", ["demo"]],
    [".metadata.labels['kyma-project\\.io/runtime-id']", ["demo"]],
    ['.status.conditions[?(@.type=="Ready")].status', ["True"]],
    [".items[*].name", ["x", "y"]],
    [".items.*.name", ["x", "y"]],
    [".items[1].name", ["y"]],
    [".metadata.absent", []],
  ];
  for (const [path, found] of cases) test(path, () => deepEqual(compileJsonPath(path)?.(object), found));

  test("is refused when it is none", () => equal(compileJsonPath(".a["), undefined));
});
