import { equal } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import { compareVersions, isAtLeast, withoutDowngrade } from "./versions.ts";

describe("E25: lenient versions", () => {
  const ordered = [
    ["1.30.0", "1.31.0"],
    ["1.31.8", "1.31.9"],
    ["1", "2"],
    ["15.5", "15.6"],
    ["v1.31.5", "1.32"],
    ["10.6.2800-118", "10.6.2800-119"],
    ["15.5.20240522+fips", "15.5.20240524+fips"],
    ["2800", "2900"],
    ["1592.9.0", "1592.10.0"],
  ] as const;
  for (const [older, newer] of ordered) {
    test(`${older} is older than ${newer}`, () => {
      equal(compareVersions(older, newer), -1);
      equal(compareVersions(newer, older), 1);
      equal(compareVersions(newer, newer), 0);
    });
  }

  test("what is no version can't be compared", () => {
    for (const text of ["", "abc", "1.2.3.4", "1..2"]) {
      equal(compareVersions(text, "1.0.0"), undefined, text);
      equal(compareVersions("1.0.0", text), undefined, text);
    }
  });

  test("builds of one version are equal", () => {
    equal(compareVersions("1.2.3+a", "1.2.3+b"), 0);
  });
});

describe("withoutDowngrade", () => {
  const cases = [
    { name: "keeps a running version that is newer", wanted: "1.29.0", running: "1.30.0", result: "1.30.0" },
    { name: "takes the wanted version when it is newer", wanted: "1.31", running: "1.30.9", result: "1.31" },
    { name: "takes the wanted version when nothing runs", wanted: "1.31", running: undefined, result: "1.31" },
    {
      name: "takes the wanted version when the running one is unreadable",
      wanted: "1.31",
      running: "?",
      result: "1.31",
    },
  ];
  for (const { name, wanted, running, result } of cases) {
    test(name, () => {
      equal(withoutDowngrade(wanted, running), result);
    });
  }
});

test("isAtLeast compares as versions, not as texts", () => {
  equal(isAtLeast("1.9.0", "1.32"), false);
  equal(isAtLeast("1.32", "1.32"), true);
  equal(isAtLeast("?", "1.32"), false);
});
