import { deepEqual } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import { assert, property, string } from "fast-check";
import { formatImageReference, imageReferenceIn, parseImageReference } from "./image-reference.ts";

describe("image references", () => {
  test("print what they parse (U087)", () => {
    for (const text of ["nginx", "localhost:5000/a:b", "r.example.org/a/b.c@sha256:" + "a".repeat(64)]) {
      const printed = formatImageReference(parseImageReference(text));
      deepEqual(parseImageReference(printed), parseImageReference(text));
    }
  });

  test("plain words may be images, sentences and URLs are not (U088)", () => {
    deepEqual(
      ["nginx", "localhost/a", "use it", "https://example.org/a", ""].map(
        (text) => imageReferenceIn(text) !== undefined,
      ),
      [true, true, false, false, false],
    );
  });

  test("any text is parsed or refused in time", () => {
    assert(
      property(string({ maxLength: 400 }), (text) => void imageReferenceIn(text)),
      { numRuns: 500 },
    );
  });
});
