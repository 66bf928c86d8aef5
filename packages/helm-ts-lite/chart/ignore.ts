import { helm } from "../errors.ts";
import { matchGlob, type Pattern, parseGlob } from "./glob.ts";

/** One rule of `.helmignore`. */
interface Rule {
  readonly negated: boolean;
  readonly foldersOnly: boolean;
  /** Matched against the whole path instead of the base name. */
  readonly rooted: boolean;
  readonly pattern: Pattern;
}

function parseRule(line: string): Rule | undefined {
  if (line === "" || line.startsWith("#")) return undefined;
  if (line.includes("**")) throw helm.CHART({ text: "double-star (**) syntax is not supported" });
  const negated = line.startsWith("!");
  let text = negated ? line.slice(1) : line;
  const foldersOnly = text.endsWith("/");
  if (foldersOnly) text = text.slice(0, -1);
  const rooted = text.includes("/");
  const pattern = parseGlob(text.startsWith("/") ? text.slice(1) : text);
  if (pattern === undefined) throw helm.CHART({ text: "syntax error in pattern" });
  return { negated, foldersOnly, rooted, pattern };
}

/** Reads the rules of `.helmignore`; Helm's own last rule hides `templates/.?*`. Throws `HELM_CHART`. */
export function parseIgnore(text: string): readonly Rule[] {
  const lines = text.split("\n").map((line) => line.trim());
  return [...lines, "templates/.?*"].map(parseRule).filter((rule) => rule !== undefined);
}

/** Whether the first rule that decides hides this path itself. */
function hides(path: string, isFolder: boolean, rules: readonly Rule[]): boolean {
  const base = path.slice(path.lastIndexOf("/") + 1);
  for (const rule of rules) {
    const matches = matchGlob(rule.pattern, rule.rooted ? path : base);
    if (rule.negated) {
      if (rule.foldersOnly && !isFolder) return true;
      if (!matches) return true;
    } else if (matches && (!rule.foldersOnly || isFolder)) {
      return true;
    }
  }
  return false;
}

/** Whether a file is hidden: by a rule for itself or for a folder above it. */
export function isIgnored(path: string, rules: readonly Rule[]): boolean {
  for (let slash = path.indexOf("/"); slash !== -1; slash = path.indexOf("/", slash + 1)) {
    if (hides(path.slice(0, slash), true, rules)) return true;
  }
  return hides(path, false, rules);
}

/** Whether a path below the chart's root is hidden by the rules for it alone; a hidden folder hides all below it. */
export type IgnoreFilter = (path: string, isFolder: boolean) => boolean;

/** Reads `.helmignore` for a walk over a chart directory. Throws `HELM_CHART`. */
export function parseHelmIgnore(text: string): IgnoreFilter {
  const rules = parseIgnore(text);
  return (path, isFolder) => hides(path, isFolder, rules);
}
