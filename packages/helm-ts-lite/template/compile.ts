import { Int, int } from "../go/int.ts";
import { formatValue, printed } from "../go/print.ts";
import { quote } from "../go/quote.ts";
import { type GoValue, isGoObject, isTrue, listItems, sortedKeys } from "../go/values.ts";
import { ExpressionCompiler } from "./compile-expression.ts";
import type { Functions } from "./func.ts";
import {
  type BranchNode,
  isBlank,
  type ListNode,
  type RangeNode,
  type StatementNode,
  type TemplateNode,
} from "./nodes.ts";
import { type Body, type Eval, type Exec, flowBreak, flowContinue, flowNext, State } from "./state.ts";

/** The depth at which Go gives up; ours is lower, the text is the same. */
const goTemplateDepth = 100_000;

const nothing: Exec = () => flowNext;

class Compiler {
  readonly #expressions: ExpressionCompiler;

  constructor(functions: Functions) {
    this.#expressions = new ExpressionCompiler(functions);
  }

  list(list: ListNode): Exec {
    const statements = list.nodes.map((node) => this.#statement(node));
    const [only] = statements;
    if (only === undefined) return nothing;
    if (statements.length === 1) return only;
    return (state, dot) => {
      for (const statement of statements) {
        const flow = statement(state, dot);
        if (flow !== flowNext) return flow;
      }
      return flowNext;
    };
  }

  #statement(node: StatementNode): Exec {
    const compile = this.#statements[node.type] as (node: StatementNode) => Exec;
    return compile(node);
  }

  readonly #statements: { readonly [T in StatementNode["type"]]: (node: Extract<StatementNode, { type: T }>) => Exec } =
    {
      text:
        ({ text }) =>
        (state) => {
          state.out.write(text);
          return flowNext;
        },
      action: (node) => this.#action(node.pipe),
      if: (node) => this.#if(node),
      with: (node) => this.#with(node),
      range: (node) => this.#range(node),
      template: (node) => this.#template(node),
      break: () => () => flowBreak,
      continue: () => () => flowContinue,
    };

  #action(pipe: Parameters<ExpressionCompiler["pipeline"]>[0]): Exec {
    const evaluate = this.#expressions.pipeline(pipe);
    if (pipe.declares.length > 0) {
      return (state, dot) => {
        state.runtime.step();
        evaluate(state, dot);
        return flowNext;
      };
    }
    return (state, dot) => {
      state.runtime.step();
      const value = evaluate(state, dot);
      if (typeof value === "object") state.runtime.functions.traverse(value);
      state.out.write(printed(value));
      return flowNext;
    };
  }

  #if(node: BranchNode): Exec {
    const condition = this.#expressions.pipeline(node.pipe);
    const list = this.list(node.list);
    const otherwise = node.otherwise === undefined ? nothing : this.list(node.otherwise);
    return (state, dot) => {
      state.runtime.step();
      const mark = state.mark();
      const flow = (isTrue(condition(state, dot)) ? list : otherwise)(state, dot);
      state.release(mark);
      return flow;
    };
  }

  #with(node: BranchNode): Exec {
    const condition = this.#expressions.pipeline(node.pipe);
    const list = this.list(node.list);
    const otherwise = node.otherwise === undefined ? nothing : this.list(node.otherwise);
    return (state, dot) => {
      state.runtime.step();
      const mark = state.mark();
      const value = condition(state, dot);
      const flow = isTrue(value) ? withDot(state, list, { value, boxed: false }) : otherwise(state, dot);
      state.release(mark);
      return flow;
    };
  }

  #range(node: RangeNode): Exec {
    // The elements take the place of what the pipeline itself would declare.
    const evaluate = this.#expressions.pipeline({ ...node.pipe, declares: [] });
    const list = this.list(node.list);
    const otherwise = node.otherwise === undefined ? nothing : this.list(node.otherwise);
    const names = node.pipe.declares.map((variable) => variable.path[0] ?? "$");
    const loop = new Loop(list, names, node.pipe.assigns);
    return (state, dot) => {
      state.runtime.step();
      const mark = state.mark();
      const value = evaluate(state, dot);
      if (!node.pipe.assigns) for (const name of names) state.declare(name, value);
      const ran = loop.run(state, value);
      const flow = ran ? flowNext : otherwise(state, dot);
      state.release(mark);
      return flow;
    };
  }

  #template(node: TemplateNode): Exec {
    const evaluate: Eval = node.pipe === undefined ? () => undefined : this.#expressions.pipeline(node.pipe);
    return (state, dot) => {
      state.node = node;
      state.runtime.step();
      const program = state.programs.lookup(node.name);
      if (program === undefined) throw state.error(`template ${quote(node.name)} not defined`);
      if (!state.runtime.mayEnter()) throw state.error(`exceeded maximum template depth (${goTemplateDepth})`);
      const value = evaluate(state, dot);
      state.runtime.enter();
      const { runtime, programs, out } = state;
      program.body.exec(new State({ runtime, programs, program, out, dot: value }), value);
      state.runtime.leave();
      return flowNext;
    };
  }
}

function withDot(state: State, list: Exec, dot: { value: GoValue; boxed: boolean }): 0 | 1 | 2 {
  const outer = state.dotBoxed;
  state.dotBoxed = dot.boxed;
  const flow = list(state, dot.value);
  state.dotBoxed = outer;
  return flow;
}

/** The body of a `range` and its variables. */
class Loop {
  readonly #list: Exec;
  readonly #names: readonly string[];
  readonly #assigns: boolean;

  constructor(list: Exec, names: readonly string[], assigns: boolean) {
    this.#list = list;
    this.#names = names;
    this.#assigns = assigns;
  }

  /** Runs the body for each element; false when there is none. */
  run(state: State, value: GoValue): boolean {
    if (value instanceof Map) return this.#map(state, value);
    const items = listItems(value);
    if (items !== undefined) return this.#items(state, items);
    // Go 1.24 brought counting, with helm 3.18.
    if (value instanceof Int && state.runtime.functions.compat === 4) return this.#count(state, value);
    if (isGoObject(value) && value.entries !== undefined) return this.#each(state, value.entries());
    if (value === undefined || value === null) return false;
    throw state.error(`range can't iterate over ${formatValue(value)}`);
  }

  #map(state: State, map: ReadonlyMap<string, GoValue>): boolean {
    return this.#each(
      state,
      sortedKeys(map).map((key) => [key, map.get(key) ?? null]),
    );
  }

  #count(state: State, count: Int): boolean {
    if (this.#names.length > 1)
      throw state.error(`can't use ${count.toString()} to iterate over more than one variable`);
    let ran = false;
    for (let index = 0n; index < count.value; index++) {
      ran = true;
      const value = new Int(count.type, index);
      if (!this.#once(state, value, value)) break;
    }
    return ran;
  }

  #items(state: State, items: readonly GoValue[]): boolean {
    const { length } = items;
    for (let index = 0; index < length; index++) {
      if (!this.#once(state, int(index), items[index])) break;
    }
    return length > 0;
  }

  #each(state: State, entries: readonly (readonly [GoValue, GoValue])[]): boolean {
    for (const [key, value] of entries) {
      if (!this.#once(state, key, value)) break;
    }
    return entries.length > 0;
  }

  /** One pass; false when it ended in `break`. */
  #once(state: State, key: GoValue, value: GoValue): boolean {
    state.runtime.step();
    this.#bind(state, key, value);
    const mark = state.mark();
    const flow = withDot(state, this.#list, { value, boxed: true });
    state.release(mark);
    return flow !== flowBreak;
  }

  #bind(state: State, key: GoValue, value: GoValue): void {
    const [first, second] = this.#names;
    if (first === undefined) return;
    if (this.#assigns) {
      state.assign(first, second === undefined ? value : key);
      if (second !== undefined) state.assign(second, value);
    } else if (second === undefined) {
      state.setTop(1, value, true);
    } else {
      state.setTop(2, key, false);
      state.setTop(1, value, true);
    }
  }
}

/** Many helpers of a chart are never called, so each is compiled when it first runs; it can then run any number of times. */
export class LazyBody implements Body {
  readonly source: string;
  readonly root: ListNode;
  readonly blank: boolean;
  readonly #functions: Functions;
  #exec: Exec | undefined;

  constructor(source: string, root: ListNode, functions: Functions) {
    this.source = source;
    this.root = root;
    this.blank = isBlank(root);
    this.#functions = functions;
  }

  get exec(): Exec {
    this.#exec ??= new Compiler(this.#functions).list(this.root);
    return this.#exec;
  }
}
