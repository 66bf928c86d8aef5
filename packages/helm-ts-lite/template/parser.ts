import { quote } from "../go/quote.ts";
import type { Token } from "./lexer.ts";
import { readNumber, unquote } from "./literals.ts";
import {
  type BranchNode,
  type CommandNode,
  isBlank,
  type ListNode,
  nodeText,
  type OperandNode,
  type PipeNode,
  type RangeNode,
  type StatementNode,
  type StopNode,
  type TemplateNode,
} from "./nodes.ts";
import { type ParseError, Tokens } from "./tokens.ts";

/** A parsed text, which knows neither its own name nor its file. */
export interface ParsedLists {
  /** The text itself, without its definitions. */
  readonly main: ListNode;
  readonly definitions: ReadonlyMap<string, ListNode>;
  /** The line on which the text ends. */
  readonly lastLine: number;
}

/** The reason of a {@link ParseError}: only blank definitions may stand beside another one of their name. */
export const multipleDefinition = (name: string): string => `template: multiple definition of template ${quote(name)}`;

const operandStarts = new Set([
  "bool",
  "charConstant",
  "complex",
  "dot",
  "field",
  "identifier",
  "number",
  "rawString",
  "string",
  "variable",
  "leftParen",
]);

const startsOperand = (token: Token): boolean =>
  operandStarts.has(token.type) || (token.type === "keyword" && token.text === "nil");

/** Deeper nesting of controls and parentheses than this would overflow the stack. */
const maxNesting = 500;

type Next = StatementNode | StopNode;

const isStop = (node: Next): node is StopNode => node.type === "end" || node.type === "else";

class Parser {
  readonly #tokens: Tokens;
  readonly #hasFunction: (name: string) => boolean;
  readonly #definitions = new Map<string, ListNode>();
  #variables = ["$"];
  #rangeDepth = 0;
  #nesting = 0;

  constructor(tokens: Tokens, hasFunction: (name: string) => boolean) {
    this.#tokens = tokens;
    this.#hasFunction = hasFunction;
  }

  parse(): ParsedLists {
    const main: ListNode = { type: "list", offset: 0, nodes: [] };
    while (this.#tokens.peek().type !== "eof") {
      if (this.#definition()) continue;
      const node = this.#textOrAction();
      if (isStop(node)) throw this.#error(`unexpected ${nodeText(node)}`);
      main.nodes.push(node);
    }
    return { main, definitions: this.#definitions, lastLine: this.#tokens.line };
  }

  #error(reason: string): ParseError {
    return this.#tokens.error(reason);
  }

  #add(name: string, root: ListNode): void {
    const known = this.#definitions.get(name);
    if (known === undefined || isBlank(known)) this.#definitions.set(name, root);
    else if (!isBlank(root)) throw this.#error(multipleDefinition(name));
  }

  /** Reads a `define` if one comes next. */
  #definition(): boolean {
    const delim = this.#tokens.peek();
    if (delim.type !== "leftDelim") return false;
    this.#tokens.next();
    const token = this.#tokens.nextNonSpace();
    if (token.type === "keyword" && token.text === "define") {
      const name = this.#templateName(this.#tokens.nextNonSpace(), "define clause");
      this.#tokens.expect("rightDelim", "define clause");
      this.#add(name, this.#body("define clause"));
      return true;
    }
    this.#tokens.back(token);
    this.#tokens.back(delim);
    return false;
  }

  /** The body of a `define` or `block`, which sees none of the variables around it. */
  #body(context: string): ListNode {
    const [variables, rangeDepth] = [this.#variables, this.#rangeDepth];
    this.#variables = ["$"];
    this.#rangeDepth = 0;
    const { list, stop } = this.#itemList();
    if (stop.type !== "end") throw this.#error(`unexpected ${nodeText(stop)} in ${context}`);
    this.#variables = variables;
    this.#rangeDepth = rangeDepth;
    return list;
  }

  #itemList(): { list: ListNode; stop: StopNode } {
    const list: ListNode = { type: "list", offset: this.#tokens.peekNonSpace().offset, nodes: [] };
    while (this.#tokens.peekNonSpace().type !== "eof") {
      const node = this.#textOrAction();
      if (isStop(node)) return { list, stop: node };
      list.nodes.push(node);
    }
    throw this.#error("unexpected EOF");
  }

  #textOrAction(): Next {
    const token = this.#tokens.nextNonSpace();
    if (token.type === "text") return { type: "text", offset: token.offset, text: token.text };
    if (token.type !== "leftDelim") throw this.#tokens.unexpected(token, "input");
    this.#tokens.actionLine = token.line;
    const node = this.#nested(() => this.#action());
    this.#tokens.actionLine = 0;
    return node;
  }

  #nested<T>(parse: () => T): T {
    if (++this.#nesting > maxNesting) throw this.#error(`nested deeper than ${maxNesting} levels`);
    const result = parse();
    this.#nesting--;
    return result;
  }

  #action(): Next {
    const token = this.#tokens.nextNonSpace();
    const control = token.type === "keyword" ? this.#controls[token.text] : undefined;
    if (control !== undefined) return control(token);
    this.#tokens.back(token);
    const { offset } = this.#tokens.peek();
    return { type: "action", offset, pipe: this.#pipeline("command", "rightDelim") };
  }

  readonly #controls: Readonly<Record<string, (token: Token) => Next>> = {
    block: () => this.#block(),
    break: (token) => this.#jump("break", token),
    continue: (token) => this.#jump("continue", token),
    else: () => this.#else(),
    end: () => ({ type: "end", offset: this.#tokens.expect("rightDelim", "end").offset }),
    if: () => this.#branch("if"),
    range: () => this.#range(),
    template: () => this.#template(),
    with: () => this.#branch("with"),
  };

  #jump(type: "break" | "continue", token: Token): Next {
    const next = this.#tokens.nextNonSpace();
    if (next.type !== "rightDelim") throw this.#tokens.unexpected(next, `{{${type}}}`);
    if (this.#rangeDepth === 0) throw this.#error(`{{${type}}} outside {{range}}`);
    return { type, offset: token.offset };
  }

  #else(): StopNode {
    const next = this.#tokens.peekNonSpace();
    const chained = next.type === "keyword" && (next.text === "if" || next.text === "with");
    return { type: "else", offset: chained ? next.offset : this.#tokens.expect("rightDelim", "else").offset };
  }

  #branch(type: "if" | "with"): BranchNode {
    const outer = this.#variables.length;
    const pipe = this.#pipeline(type, "rightDelim");
    const { list, stop } = this.#itemList();
    const otherwise = stop.type === "else" ? this.#otherwise(type, stop) : undefined;
    this.#variables.length = outer;
    return { type, offset: pipe.offset, pipe, list, otherwise };
  }

  #range(): RangeNode {
    const outer = this.#variables.length;
    const pipe = this.#pipeline("range", "rightDelim");
    this.#rangeDepth++;
    const { list, stop } = this.#itemList();
    this.#rangeDepth--;
    const otherwise = stop.type === "else" ? this.#otherwise("range", stop) : undefined;
    this.#variables.length = outer;
    return { type: "range", offset: pipe.offset, pipe, list, otherwise };
  }

  /** What follows `else`: `else if` and `else with` nest and share the final `end`. */
  #otherwise(type: "if" | "with" | "range", stop: StopNode): ListNode {
    if (type !== "range" && this.#tokens.atKeyword(type)) {
      this.#tokens.next();
      return { type: "list", offset: stop.offset, nodes: [this.#nested(() => this.#branch(type))] };
    }
    const { list, stop: end } = this.#itemList();
    if (end.type !== "end") throw this.#error(`expected end; found ${nodeText(end)}`);
    return list;
  }

  #block(): TemplateNode {
    const token = this.#tokens.nextNonSpace();
    const name = this.#templateName(token, "block clause");
    const pipe = this.#pipeline("block clause", "rightDelim");
    this.#add(name, this.#body("block clause"));
    return { type: "template", offset: token.offset, name, pipe };
  }

  #template(): TemplateNode {
    const token = this.#tokens.nextNonSpace();
    const name = this.#templateName(token, "template clause");
    const next = this.#tokens.nextNonSpace();
    if (next.type === "rightDelim") return { type: "template", offset: token.offset, name, pipe: undefined };
    this.#tokens.back(next);
    const pipe = this.#pipeline("template clause", "rightDelim");
    return { type: "template", offset: token.offset, name, pipe };
  }

  #templateName(token: Token, context: string): string {
    if (token.type !== "string" && token.type !== "rawString") throw this.#tokens.unexpected(token, context);
    return this.#unquote(token.text);
  }

  #unquote(literal: string): string {
    const text = unquote(literal);
    if (text === undefined) throw this.#error("invalid syntax");
    return text;
  }

  #pipeline(context: string, end: "rightDelim" | "rightParen"): PipeNode {
    const { offset } = this.#tokens.peekNonSpace();
    const pipe: PipeNode = { type: "pipe", offset, assigns: false, declares: [], commands: [] };
    while (this.#declaration(pipe, context));
    for (;;) {
      const token = this.#tokens.nextNonSpace();
      if (token.type === end) break;
      if (!startsOperand(token)) throw this.#tokens.unexpected(token, context);
      this.#tokens.back(token);
      pipe.commands.push(this.#command());
    }
    this.#check(pipe, context);
    return pipe;
  }

  /** Reads one `$v :=`, `$v =` or `$v,`; true when another declaration may follow. */
  #declaration(pipe: PipeNode, context: string): boolean {
    const variable = this.#tokens.peekNonSpace();
    if (variable.type !== "variable") return false;
    this.#tokens.next();
    const after = this.#tokens.next();
    const next = after.type === "space" ? this.#tokens.nextNonSpace() : after;
    if (next.type === "assign" || next.type === "declare") {
      pipe.assigns = next.type === "assign";
      this.#declare(pipe, variable);
      return false;
    }
    if (next.type === "char" && next.text === ",") {
      this.#declare(pipe, variable);
      return this.#mayDeclareAnother(pipe, context);
    }
    if (next !== after) this.#tokens.back(next);
    this.#tokens.back(after);
    this.#tokens.back(variable);
    return false;
  }

  #declare(pipe: PipeNode, token: Token): void {
    pipe.declares.push({ type: "variable", offset: token.offset, path: token.text.split(".") });
    this.#variables.push(token.text);
  }

  #mayDeclareAnother(pipe: PipeNode, context: string): boolean {
    if (context !== "range" || pipe.declares.length >= 2) throw this.#error(`too many declarations in ${context}`);
    const { type } = this.#tokens.peekNonSpace();
    if (type === "variable" || type === "rightDelim" || type === "rightParen") return true;
    throw this.#error("range can only initialize variables");
  }

  #check(pipe: PipeNode, context: string): void {
    if (pipe.commands.length === 0) throw this.#error(`missing value for ${context}`);
    const literals = new Set(["bool", "dot", "nil", "number", "string"]);
    const wrong = pipe.commands.findIndex(({ args }, index) => index > 0 && literals.has(args[0]?.type ?? ""));
    if (wrong > 0) throw this.#error(`non executable command in pipeline stage ${wrong + 1}`);
  }

  #command(): CommandNode {
    const command: CommandNode = { type: "command", offset: this.#tokens.peekNonSpace().offset, args: [] };
    for (;;) {
      this.#tokens.peekNonSpace();
      const operand = this.#operand();
      if (operand !== undefined) command.args.push(operand);
      const token = this.#tokens.next();
      if (token.type === "space") continue;
      if (token.type === "rightDelim" || token.type === "rightParen") this.#tokens.back(token);
      else if (token.type !== "pipe") throw this.#tokens.unexpected(token, "operand");
      break;
    }
    if (command.args.length === 0) throw this.#error("empty command");
    return command;
  }

  #operand(): OperandNode | undefined {
    const node = this.#term();
    if (node === undefined) return undefined;
    const { type, offset } = this.#tokens.peek();
    if (type !== "field") return node;
    const path: string[] = [];
    while (this.#tokens.peek().type === "field") path.push(this.#tokens.next().text.slice(1));
    if (node.type === "field" || node.type === "variable") return { ...node, offset, path: [...node.path, ...path] };
    if (node.type === "pipe" || node.type === "identifier") return { type: "chain", offset, base: node, path };
    throw this.#error(`unexpected . after term ${quote(nodeText(node))}`);
  }

  #term(): OperandNode | undefined {
    const token = this.#tokens.nextNonSpace();
    const { type, offset, text } = token;
    if (type === "identifier") {
      if (!this.#hasFunction(text)) throw this.#error(`function ${quote(text)} not defined`);
      return { type, offset, name: text };
    }
    if (type === "variable") return this.#variable(token);
    if (type === "field") return { type, offset, path: [text.slice(1)] };
    if (type === "leftParen") return this.#nested(() => this.#pipeline("parenthesized pipeline", "rightParen"));
    return this.#literal(token);
  }

  #literal(token: Token): OperandNode | undefined {
    const { type, offset, text } = token;
    if (type === "dot") return { type, offset };
    if (type === "bool") return { type, offset, value: text === "true" };
    if (type === "string" || type === "rawString") {
      return { type: "string", offset, quoted: text, value: this.#unquote(text) };
    }
    if (type === "charConstant" || type === "complex" || type === "number") return this.#number(token);
    if (type === "keyword" && text === "nil") return { type: "nil", offset };
    this.#tokens.back(token);
    return undefined;
  }

  #number(token: Token): OperandNode {
    const reading = readNumber(token);
    if (typeof reading === "string") throw this.#error(reading);
    return { type: "number", offset: token.offset, text: token.text, ...reading };
  }

  #variable(token: Token): OperandNode {
    if (!this.#variables.includes(token.text)) throw this.#error(`undefined variable ${quote(token.text)}`);
    return { type: "variable", offset: token.offset, path: [token.text] };
  }
}

/**
 * Parses the text of a template and every template it defines.
 *
 * Throws {@link ParseError} in Go's words. `hasFunction` knows the functions: an unknown one is an error here.
 */
export function parseTemplate(
  text: { readonly file: string; readonly source: string },
  hasFunction: (name: string) => boolean,
  onToken: () => void,
): ParsedLists {
  return new Parser(new Tokens(text.file, text.source, onToken), hasFunction).parse();
}
