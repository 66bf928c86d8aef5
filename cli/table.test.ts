import { equal } from "node:assert/strict";
import { test } from "@jest/globals";
import { formatAge, formatTable } from "./table.ts";

test("columns are as wide as their widest cell and lines end without blanks", () => {
  equal(
    formatTable(
      ["KIND", "NAME"],
      [
        ["Kyma", "a"],
        ["Manifest", ""],
      ],
    ),
    "KIND       NAME\nKyma       a\nManifest\n",
  );
});

const ages: readonly [number, string][] = [
  [0, "0s"],
  [119, "119s"],
  [200, "3m20s"],
  [180, "3m"],
  [3_600, "60m"],
  [5 * 3_600, "5h"],
  [12 * 86_400, "12d"],
];
for (const [seconds, text] of ages) test(`${seconds} seconds are ${text}`, () => equal(formatAge(seconds), text));
