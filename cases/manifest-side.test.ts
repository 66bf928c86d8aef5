import { deepEqual } from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "@jest/globals";
import { casesDir } from "./cases-dir.ts";
import { fixedRows, manifestTables } from "./manifest-tables.ts";

interface Row {
  readonly id: string;
  readonly in: never;
  readonly out: unknown;
}

const file = join(casesDir, "cases/kyma/manifest-side.json");
const { tables } = JSON.parse(readFileSync(file, "utf8")) as { tables: Record<string, { rows: Row[] }> };

/** Masks what a row does not fix: free texts, and the details of an invalid image reference. */
function masked(expected: unknown, found: unknown): unknown {
  if (typeof expected === "string" && typeof found === "string") return maskedText(expected, found);
  if (Array.isArray(expected) && Array.isArray(found)) return found.map((item, index) => masked(expected[index], item));
  if (isObject(expected) && isObject(found)) {
    const entries = Object.entries(found).map(([key, value]) => [key, masked(expected[key], value)] as const);
    return Object.fromEntries(entries.filter(([key, value]) => key in expected || !isNothing(value)));
  }
  return found;
}

function maskedText(expected: string, found: string): string {
  if (expected === "<free text>" && found !== "") return expected;
  const fixed = expected.slice(0, expected.lastIndexOf(imagePrefix));
  return expected.includes(imagePrefix) && found.startsWith(fixed) ? expected : found;
}

/** Rows of the acceptance list that a table holds. */
const acceptance: Readonly<Record<string, string>> = {
  "deployment-state": "(U066, M8)",
  "manager-state": "(U067, U068)",
  transforms: "(U079, U082, U083, U085, U086, M14)",
  "image-reference": "(U087)",
  synced: "(U061, U065, M15)",
  "operator-related": "(U063, M10)",
  "manifest-status": "(M13)",
  errors: "(U091)",
};

const imagePrefix = "invalid docker image reference: ";
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isNothing = (value: unknown): boolean =>
  value === undefined || value === null || JSON.stringify(value) === "{}" || JSON.stringify(value) === "[]";

for (const [name, { rows }] of Object.entries(tables)) {
  describe(`manifest side: ${name} ${acceptance[name] ?? ""}`, () => {
    for (const row of rows) {
      const fix = fixedRows[`${name}/${row.id}`];
      if (fix === undefined) {
        test(`row ${row.id} is answered as recorded`, () => {
          deepEqual(masked(row.out, manifestTables[name]?.(row.in)), row.out);
        });
      } else {
        test(`row ${row.id} is answered the fixed way (${fix})`, () => {
          const found = masked(row.out, manifestTables[name]?.(row.in));
          deepEqual(JSON.stringify(found) === JSON.stringify(row.out), false, "the recorded fault is still there");
        });
      }
    }
  });
}
