import { deepEqual, ok } from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "@jest/globals";
import { gardenerClusterReasons, kubeconfigCondition, runtimeReasons } from "../apis/infrastructure/index.ts";
import { conditionPages } from "./pages/conditions.ts";

const root = join(import.meta.dirname, "..");
const guide = readFileSync(join(root, "docs/guides/troubleshooting.md"), "utf8");

interface Row {
  readonly section: string;
  readonly cells: readonly string[];
}

/** Rows of all tables, with the heading above them. */
function rowsOf(markdown: string): readonly Row[] {
  let section = "";
  return markdown.split("\n").flatMap((line) => {
    section = /^## (.*)$/.exec(line)?.[1] ?? section;
    if (!line.startsWith("| ")) return [];
    return [
      {
        section,
        cells: line
          .split("|")
          .slice(1, -1)
          .map((cell) => cell.trim()),
      },
    ];
  });
}

const explained = rowsOf(guide).filter(({ cells: [, where = ""] }) => /^`.*→|^any →/.test(where));
const inSection = (name: string): readonly string[] =>
  explained.filter(({ section }) => section === name).map(({ cells: [, where = ""] }) => where.replaceAll("`", ""));

/** Conditions with reasons of Kymas, Manifests and Watchers, as the reference page has them from the sources. */
async function pairsOf(heading: string): Promise<readonly string[]> {
  const page = (await conditionPages[0]?.text()) ?? "";
  const rows = rowsOf(page).filter(({ section, cells: [type = ""] }) => section === heading && type.startsWith("`"));
  const hasReason = rows.some(({ cells }) => cells.length === 5);
  const pair = ({ cells: [type, , reason] }: Row): string => `${type} → ${hasReason ? reason : "Ready"}`;
  return [...new Set(rows.map(pair))].map((text) => text.replaceAll("`", "")).toSorted();
}

describe("the troubleshooting guide", () => {
  test("has a row for every reason of a Runtime, and none that does not exist", () => {
    const reasons = inSection("Runtime").map((where) => where.slice(where.indexOf(" → ") + 3));
    deepEqual(reasons.toSorted(), [...runtimeReasons].toSorted());
  });

  test("has a row for every reason of a GardenerCluster", () => {
    const expected = Object.values(gardenerClusterReasons).map((reason) => `${kubeconfigCondition} → ${reason}`);
    deepEqual(inSection("GardenerCluster").toSorted(), expected.toSorted());
  });

  for (const [section, heading] of [
    ["Kyma", "Conditions of a Kyma"],
    ["Manifest", "Conditions of a Manifest"],
    ["Watcher", "Condition of a Watcher"],
  ] as const) {
    test(`has a row for every condition and reason of a ${section}`, async () => {
      const expected = await pairsOf(heading);
      ok(expected.length > 0);
      deepEqual(inSection(section).toSorted(), expected);
    });
  }

  test("leaves no symptom, cause or action empty", () => {
    const gaps = explained.filter(({ cells }) => cells.length !== 4 || cells.some((cell) => cell === ""));
    deepEqual(gaps, []);
  });
});
