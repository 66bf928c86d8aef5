import { deepEqual, equal } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import * as fc from "fast-check";
import { jsonEqual, mergePatchBetween } from "./merge-patch.ts";

/** RFC 7386, section 2. */
function apply(target: unknown, patch: unknown): unknown {
  if (typeof patch !== "object" || patch === null || Array.isArray(patch)) return patch;
  const result: Record<string, unknown> =
    typeof target === "object" && target !== null && !Array.isArray(target) ? { ...target } : {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete result[name];
    else result[name] = apply(result[name], value);
  }
  return result;
}

describe("mergePatchBetween", () => {
  const cases = [
    { name: "nothing for equal values", before: { a: [1, { b: 2 }] }, after: { a: [1, { b: 2 }] }, patch: undefined },
    {
      name: "only what changed",
      before: { a: 1, b: { c: 2, d: 3 } },
      after: { a: 1, b: { c: 4, d: 3 } },
      patch: { b: { c: 4 } },
    },
    { name: "null for what is gone", before: { a: 1, b: 2 }, after: { a: 1 }, patch: { b: null } },
    { name: "a field set to undefined is gone", before: { a: 1 }, after: { a: undefined }, patch: { a: null } },
    { name: "lists as a whole", before: { a: [1, 2] }, after: { a: [1, 3] }, patch: { a: [1, 3] } },
    { name: "a new object", before: {}, after: { a: { b: 1 } }, patch: { a: { b: 1 } } },
    { name: "an object in the place of a list", before: { a: [1] }, after: { a: { b: 1 } }, patch: { a: { b: 1 } } },
  ];
  for (const { name, before, after, patch } of cases) {
    test(name, () => deepEqual(mergePatchBetween(before, after), patch));
  }

  test("applied to what was there, it gives what is wanted", () => {
    const value = fc.letrec((tie) => ({
      leaf: fc.oneof(fc.integer(), fc.string(), fc.boolean()),
      list: fc.array(tie("leaf"), { maxLength: 3 }),
      object: fc.dictionary(fc.constantFrom("a", "b", "c"), tie("node"), { maxKeys: 3, noNullPrototype: true }),
      node: fc.oneof({ depthSize: "small" }, tie("leaf"), tie("list"), tie("object")),
    })).object;
    fc.assert(
      fc.property(value, value, (before, after) => {
        const patch = mergePatchBetween(before, after);
        equal(patch === undefined, jsonEqual(before, after));
        deepEqual({ ...(apply(before, patch ?? {}) as object) }, { ...after });
      }),
      { numRuns: 500 },
    );
  });
});
