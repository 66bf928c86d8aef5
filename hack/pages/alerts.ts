import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseYamlDocuments } from "@kyma-operators/yaml";
import type { Page } from "./page.ts";

const root = join(import.meta.dirname, "../..");
const folder = "config/prometheus";
const width = 110;

/** What the runbooks say under the name of each alert, as plain text: whoever gets an alert may not have this project. */
export function runbookTexts(markdown: string): ReadonlyMap<string, string> {
  const sections = markdown.split(/^## /m).slice(1);
  return new Map(
    sections.map((section): [string, string] => {
      const [title = "", ...lines] = section.split("\n");
      return [title, plainText(lines.join(" "))];
    }),
  );
}

function plainText(markdown: string): string {
  return markdown
    .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/\*([^*\s][^*]*)\*/g, "$1")
    .replaceAll("`k ", "`kubectl -n kcp-system ")
    .replaceAll(/\s+/g, " ")
    .trim();
}

/** Lines no longer than the width; words are not broken. */
function wrapped(text: string): readonly string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && line.length + 1 + word.length > width) {
      lines.push(line);
      line = "";
    }
    line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

const rule =
  /^( *- alert: (\w+)\n(?:(?! *- alert:).*\n)*? *summary: [^>|\n].*\n)( *description: >-\n(?: {10}.*\n)+)?/gm;

/**
 * Rules with the text of their runbook as `description`; everything else stays as it was written. Throws for a rule
 * without a runbook, and for one that is written in another way than all of them.
 */
export function described(rules: string, runbooks: ReadonlyMap<string, string>): string {
  const text = rules.replaceAll(rule, (_all, before: string, alert: string) => {
    const text = runbooks.get(alert);
    if (text === undefined) throw new Error(`docs/guides/runbooks.md has no section ${alert}`);
    const lines = wrapped(text).map((line) => `          ${line}\n`);
    return `${before}        description: >-\n${lines.join("")}`;
  });
  for (const { alert, annotations } of alertsIn(parseYamlDocuments(text))) {
    const wanted = runbooks.get(alert);
    if (wanted !== undefined && annotations?.description === wanted) continue;
    throw new Error(`alert ${alert} has not got its description: write its summary on one line, right before it`);
  }
  return text;
}

interface Alert {
  readonly alert: string;
  readonly annotations?: { readonly description?: string };
}

/** Every alert in a document, at any depth. */
function alertsIn(node: unknown): readonly Alert[] {
  if (typeof node !== "object" || node === null) return [];
  return "alert" in node ? [node as Alert] : Object.values(node).flatMap(alertsIn);
}

/** The alert rules; only their descriptions are made. */
export const alertPages: readonly Page[] = [...readdirSync(join(root, folder))]
  .filter((name) => name.endsWith("-rules.yaml"))
  .map((name) => ({
    path: `${folder}/${name}`,
    text: () =>
      described(
        readFileSync(join(root, folder, name), "utf8"),
        runbookTexts(readFileSync(join(root, "docs/guides/runbooks.md"), "utf8")),
      ),
  }));
