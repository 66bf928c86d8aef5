import { fail } from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "@jest/globals";
import { casesDir } from "./cases-dir.ts";
import { judgeRow, type TableFile } from "./tables.ts";

const folder = join(casesDir, "cases/kyma");

for (const name of readdirSync(folder).filter((entry) => entry.endsWith(".json"))) {
  const file = JSON.parse(readFileSync(join(folder, name), "utf8")) as TableFile;
  for (const [topic, { rows }] of Object.entries(file.tables)) {
    describe(`${name}: ${topic}`, () => {
      for (const row of rows) {
        test(`row ${row.id} is answered as recorded, or the fixed way`, () => {
          const verdict = judgeRow(topic, row, file);
          if (verdict.kind === "failed") fail(verdict.difference);
        });
      }
    });
  }
}
