import { equal } from "node:assert/strict";
import { test } from "@jest/globals";
import { canonicalJson, digestOf } from "./digest.ts";

test("digests do not depend on the order of keys", () => {
  equal(digestOf({ a: 1, b: [{ c: 2, d: 3 }] }), digestOf({ b: [{ d: 3, c: 2 }], a: 1 }));
  equal(canonicalJson({ b: undefined, a: null }), '{"a":null}');
});
