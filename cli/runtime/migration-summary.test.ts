import { equal } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import type { MigrationResult } from "./migration.ts";
import { migrationSummary } from "./migration-summary.ts";

const succeeded = (runtimeId: string): MigrationResult => ({ runtimeId, shootName: "s", status: "Success" });
const failed = (runtimeId: string): MigrationResult => ({
  runtimeId,
  shootName: "",
  status: "Error",
  errorMessage: "no Shoot carries this runtime id",
});

describe("the summary of a migration", () => {
  test("names what did not succeed, and where to look", () => {
    const differs: MigrationResult = {
      runtimeId: "c",
      shootName: "s",
      status: "ValidationDetectedUnwantedUpdate",
      comparisonResultDirPath: "out/c",
    };
    equal(
      migrationSummary([succeeded("a"), failed("b"), differs], { folder: "out", isDryRun: false }),
      "out: 1 succeeded, 1 failed, 1 differ\n  b: no Shoot carries this runtime id\n  c: ValidationDetectedUnwantedUpdate: see out/c\n",
    );
  });

  test("stays short when much went wrong", () => {
    const lines = migrationSummary(
      Array.from({ length: 15 }, (_, index) => failed(String(index))),
      { folder: "out", isDryRun: false },
    ).split("\n");
    equal(lines.length, 13);
    equal(lines[11], "  and 5 more: see out/migration-results.json");
  });

  test("says that a dry run wrote nothing", () => {
    equal(
      migrationSummary([succeeded("a")], { folder: "out", isDryRun: true }),
      "out: 1 succeeded, 0 failed, 0 differ\nno Runtime was written: that takes --dry-run=false\n",
    );
  });
});
