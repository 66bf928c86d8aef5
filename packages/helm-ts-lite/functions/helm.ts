import { quote } from "../go/quote.ts";
import type { GoValue } from "../go/values.ts";
import { ExecError, GoError } from "../template/errors.ts";
import { TemplateSet } from "../template/set.ts";
import { Output, type Program, type Programs, State } from "../template/state.ts";
import { ParseError } from "../template/tokens.ts";
import { type FuncTable, func } from "./define.ts";

/** The name Helm gives to its own template and to every text run by `tpl`. */
export const engineName = "gotpl";

/** Runs a template into a text of its own. Written flat: nested includes are as deep as the stack allows. */
function include([first, data]: readonly GoValue[], state: State): string {
  const { runtime, programs } = state;
  const name = typeof first === "string" ? first : "";
  const leave = runtime.functions.enterInclude(name);
  if (leave === undefined)
    throw new GoError(`rendering template has a nested reference name: ${name}: unable to execute template`);
  const program = programs.lookup(name);
  if (program === undefined)
    throw new GoError(`template: no template ${quote(name)} associated with template ${quote(engineName)}`);
  const out = new Output(runtime);
  runtime.enter();
  program.body.exec(new State({ runtime, programs, program, out, dot: data }), data ?? undefined);
  runtime.leave();
  leave();
  return out.text;
}

function runMain(main: Program, programs: Programs, data: GoValue, { runtime }: State): string {
  const out = new Output(runtime);
  runtime.enter();
  main.body.exec(new State({ runtime, programs, program: main, out, dot: data }), data ?? undefined);
  runtime.leave();
  return out.text;
}

/** Every literal `<no value>` goes, wherever it came from. */
export function withoutNoValue(text: string): string {
  return text.includes("<no value>") ? text.replaceAll("<no value>", "") : text;
}

function tpl(source: string, data: GoValue, state: State): string {
  const set = new TemplateSet(state.programs instanceof TemplateSet ? state.programs : undefined);
  try {
    const main = set.add(state.runtime.functions.parse(source), engineName);
    return withoutNoValue(runMain(main, set, data, state));
  } catch (error) {
    if (error instanceof ParseError)
      throw new GoError(`cannot parse template ${quote(source)}: ${error.message}`, { cause: error });
    if (error instanceof ExecError) {
      throw new GoError(`error during tpl function execution for ${quote(source)}: ${error.message}`, { cause: error });
    }
    throw error;
  }
}

export const helmFunctions: FuncTable = {
  include: { params: ["string", "any"], call: include },
  tpl: func(["string", "any"], tpl),
  lookup: func(["string", "string", "string", "string"], (...args) => {
    const [apiVersion, kind, namespace, name, state] = args;
    return state.runtime.functions.lookup({ apiVersion, kind, namespace, name });
  }),
  getHostByName: func(["string"], () => ""),
};
