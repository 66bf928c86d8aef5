import { byteLength } from "../go/bytes.ts";
import type { Regex } from "../go/regex.ts";
import type { GoValue } from "../go/values.ts";
import type { Compat } from "../version.ts";
import { ExecError } from "./errors.ts";
import { type ListNode, type Node, nodeText } from "./nodes.ts";

/** How a statement ended: on to the next one, or out of the innermost `range`. */
export type Flow = 0 | 1 | 2;
export const flowNext = 0;
export const flowBreak = 1;
export const flowContinue = 2;

/** A compiled statement. */
export type Exec = (state: State, dot: GoValue) => Flow;
/** A compiled expression. */
export type Eval = (state: State, dot: GoValue) => GoValue;

/** A template without a name: what files with the same text share. */
export interface Body {
  readonly source: string;
  readonly root: ListNode;
  /** Prints nothing but white space: as a definition it replaces none. */
  readonly blank: boolean;
  readonly exec: Exec;
}

/** A named template. */
export interface Program {
  readonly name: string;
  /** The file it stands in, as errors show it. */
  readonly file: string;
  readonly body: Body;
}

/** A parsed text, which knows neither its own name nor its file. */
export interface ParsedText {
  readonly main: Body;
  readonly definitions: ReadonlyMap<string, Body>;
  /** The line on which the text ends. */
  readonly lastLine: number;
}

/** What a running template may use of the rendering around it. */
export interface Runtime {
  /** Counts one step of work; throws when the budget is spent or the caller gave up. */
  step(): void;
  /** Counts output; throws when there is too much of it. */
  produced(length: number): void;
  /** Counts the levels of nested calls; throws when there are too many. */
  enter(): void;
  /** Whether another `template` action may start: Go has a limit of its own, with a text of its own. */
  mayEnter(): boolean;
  leave(): void;
  /** Whether a missing key is an error. */
  readonly strict: boolean;
  readonly functions: FunctionRuntime;
}

/** Names the object that `lookup` asks for; an empty name asks for all. */
export interface LookupKey {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** What functions may use; they know nothing of templates beyond it. */
export interface FunctionRuntime {
  /** Counts the size of a value that a function makes; throws when it is out of bounds. */
  charge(size: number): void;
  /** Counts work as so many steps; throws when the budget is spent. */
  work(steps: number): void;
  /** Counts the work of going through a value; throws when it is too large, as one that contains itself is. */
  traverse(value: GoValue): void;
  /** A compiled pattern, or what is wrong with it. */
  regex(pattern: string): Regex | string;
  /** Parses a text for `tpl`; throws `ParseError`. */
  parse(source: string): ParsedText;
  /** Counts a nested include of a name; the result undoes it, undefined means there are too many. */
  enterInclude(name: string): (() => void) | undefined;
  /** An object of the cluster; an empty map when there is none. */
  lookup(key: LookupKey): GoValue;
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** The name of the local time zone, for example `UTC`. */
  readonly zone: string;
  /** Whether functions that take seconds of work (keys, bcrypt) are allowed. */
  readonly crypto: boolean;
  readonly compat: Compat;
}

/** Looks templates up by name. */
export interface Programs {
  lookup(name: string): Program | undefined;
}

interface Variable {
  readonly name: string;
  value: GoValue;
  /** The value came out of a list or map: errors then call its type `interface {}`. */
  boxed: boolean;
}

/** The state of one template's execution. */
export class State {
  readonly runtime: Runtime;
  readonly programs: Programs;
  readonly program: Program;
  readonly out: Output;
  /** The node that errors point at. */
  node: Node;
  dotBoxed = false;
  readonly #variables: Variable[];

  constructor(init: { runtime: Runtime; programs: Programs; program: Program; out: Output; dot: GoValue }) {
    this.runtime = init.runtime;
    this.programs = init.programs;
    this.program = init.program;
    this.out = init.out;
    this.node = init.program.body.root;
    this.#variables = [{ name: "$", value: init.dot, boxed: false }];
  }

  mark(): number {
    return this.#variables.length;
  }

  release(mark: number): void {
    this.#variables.length = mark;
  }

  declare(name: string, value: GoValue, boxed = false): void {
    this.#variables.push({ name, value, boxed });
  }

  /** Changes a variable counted from the last declared one, as `range` does for each element. */
  setTop(back: number, value: GoValue, boxed: boolean): void {
    const variable = this.#variables.at(-back);
    if (variable === undefined) return;
    variable.value = value;
    variable.boxed = boxed;
  }

  assign(name: string, value: GoValue): void {
    const variable = this.#find(name);
    variable.value = value;
    variable.boxed = false;
  }

  variable(name: string): { readonly value: GoValue; readonly boxed: boolean } {
    return this.#find(name);
  }

  #find(name: string): Variable {
    for (let index = this.#variables.length - 1; index >= 0; index--) {
      const variable = this.#variables[index];
      if (variable?.name === name) return variable;
    }
    throw this.error(`undefined variable: ${name}`);
  }

  /** `FILE:LINE:COLUMN` of the current node. */
  get location(): string {
    return locationOf(this.program, this.node.offset);
  }

  /** An error at the current node. */
  error(reason: string, cause?: unknown): ExecError {
    return new ExecError({
      location: this.location,
      template: this.program.name,
      context: nodeText(this.node),
      reason,
      ...(cause === undefined ? {} : { cause }),
    });
  }
}

/** `FILE:LINE:COLUMN` of an offset; the column counts bytes from 0. */
function locationOf({ file, body }: Program, offset: number): string {
  const before = body.source.slice(0, offset);
  const lineStart = before.lastIndexOf("\n") + 1;
  const line = before.split("\n").length;
  return `${file}:${line}:${byteLength(before.slice(lineStart))}`;
}

/** Collects what a template prints. */
export class Output {
  text = "";
  readonly #runtime: Runtime;

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
  }

  write(text: string): void {
    this.text += text;
    this.#runtime.produced(text.length);
  }
}
