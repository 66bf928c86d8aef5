/**
 * The line of a field in block-style YAML, counted from 1; for a field that is missing, the line of its nearest
 * parent. Undefined where that cannot be told, as in flow style at the top.
 */
export function lineOf(content: string, path: readonly (string | number)[]): number | undefined {
  const lines = content.split("\n").map((line) => line.replace(/\s+#.*$/, ""));
  let at = -1;
  let indent = -1;
  for (const part of path) {
    const found = typeof part === "number" ? item(lines, at + 1, part) : key(lines, at, part);
    if (found === undefined || (found.indent <= indent && typeof part === "string")) break;
    at = found.at;
    indent = found.indent;
  }
  return at < 0 ? undefined : at + 1;
}

interface Found {
  readonly at: number;
  readonly indent: number;
}

/** Columns before the first key of a line; the dashes of list items count as blanks. */
function indentOf(line: string): number {
  return /^[\s-]*/.exec(line)?.[0].length ?? 0;
}

function key(lines: readonly string[], from: number, name: string): Found | undefined {
  for (let at = Math.max(from, 0); at < lines.length; at++) {
    const line = lines[at] ?? "";
    if (line.slice(indentOf(line)).startsWith(`${name}:`)) return { at, indent: indentOf(line) };
  }
  return undefined;
}

/** The n-th item of the list whose first item is the first one from here on. */
function item(lines: readonly string[], from: number, index: number): Found | undefined {
  const first = lines.findIndex((line, at) => at >= from && /^\s*- /.test(line));
  if (first < 0) return undefined;
  const dashes = (lines[first] ?? "").indexOf("-");
  let left = index;
  for (let at = first; at < lines.length; at++) {
    if ((lines[at] ?? "").indexOf("- ") !== dashes || !/^\s*- /.test(lines[at] ?? "")) continue;
    if (left === 0) return { at, indent: dashes };
    left -= 1;
  }
  return undefined;
}
