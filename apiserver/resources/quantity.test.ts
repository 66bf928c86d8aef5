import { equal } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import { assert as check, constantFrom, nat, property } from "fast-check";
import { canonicalQuantity, compareQuantities, isQuantity } from "./quantity.ts";

describe("canonicalQuantity", () => {
  const cases: readonly (readonly [unknown, unknown])[] = [
    ["1000m", "1"],
    ["1024Mi", "1Gi"],
    ["1500m", "1500m"],
    ["0.5", "500m"],
    [0.5, "500m"],
    [1000, "1k"],
    ["1.5Gi", "1536Mi"],
    ["0.1Ki", "102400m"],
    ["100", "100"],
    ["0", "0"],
    ["-1000m", "-1"],
    ["1e3", "1e3"],
    ["1E6", "1e6"],
    ["12e-3", "12e-3"],
    ["lots", "lots"],
  ];
  for (const [given, canonical] of cases)
    test(`${String(given)} is ${String(canonical)}`, () => equal(canonicalQuantity(given), canonical));

  test("is idempotent and keeps the amount", () => {
    const suffix = constantFrom("", "m", "k", "M", "Ki", "Mi", "Gi", "n", "u");
    check(
      property(nat(1_000_000), suffix, (number, unit) => {
        const once = canonicalQuantity(`${number}${unit}`);
        equal(canonicalQuantity(once), once);
        equal(compareQuantities(once, `${number}${unit}`), 0);
      }),
    );
  });

  test("refuses other texts", () => {
    for (const text of ["", ".", "1 Gi", "Gi", "1kk", "0x10", "1e9999"]) equal(isQuantity(text), false, text);
  });
});
