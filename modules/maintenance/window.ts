import { dayMs, dayName, localDay } from "./calendar.ts";
import { maintenance } from "./errors.ts";
import { type Attribute, attributes, type Moment, type Policy, type Rule, type Window } from "./policy.ts";

/** What the policy looks at; absent and empty attributes match no expression. */
export type RuntimeAttributes = Readonly<Partial<Record<Attribute, string>>>;

/** A window that can be used, with the zones in which its borders were written. */
export interface OpenWindow {
  readonly beginMs: number;
  readonly endMs: number;
  readonly beginOffset: number;
  readonly endOffset: number;
}

/** One option of a search, tagged by its name; see {@link SearchOptions} for the meaning. */
export type SearchOption =
  | { readonly ongoing: boolean }
  | { readonly minWindowMs: number }
  | { readonly firstMatchOnly: boolean }
  | { readonly fallbackDefault: boolean };

interface SearchOptions {
  /** Also accept a window that has begun, if it lasts at least `minWindowMs` from now. Default false. */
  readonly ongoing: boolean;
  /** Default one hour. */
  readonly minWindowMs: number;
  /** Look at no further rule than the first that matches. Default true. */
  readonly firstMatchOnly: boolean;
  /** Take the default window when the matching rule has none. Without a matching rule it is taken anyway. Default true. */
  readonly fallbackDefault: boolean;
}

const defaults: SearchOptions = { ongoing: false, minWindowMs: 3_600_000, firstMatchOnly: true, fallbackDefault: true };

/**
 * Finds the window of a runtime that is open or opens next. Throws `MAINTENANCE_NO_WINDOW`,
 * `MAINTENANCE_NO_WINDOW_OF_MATCH` or `MAINTENANCE_UNKNOWN_OPTION`.
 */
export function findWindow(
  policy: Policy,
  runtime: RuntimeAttributes,
  atMs: number,
  options: readonly unknown[] = [],
): OpenWindow {
  const search = readOptions(options);
  const matching = policy.rules.filter((rule) => matches(rule, runtime));
  const rules = search.firstMatchOnly ? matching.slice(0, 1) : matching;
  const found = firstUsable(
    rules.flatMap(({ windows }) => windows),
    atMs,
    search,
  );
  if (found !== undefined) return found;
  if (matching.length > 0 && !search.fallbackDefault) throw maintenance.NO_WINDOW_OF_MATCH({});
  const fallback = policy.default === undefined ? undefined : firstUsable([policy.default], atMs, search);
  if (fallback === undefined) throw maintenance.NO_WINDOW({});
  return fallback;
}

/** True strictly between the borders. */
export function isActive(window: OpenWindow, atMs: number): boolean {
  return window.beginMs < atMs && atMs < window.endMs;
}

const optionNames: readonly string[] = Object.keys(defaults);

// Options also come from files and other programs, so a wrong one is named instead of ignored. The instant is the
// first option of the original, hence the count from one.
function readOptions(options: readonly unknown[]): SearchOptions {
  for (const [index, option] of options.entries()) {
    const known =
      typeof option === "object" && option !== null && Object.keys(option).every((k) => optionNames.includes(k));
    if (!known) throw maintenance.UNKNOWN_OPTION({ index: index + 1, type: typeName(option), value: String(option) });
  }
  return Object.assign({}, defaults, ...(options as readonly SearchOption[])) as SearchOptions;
}

function typeName(value: unknown): string {
  return typeof value === "number" ? "float64" : typeof value;
}

function matches({ match }: Rule, runtime: RuntimeAttributes): boolean {
  return attributes.some((name) => {
    const value = runtime[name];
    return value !== undefined && value !== "" && (match[name]?.matcher(value).find() ?? false);
  });
}

function firstUsable(windows: readonly Window[], atMs: number, search: SearchOptions): OpenWindow | undefined {
  for (const window of windows) {
    const candidates = window.days.length === 0 ? absolute(window) : daily(window, atMs);
    const usable = candidates.find((candidate) => isUsable(candidate, atMs, search));
    if (usable !== undefined) return usable;
  }
  return undefined;
}

function isUsable(window: OpenWindow, atMs: number, { ongoing, minWindowMs }: SearchOptions): boolean {
  return ongoing ? atMs + minWindowMs < window.endMs : atMs < window.beginMs;
}

function absolute({ begin, end }: Window): OpenWindow[] {
  if (begin?.kind !== "instant" || end?.kind !== "instant") return [];
  return [
    {
      beginMs: begin.at.ms,
      endMs: end.at.ms,
      beginOffset: begin.at.offsetMinutes,
      endOffset: end.at.offsetMinutes,
    },
  ];
}

/**
 * The occurrences around an instant, in order. The first is that of yesterday in the zone of the window, which may
 * still last: a window can cross midnight, and its zone need not be that of the clock.
 */
function daily({ days, begin, end }: Window, atMs: number): OpenWindow[] {
  if (begin === undefined || end === undefined) return [];
  const from = clockTime(begin);
  const to = clockTime(end);
  const today = localDay(atMs, from.offsetMinutes);
  const candidates = Array.from({ length: 10 }, (_, index) => today - 1 + index).filter((day) =>
    days.includes(dayName(day)),
  );
  return candidates.map((day) => {
    const beginMs = day * dayMs + from.msOfDay - from.offsetMinutes * 60_000;
    const sameDay = day * dayMs + to.msOfDay - to.offsetMinutes * 60_000;
    const endMs = sameDay <= beginMs ? sameDay + dayMs : sameDay;
    return { beginMs, endMs, beginOffset: from.offsetMinutes, endOffset: to.offsetMinutes };
  });
}

/** Days want a time of day; of an instant, its own is taken. */
function clockTime(moment: Moment): { readonly msOfDay: number; readonly offsetMinutes: number } {
  if (moment.kind === "daily") return moment.at;
  const { ms, offsetMinutes } = moment.at;
  return { msOfDay: ms + offsetMinutes * 60_000 - localDay(ms, offsetMinutes) * dayMs, offsetMinutes };
}
