import { deepEqual, equal, throws } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import { Budget } from "./budget.ts";
import { applyOperations } from "./json-patch.ts";
import { mergePatch } from "./merge.ts";

const deployment = (containers: unknown[]): Record<string, unknown> => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  spec: { template: { spec: { containers } } },
});

describe("mergePatch", () => {
  test("puts what a patch adds to a keyed list first", () => {
    const merged = mergePatch(
      deployment([{ name: "a", image: "a:1" }]),
      deployment([{ name: "b" }, { name: "a", tty: true }]),
    );

    deepEqual(merged, deployment([{ name: "b" }, { name: "a", image: "a:1", tty: true }]));
  });

  test("replaces lists of kinds without a schema", () => {
    const thing = (list: unknown[]): Record<string, unknown> => ({ apiVersion: "e/v1", kind: "T", list });

    // As JSON: jest's own realm makes clones differ from literals.
    equal(
      JSON.stringify(mergePatch(thing([{ name: "a" }]), thing([{ name: "b" }]))),
      JSON.stringify(thing([{ name: "b" }])),
    );
  });

  test("deletes the object, or an item, on a directive", () => {
    equal(mergePatch(deployment([]), { $patch: "delete" }), undefined);
    deepEqual(
      mergePatch(deployment([{ name: "a" }, { name: "b" }]), deployment([{ name: "a", $patch: "delete" }])),
      deployment([{ name: "b" }]),
    );
  });

  test("refuses to merge a map into a scalar", () => {
    throws(() => mergePatch({ kind: "T", apiVersion: "e/v1", a: "x" }, { a: { b: 1 } }), {
      code: "KUSTOMIZE_TRANSFORM",
    });
  });
});

describe("applyOperations", () => {
  const run = (
    document: Record<string, unknown>,
    ...operations: { op: string; path: string; value?: unknown; from?: string }[]
  ) => {
    applyOperations(document, operations, new Budget());
    return document;
  };

  test("adds, replaces, moves and removes", () => {
    deepEqual(
      run(
        { list: [1, 2], map: { a: 1 } },
        { op: "add", path: "/list/-", value: 3 },
        { op: "replace", path: "/map/new", value: true },
        { op: "move", from: "/map/a", path: "/moved" },
        { op: "remove", path: "/list/0" },
      ),
      { list: [2, 3], map: { new: true }, moved: 1 },
    );
  });

  test("names the path at fault", () => {
    throws(
      () => run({ a: [] }, { op: "replace", path: "/a/7", value: 1 }),
      /\/a\/7: Unable to access invalid index: 7/,
    );
    throws(() => run({}, { op: "add", path: "/x/y", value: 1 }), /\/x\/y: missing path/);
    throws(() => run({ a: 1 }, { op: "test", path: "/a", value: 2 }), /testing value \/a failed/);
  });
});
