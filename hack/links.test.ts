import { deepEqual, ok } from "node:assert/strict";
import { existsSync, globSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { describe, test } from "@jest/globals";

const root = join(import.meta.dirname, "..");
const left = /(^|\/)(node_modules|dist|\.cache|\.local|coverage|reports)(\/|$)/;
// Copied: what Node's core answers to jest is of another realm.
const pages = [...globSync("**/*.md", { cwd: root, exclude: (path) => left.test(path) })].sort();

/** Text without code, in which brackets are no links. */
function prose(markdown: string): string {
  return markdown.replace(/^ *```[\s\S]*?^ *```/gm, "").replace(/`[^`\n]*`/g, (code) => "x".repeat(code.length));
}

/** Anchors that GitHub makes of headings: lower case, blanks as hyphens, numbered when they repeat. */
function anchorsOf(markdown: string): ReadonlySet<string> {
  const headings = markdown.replace(/^ *```[\s\S]*?^ *```/gm, "").matchAll(/^#{1,6} +(.*)$/gm);
  const anchors = new Set<string>();
  for (const [, heading = ""] of headings) {
    const text = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1").toLowerCase();
    const anchor = text.replace(/[^\p{L}\p{N}\p{M}_\- ]/gu, "").replaceAll(" ", "-");
    let unique = anchor;
    for (let count = 1; anchors.has(unique); count += 1) unique = `${anchor}-${count}`;
    anchors.add(unique);
  }
  return anchors;
}

function targetsOf(page: string): readonly string[] {
  const text = prose(readFileSync(join(root, page), "utf8"));
  const inline = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = ""]) => target);
  const html = [...text.matchAll(/(?:src|srcset|href)="([^"]+)"/g)].map(([, target = ""]) => target);
  return [...inline, ...html].filter((target) => !/^[a-z]+:/i.test(target));
}

/** What is wrong with a link; undefined when it leads somewhere. */
function faultOf(page: string, target: string): string | undefined {
  const [path = "", anchor] = target.split("#");
  const file = path === "" ? join(root, page) : join(root, dirname(page), decodeURIComponent(path));
  if (relative(root, file).startsWith("..")) return `${page}: ${target} leads out of the repository`;
  if (!existsSync(file)) return `${page}: ${target} leads to no file`;
  if (anchor === undefined || anchor === "") return undefined;
  if (statSync(file).isDirectory() || !file.endsWith(".md")) return `${page}: ${target} has an anchor into no page`;
  const isKnown = anchorsOf(readFileSync(file, "utf8")).has(anchor);
  return isKnown ? undefined : `${page}: ${target}: no heading has this anchor`;
}

describe("the pages of the repository", () => {
  test("link only to files and headings that exist", () => {
    const links = pages.flatMap((page) => targetsOf(page).map((target) => [page, target] as const));
    ok(links.length > 100, `${links.length} links were found`);
    deepEqual(
      links.flatMap(([page, target]) => faultOf(page, target) ?? []),
      [],
    );
  });

  test("all pages of docs/ are reached from docs/README.md", () => {
    const reached = new Set(["docs/README.md"]);
    for (const page of reached) {
      const targets = page.endsWith(".md") && existsSync(join(root, page)) ? targetsOf(page) : [];
      for (const target of targets) reached.add(join(dirname(page), target.split("#")[0] ?? ""));
    }
    const isListed = (page: string): boolean => reached.has(page) || reached.has(dirname(page));
    deepEqual(
      pages.filter((page) => page.startsWith("docs/") && !isListed(page)),
      [],
    );
  });
});
