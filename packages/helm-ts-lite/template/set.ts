import { compileTemplate } from "./compile.ts";
import type { Functions } from "./func.ts";
import { isBlank } from "./nodes.ts";
import { parseTemplate, type Tree } from "./parser.ts";
import type { Program, Programs } from "./state.ts";

/** What one text defines, compiled; shared by every set that holds the text. */
export type ParsedText = readonly Program[];

/** Parses and compiles a text and all it defines. `onToken` may end it early. Throws `ParseError`. */
export function parseText(
  text: { name: string; source: string },
  functions: Functions,
  onToken: () => void,
): ParsedText {
  const trees = parseTemplate({ ...text, file: text.name }, (name) => functions.has(name), onToken);
  return Array.from(trees.values(), (tree: Tree) => compileTemplate(tree, functions));
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

  /** Adds what a text defines; a blank definition never replaces one that is there. */
  add(parsed: ParsedText): void {
    for (const program of parsed) {
      const { name, root } = program.tree;
      if (!isBlank(root) || this.lookup(name) === undefined) this.#own.set(name, program);
    }
  }
}
