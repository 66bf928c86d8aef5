import { deepEqual, equal, throws } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import { assert, property, string } from "fast-check";
import { parseObjects } from "./documents.ts";

const isAppError = (error: unknown): boolean => error instanceof Error && "code" in error;

describe("parseObjects", () => {
  test("takes lists apart and leaves empty documents out (U078)", () => {
    const text =
      "---\n---\nnull\n---\n{}\n---\nkind: List\nitems:\n- {kind: A, metadata: {name: a}}\n- {kind: B, metadata: {name: b}}\n";

    deepEqual(
      parseObjects(text, "x").map(({ kind }) => kind),
      ["A", "B"],
    );
  });

  test("drops repetitions of one object (U078)", () => {
    equal(parseObjects("kind: A\nmetadata: {name: a}\n---\nkind: A\nmetadata: {name: a}\n", "x").length, 1);
  });

  test("takes a list without items for what it is (fault 26)", () => {
    deepEqual(parseObjects("kind: List\nitems: null\n---\nkind: ConfigMapList\nitems: []\n", "x"), []);
  });

  test("says which document is wrong, and never hangs or crashes on any text", () => {
    throws(() => parseObjects("kind: A\n---\nfoo: bar\n", "layer"), {
      message: "layer: document 2 can't be used: kind is missing",
    });
    assert(
      property(string({ maxLength: 200 }), (text) => {
        try {
          parseObjects(text, "x");
        } catch (error) {
          equal(isAppError(error), true, String(error));
        }
      }),
      { numRuns: 300 },
    );
  });
});
