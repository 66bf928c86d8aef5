import { RE2JS, RE2JSSyntaxException } from "re2js";
import { hasRawBytes } from "./bytes.ts";

/** Offsets of a match and of its groups, -1 for a group that took no part. */
interface Match {
  readonly start: number;
  readonly end: number;
  readonly groups: readonly (readonly [number, number])[];
}

/** What searching may cost; both throw when it is spent. */
export interface RegexBudget {
  /** Counts the size of what is made. */
  charge(size: number): void;
  /** Counts steps. */
  work(steps: number): void;
}

/** What a match and its groups take, as the weights of values; and characters that are searched in the time of a step. */
const matchWeight = 128;
const charsPerStep = 4;

/** Longer patterns are refused: their compiled form would grow with the square of counted repetitions. */
const maxPattern = 10_000;

/** A compiled expression and its way over a text, as Go's `regexp` walks. */
export class Regex {
  readonly #re: RE2JS;

  private constructor(re: RE2JS) {
    this.#re = re;
  }

  /** Compiles a pattern; a text in the result is what is wrong with it. */
  static compile(pattern: string): Regex | string {
    if (pattern.length > maxPattern) return "error parsing regexp: expression too large";
    if (hasRawBytes(pattern)) return `error parsing regexp: invalid UTF-8: \`${pattern}\``;
    try {
      return new Regex(RE2JS.compile(pattern));
    } catch (error) {
      if (error instanceof RE2JSSyntaxException) return error.message;
      throw error;
    }
  }

  test(text: string, budget: RegexBudget): boolean {
    budget.work(text.length / charsPerStep);
    return this.#re.matcher(text).find();
  }

  find(text: string, budget: RegexBudget): string {
    const [match] = this.all(text, 1, budget);
    return match === undefined ? "" : text.slice(match.start, match.end);
  }

  /** The matches in order, at most `limit` when it is not negative. */
  all(text: string, limit: number, budget: RegexBudget): Match[] {
    budget.work(text.length / charsPerStep);
    const matcher = this.#re.matcher(text);
    const matches: Match[] = [];
    let previousEnd = -1;
    let at = 0;
    while (matches.length !== limit && at <= text.length && matcher.find(at)) {
      const [start, end] = [matcher.start(), matcher.end()];
      // An empty match right behind another one does not count.
      const accepted = end !== at || start !== previousEnd;
      if (accepted) budget.charge(matchWeight);
      if (accepted) matches.push({ start, end, groups: groupsOf(matcher, this.#re.groupCount()) });
      at = end > at ? end : at + charLength(text, at);
      previousEnd = end;
    }
    return matches;
  }

  replace(text: string, replacement: (match: Match) => string, budget: RegexBudget): string {
    budget.work(text.length / charsPerStep);
    const matcher = this.#re.matcher(text);
    const count = this.#re.groupCount();
    let out = "";
    let lastEnd = 0;
    for (let at = 0; at <= text.length && matcher.find(at); ) {
      const [start, end] = [matcher.start(), matcher.end()];
      out += text.slice(lastEnd, start);
      if (end > lastEnd || start === 0) {
        const piece = replacement({ start, end, groups: groupsOf(matcher, count) });
        budget.charge(piece.length);
        out += piece;
      }
      lastEnd = end;
      const next = at + charLength(text, at);
      at = next > end ? next : end;
    }
    return out + text.slice(lastEnd);
  }

  split(text: string, limit: number, budget: RegexBudget): string[] {
    if (limit === 0) return [];
    if (this.#re.pattern() !== "" && text === "") return [""];
    const parts: string[] = [];
    let begin = 0;
    let end = 0;
    for (const match of this.all(text, limit, budget)) {
      if (limit > 0 && parts.length === limit - 1) break;
      end = match.start;
      if (match.end !== 0) parts.push(text.slice(begin, end));
      begin = match.end;
    }
    if (end !== text.length) parts.push(text.slice(begin));
    return parts;
  }

  /** Puts a template such as `$1-${name}` together for a match. */
  expand(template: string, text: string, match: Match): string {
    const groupText = (name: string): string => {
      const index = /^\d+$/.test(name) ? Number(name) : (this.#re.namedGroups()[name] ?? -1);
      const group = match.groups[index];
      return group === undefined || group[0] < 0 ? "" : text.slice(group[0], group[1]);
    };
    return template.replace(/\$(?:(\$)|(\w+)|\{(\w+)\})/g, (_all, dollar, bare, braced) => {
      if (dollar !== undefined) return "$";
      return groupText(String(bare ?? braced));
    });
  }
}

function charLength(text: string, at: number): number {
  return (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
}

interface Matcher {
  start(group?: number): number;
  end(group?: number): number;
}

function groupsOf(matcher: Matcher, count: number): (readonly [number, number])[] {
  return Array.from({ length: count + 1 }, (_, group) => [matcher.start(group), matcher.end(group)] as const);
}
