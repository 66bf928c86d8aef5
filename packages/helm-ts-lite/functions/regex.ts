import { canBackquote, quote } from "../go/quote.ts";
import type { Regex } from "../go/regex.ts";
import { nilList, stringList, type TypedList } from "../go/values.ts";
import { GoError } from "../template/errors.ts";
import type { State } from "../template/state.ts";
import { type FuncTable, func } from "./define.ts";

function quotedPattern(pattern: string): string {
  return canBackquote(pattern) ? `\`${pattern}\`` : quote(pattern);
}

/** The plain functions panic on a bad pattern, the `must` ones return the error; only the text differs. */
function compiled(pattern: string, state: State, must: boolean): Regex {
  const regex = state.runtime.functions.regex(pattern);
  if (typeof regex !== "string") return regex;
  throw new GoError(must ? regex : `regexp: Compile(${quotedPattern(pattern)}): ${regex}`);
}

/** Go makes the slice with the first match. */
const matchesOrNil = (items: string[]): TypedList => (items.length === 0 ? nilList("[]string") : stringList(items));

function functionsFor(must: boolean): FuncTable {
  const get = (pattern: string, state: State): Regex => compiled(pattern, state, must);
  return {
    Match: func(["string", "string"], (pattern, text, state) => {
      if (must) return get(pattern, state).test(text, state.runtime.functions);
      const regex = state.runtime.functions.regex(pattern);
      return typeof regex !== "string" && regex.test(text, state.runtime.functions);
    }),
    Find: func(["string", "string"], (pattern, text, state) => get(pattern, state).find(text, state.runtime.functions)),
    FindAll: func(["string", "string", "int"], (pattern, text, limit, state) =>
      matchesOrNil(
        get(pattern, state)
          .all(text, limit, state.runtime.functions)
          .map(({ start, end }) => text.slice(start, end)),
      ),
    ),
    ReplaceAll: func(["string", "string", "string"], (pattern, text, template, state) => {
      const regex = get(pattern, state);
      return regex.replace(text, (match) => regex.expand(template, text, match), state.runtime.functions);
    }),
    ReplaceAllLiteral: func(["string", "string", "string"], (pattern, text, literal, state) =>
      get(pattern, state).replace(text, () => literal, state.runtime.functions),
    ),
    Split: func(["string", "string", "int"], (pattern, text, limit, state) =>
      limit === 0 ? nilList("[]string") : stringList(get(pattern, state).split(text, limit, state.runtime.functions)),
    ),
  };
}

const prefixed = (prefix: string, table: FuncTable): FuncTable =>
  Object.fromEntries(Object.entries(table).map(([name, each]) => [prefix + name, each]));

export const regexFunctions: FuncTable = {
  ...prefixed("regex", functionsFor(false)),
  ...prefixed("mustRegex", functionsFor(true)),
  regexQuoteMeta: func(["string"], (text) => text.replace(/[\\.+*?()|[\]{}^$]/g, "\\$&")),
};
