import { equal } from "node:assert/strict";
import { test } from "@jest/globals";
import * as fc from "fast-check";
import { compareVersions } from "./resource-versions.ts";

test("decimal versions of any length compare as numbers", () => {
  const version = fc.bigInt({ min: 1n, max: 2n ** 80n });
  fc.assert(
    fc.property(version, version, (a, b) => {
      equal(Math.sign(compareVersions(String(a), String(b)) ?? Number.NaN), a === b ? 0 : a < b ? -1 : 1);
    }),
  );
});

test("anything else is only ever equal to itself", () => {
  equal(compareVersions("abc", "abc"), 0);
  for (const odd of ["", "abc", "0", "01", "1.5", "-3", "1e3"]) equal(compareVersions(odd, "7"), undefined);
});
