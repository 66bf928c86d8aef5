import { deepEqual, ok } from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "@jest/globals";

const root = join(import.meta.dirname, "..");
const page = readFileSync(join(root, "docs/guides/threat-model.md"), "utf8");
const rows = page
  .split("## ")
  .filter((section) => section.includes("| Threat |"))
  .flatMap((section) => section.split("\n").filter((line) => line.startsWith("| ")))
  .filter((line) => !line.startsWith("| Threat |"))
  .map((line) => line.slice(2, -2).split(" | "));

describe("the threat model", () => {
  test("names the tests that hold each line, and they exist", () => {
    ok(rows.length > 25, `${rows.length}`);
    const faults = rows.flatMap(([threat = "", ...cells]) => {
      const tests = [...(cells.at(-1) ?? "").matchAll(/`([^`]+\.test\.ts)`/g)].map(([, path = ""]) => path);
      if (tests.length === 0) return [`${threat}: no test`];
      return tests.filter((path) => !existsSync(join(root, path))).map((path) => `${threat}: ${path} does not exist`);
    });
    deepEqual(faults, []);
  });
});
