import { textOf } from "@kyma-operators/errors";
import { RE2JS } from "re2js";
import { parseRfc3339, parseTimeOfDay, type TimeOfDay, type ZonedTime } from "./calendar.ts";
import { maintenance } from "./errors.ts";

/** What a policy can look at, from the labels of a Kyma. */
export const attributes = ["globalAccountID", "plan", "region", "platformRegion"] as const;

export type Attribute = (typeof attributes)[number];

/** Either an instant, or a time of day for windows that name days. */
export type Moment =
  | { readonly kind: "instant"; readonly at: ZonedTime }
  | { readonly kind: "daily"; readonly at: TimeOfDay };

/** Without days the two moments are instants; with days, times of day. A window that lacks one is never open. */
export interface Window {
  readonly days: readonly string[];
  readonly begin?: Moment;
  readonly end?: Moment;
}

export interface Rule {
  readonly match: Readonly<Partial<Record<Attribute, RE2JS>>>;
  readonly windows: readonly Window[];
}

/** Windows per kind of runtime; the first matching rule decides, else the default. */
export interface Policy {
  readonly rules: readonly Rule[];
  readonly default?: Window;
}

const longestPolicy = 1 << 20;

/**
 * Reads a policy file (JSON). Keys are matched in any case and unknown ones are ignored; `{}` and `null` are policies
 * that never give a window. Throws `MAINTENANCE_POLICY_INVALID`.
 */
export function parsePolicy(text: string): Policy {
  if (text.trim() === "") throw invalid("unexpected end of JSON input");
  if (text.length > longestPolicy)
    throw invalid(`policy has ${text.length} characters, at most ${longestPolicy} are read`);
  const json = parseJson(text);
  if (json === null) return { rules: [] };
  const policy = fields(json, "the policy");
  const fallback = policy.get("default");
  return {
    rules: list(policy.get("rules"), "rules").map(parseRule),
    ...(isNothing(fallback) ? {} : { default: parseWindow(fallback) }),
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw invalid(textOf(error));
  }
}

function parseRule(json: unknown): Rule {
  const rule = fields(json, "a rule");
  const match = rule.get("match");
  const expressions = isNothing(match) ? new Map<string, unknown>() : fields(match, "match");
  const compiled = attributes.flatMap((name) => {
    const expression = compile(expressions.get(name.toLowerCase()));
    return expression === undefined ? [] : [[name, expression] as const];
  });
  return { match: Object.fromEntries(compiled), windows: list(rule.get("windows"), "windows").map(parseWindow) };
}

/** A number stands for its digits; an empty or absent expression is none. */
function compile(value: unknown): RE2JS | undefined {
  if (isNothing(value) || value === "") return undefined;
  const source = typeof value === "string" ? value : JSON.stringify(value);
  try {
    return RE2JS.compile(source);
  } catch (error) {
    throw invalid(`error during unmarshal: ${textOf(error)}`);
  }
}

function parseWindow(json: unknown): Window {
  const window = fields(json, "a window");
  const days = list(window.get("days"), "days").map(String);
  return { days, ...moment("begin", window), ...moment("end", window) };
}

function moment(name: "begin" | "end", window: ReadonlyMap<string, unknown>): { begin?: Moment; end?: Moment } {
  if (!window.has(name)) return {};
  const value = window.get(name);
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const instant = parseRfc3339(text);
  if (instant !== undefined) return { [name]: { kind: "instant", at: instant } };
  const daily = parseTimeOfDay(text);
  if (daily !== undefined) return { [name]: { kind: "daily", at: daily } };
  throw invalid(`json: unsupported value: Unable to parse value "${text}" as ISO8601 or timeonly-with-tz`);
}

/** The members of a JSON object under their names in lower case. */
function fields(json: unknown, what: string): ReadonlyMap<string, unknown> {
  if (typeof json !== "object" || json === null || Array.isArray(json)) throw invalid(`${what} must be an object`);
  return new Map(Object.entries(json).map(([key, value]) => [key.toLowerCase(), value]));
}

function list(json: unknown, what: string): readonly unknown[] {
  if (isNothing(json)) return [];
  if (!Array.isArray(json)) throw invalid(`${what} must be a list`);
  return json;
}

function isNothing(value: unknown): value is null | undefined {
  return value === null || value === undefined;
}

function invalid(problem: string): Error {
  return maintenance.POLICY_INVALID({ problem });
}
