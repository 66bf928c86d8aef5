/**
 * `npm run cases -- [DIR…]`: answers every row of the table files of the folders by the product's functions. Prints
 * each failing row with its difference, the rows that are answered the fixed way, and `N passed, N failed` at last.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { casesDir } from "./cases-dir.ts";
import { judgeRow, type TableFile } from "./tables.ts";

const folders = process.argv.slice(2);
const totals = { passed: 0, failed: 0 };

for (const folder of folders.length > 0 ? folders : [join(casesDir, "cases/kyma")]) {
  for (const name of readdirSync(folder)
    .filter((entry) => entry.endsWith(".json"))
    .sort())
    runFile(folder, name);
}
console.log(`${totals.passed} passed, ${totals.failed} failed`);
process.exitCode = totals.failed === 0 && totals.passed > 0 ? 0 : 1;

function runFile(folder: string, name: string): void {
  const file = JSON.parse(readFileSync(join(folder, name), "utf8")) as TableFile;
  for (const [topic, { rows }] of Object.entries(file.tables)) {
    for (const row of rows) {
      const verdict = judgeSafely(topic, row, file);
      const id = `${name} ${topic} ${row.id}`;
      totals[verdict.kind === "failed" ? "failed" : "passed"] += 1;
      if (verdict.kind === "failed") console.log(`FAIL ${id}: ${verdict.difference}`);
      if (verdict.kind === "fixed") console.log(`fixed ${id} (${verdict.quirk}): ${verdict.reason}`);
    }
  }
}

/** A crash in one row must not hide the others. */
function judgeSafely(...args: Parameters<typeof judgeRow>): ReturnType<typeof judgeRow> {
  try {
    return judgeRow(...args);
  } catch (error) {
    return { kind: "failed", difference: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}
