import { LazyBody } from "./compile.ts";
import type { Functions } from "./func.ts";
import type { ListNode } from "./nodes.ts";
import { multipleDefinition, parseTemplate } from "./parser.ts";
import type { ParsedText, Program, Programs } from "./state.ts";
import { ParseError } from "./tokens.ts";

/** Parses a text and all it defines; `file` names it in errors. `onToken` may end it early. Throws `ParseError`. */
export function parseText(
  text: { readonly file: string; readonly source: string },
  functions: Functions,
  onToken: () => void,
): ParsedText {
  const body = (root: ListNode): LazyBody => new LazyBody(text.source, root, functions);
  const { main, definitions, lastLine } = parseTemplate(text, (name) => functions.has(name), onToken);
  return {
    main: body(main),
    definitions: new Map(Array.from(definitions, ([name, root]) => [name, body(root)])),
    lastLine,
  };
}

/** The templates that can call each other: those of a set and, behind them, those of the set it extends. */
export class TemplateSet implements Programs {
  readonly #parent: TemplateSet | undefined;
  readonly #own = new Map<string, Program>();

  constructor(parent?: TemplateSet) {
    this.#parent = parent;
  }

  lookup(name: string): Program | undefined {
    return this.#own.get(name) ?? this.#parent?.lookup(name);
  }

  /**
   * Adds a text under a name, which also is its file, and what it defines; blank ones never replace one that is there.
   *
   * Gives what now has the name in the text. Throws `ParseError` when the text defines its own name.
   */
  add({ main, definitions, lastLine }: ParsedText, file: string): Program {
    for (const [name, body] of definitions) {
      if (name !== file) this.#put({ name, file, body });
    }
    const namesake = definitions.get(file);
    if (namesake?.blank === false && !main.blank) throw new ParseError(file, lastLine, multipleDefinition(file));
    const program = { name: file, file, body: namesake?.blank === false ? namesake : main };
    this.#put(program);
    return program;
  }

  #put(program: Program): void {
    if (!program.body.blank || this.lookup(program.name) === undefined) this.#own.set(program.name, program);
  }
}
