import { deepEqual, ok } from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
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

/** Reasons that are no condition and no event of ours: an answer of the webhook, a condition of cert-manager's. */
const elsewhere = new Set(["Invalid", "ManuallyTriggered"]);

const reasonShapes: readonly RegExp[] = [
  /(?:warning|normal|tellFailure|warningEvent|#write)\(\s*(?:[\w.#]+,\s*)?"([A-Z]\w+)"/g,
  /\breason(?::|\s=) (?:[^;,\n]*\? )?"([A-Z]\w+)"/g,
  /\breason = [^;\n]*: "([A-Z]\w+)"/g,
  /\b\w*Reason = "([A-Z]\w+)"/g,
  // Failed phases of a Manifest, steps of the deletion of a Kyma.
  /^ {2}manifest_\w+: "([A-Z]\w+)"/gm,
  /\?\? "([A-Z]\w+)"\)/g,
  /^ {6}name: "([A-Z]\w+)",$/gm,
  /\{ name: "([A-Z]\w+)", run/g,
  /#crdStep\("([A-Z]\w+)"/g,
];

function reasonsIn(source: string): readonly string[] {
  return reasonShapes.flatMap((shape) => [...source.matchAll(shape)].map(([, reason = ""]) => reason));
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

  test("names every reason that the controllers write, in conditions and events", () => {
    const written = globSync("controllers/**/*.ts", { cwd: root, exclude: (path) => /\.test\.ts$|stage/.test(path) })
      .flatMap((file) => reasonsIn(readFileSync(join(root, file), "utf8")))
      .filter((reason) => !elsewhere.has(reason));
    ok(written.length > 80, `${written.length}`);
    deepEqual(
      [...new Set(written)].filter((reason) => !guide.includes(`\`${reason}\``)),
      [],
    );
  });

  test("leaves no symptom, cause or action empty", () => {
    const gaps = explained.filter(({ cells }) => cells.length !== 4 || cells.some((cell) => cell === ""));
    deepEqual(gaps, []);
  });
});
