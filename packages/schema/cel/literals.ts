import { parseGoDuration } from "../duration.ts";
import { compilePattern } from "../scalars.ts";
import type { Call, Expr } from "./ast.ts";
import type { Checked } from "./checker.ts";
import { CompileError, type Issue } from "./source.ts";
import { parseTimestamp } from "./time.ts";
import { type CelType, dyn, formatType, isAssignable } from "./types.ts";

/**
 * What Kubernetes asks of literals beyond types: lists and maps are of one type, and durations, times, patterns and
 * templates that are written out make sense. Throws {@link CompileError}.
 */
export function checkLiterals(source: string, checked: Checked): void {
  const issues: Issue[] = [];
  const exprs = [...checked.types.keys()];
  // A template takes values of any types.
  const exempt = new Set(exprs.flatMap((expr) => (expr.kind === "call" && expr.name === "format" ? expr.args : [])));
  for (const expr of exprs) if (!exempt.has(expr)) issues.push(...issuesOf(expr, checked));
  if (issues.length > 0) throw new CompileError(source, issues);
}

function issuesOf(expr: Expr, checked: Checked): readonly Issue[] {
  if (expr.kind === "list") return mixed(expr.items, checked);
  if (expr.kind === "map") {
    return [
      ...mixed(
        expr.entries.map(([key]) => key),
        checked,
      ),
      ...mixed(
        expr.entries.map(([, value]) => value),
        checked,
      ),
    ];
  }
  return expr.kind === "call" ? callIssues(expr) : [];
}

/** The first entry sets the type. */
function mixed([first, ...rest]: readonly Expr[], { types }: Checked): readonly Issue[] {
  const wanted = first === undefined ? dyn : (types.get(first) ?? dyn);
  const stray = rest.find((expr) => !isSame(wanted, types.get(expr) ?? dyn));
  if (stray === undefined) return [];
  const found = formatType(types.get(stray) ?? dyn);
  return [{ at: stray.at, text: `expected type '${formatType(wanted)}' but found '${found}'` }];
}

function isSame(a: CelType, b: CelType): boolean {
  if (a.kind === "dyn" || b.kind === "dyn") return a.kind === b.kind;
  return isAssignable(a, b, new Map()) && isAssignable(b, a, new Map());
}

function callIssues(call: Call): readonly Issue[] {
  if (call.name === "format") return templateIssues(call);
  const argument = call.args.at(call.name === "matches" ? -1 : 0);
  const text = argument?.kind === "literal" && typeof argument.value === "string" ? argument.value : undefined;
  const isValid = validity[call.name];
  if (argument === undefined || text === undefined || isValid === undefined || isValid(text)) return [];
  return [{ at: argument.at, text: `invalid ${call.name} argument` }];
}

const validity: Readonly<Record<string, (text: string) => boolean>> = {
  duration: (text) => parseGoDuration(text) !== undefined,
  timestamp: (text) => parseTimestamp(text) !== undefined,
  matches: (text) => compilePattern(text) !== undefined,
};

/** `'%s'.format([x])`: known verbs, and one value for each. */
function templateIssues({ target, args: [list], at }: Call): readonly Issue[] {
  const template = target?.kind === "literal" && typeof target.value === "string" ? target.value : undefined;
  if (template === undefined || list?.kind !== "list") return [];
  const verbs = [...template.matchAll(/%(?:\.\d+)?(.)/gs)].map(([, verb = ""]) => verb).filter((verb) => verb !== "%");
  const unknown = verbs.find((verb) => !"sdfebxXo".includes(verb));
  if (unknown !== undefined) {
    return [{ at, text: `could not parse formatting clause: unrecognized formatting clause "${unknown}"` }];
  }
  return verbs.length > list.items.length ? [{ at, text: `index ${list.items.length} out of range` }] : [];
}
