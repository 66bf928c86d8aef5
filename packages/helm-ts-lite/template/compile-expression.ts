import { int } from "../go/int.ts";
import { complexNumber } from "../go/objects.ts";
import { type GoValue, isTrue, type ParamType, type Signature } from "../go/values.ts";
import { checkType, compileLiteral, compileNil, countProblem } from "./check.ts";
import { ExecError, GoError } from "./errors.ts";
import { type MethodArgs, type Receiver, walkFields } from "./fields.ts";
import type { Functions } from "./func.ts";
import {
  type ChainNode,
  type CommandNode,
  type FieldNode,
  type IdentifierNode,
  type Node,
  type NumberNode,
  nodeText,
  type OperandNode,
  type PipeNode,
  type VariableNode,
} from "./nodes.ts";
import type { Eval, State } from "./state.ts";

/** A command of a pipeline; `final` is the value of the command before it. */
type Command = (state: State, dot: GoValue, final: GoValue) => GoValue;
type ArgsEval = (state: State, dot: GoValue, final: GoValue) => GoValue[];

/** What follows an operand: further operands, and perhaps a value from the pipeline. */
interface Rest {
  readonly args: readonly OperandNode[];
  readonly hasFinal: boolean;
}

const alone: Rest = { args: [], hasFinal: false };
const isAlone = (rest: Rest): boolean => rest.args.length === 0 && !rest.hasFinal;

/**
 * Turns expressions into closures. Each sets `state.node` where Go's evaluator does, because errors
 * show the node that was evaluated last.
 */
export class ExpressionCompiler {
  readonly #functions: Functions;

  constructor(functions: Functions) {
    this.#functions = functions;
  }

  /** A pipeline, with what it declares or assigns. Its result is never nil in an interface: that becomes no value. */
  pipeline(pipe: PipeNode): Eval {
    const commands = pipe.commands.map((command, index) => this.#command(command, index > 0));
    const evaluate = running(pipe, commands);
    return pipe.declares.length === 0 ? evaluate : declaring(pipe, evaluate);
  }

  #command(command: CommandNode, hasFinal: boolean): Command {
    const [first, ...args] = command.args;
    if (first === undefined) return () => undefined;
    const rest = { args, hasFinal };
    if (first.type === "field") return this.#field(first, rest);
    if (first.type === "variable") return this.#variable(first, rest);
    if (first.type === "chain") return this.#chain(first, rest);
    if (first.type === "identifier") return this.#call(first, command, rest);
    if (!isAlone(rest)) return notAFunction(first);
    return first.type === "pipe" ? this.pipeline(first) : this.#simple(first);
  }

  /** An operand that stands alone as a command. */
  #simple(node: OperandNode): Eval {
    const evaluate = this.#operand(node);
    return (state, dot) => {
      state.node = node;
      if (node.type === "nil") throw state.error("nil is not a command");
      return evaluate(state, dot);
    };
  }

  #operand(node: OperandNode): Eval {
    const compile = this.#operands[node.type] as (node: OperandNode) => Eval;
    return compile(node);
  }

  readonly #operands: { readonly [T in OperandNode["type"]]: (node: Extract<OperandNode, { type: T }>) => Eval } = {
    bool: (node) => () => node.value,
    string: (node) => () => node.value,
    number: constant,
    field: (node) => this.#fieldAlone(node),
    variable: (node) => this.#variable(node, alone) as Eval,
    chain: (node) => this.#chain(node, alone) as Eval,
    identifier: (node) => this.#call(node, node, alone) as Eval,
    pipe: (node) => this.pipeline(node),
    dot: () => (_state, dot) => dot,
    nil: () => () => undefined,
  };

  /** Compiles one argument for a parameter type. Literals are judged by what is written, values by what they are. */
  #argument(node: OperandNode, type: ParamType): Eval {
    if (node.type === "nil") return compileNil(node, type);
    const isLiteral = node.type === "bool" || node.type === "string" || node.type === "number";
    if (isLiteral && type !== "any" && type !== "value") return compileLiteral(node, type);
    const evaluate = this.#operand(node);
    return (state, dot) => {
      state.node = node;
      const value = evaluate(state, dot);
      return type === "any" && value !== undefined ? value : checkType(state, value, type);
    };
  }

  /** Compiles the arguments of a call of `name`. A wrong count is an error when the call is reached. */
  #args(name: string, signature: Signature, rest: Rest): ArgsEval {
    const problem = countProblem(signature, rest.args.length, rest.hasFinal);
    if (problem !== undefined) {
      return (state) => {
        throw state.error(`wrong number of args for ${name}: ${problem}`);
      };
    }
    const typeAt = (index: number): ParamType => signature.params[index] ?? signature.variadic ?? "any";
    const evals = rest.args.map((node, index) => this.#argument(node, typeAt(index)));
    const finalType = typeAt(rest.args.length);
    return (state, dot, final) => {
      const values: GoValue[] = [];
      for (const evaluate of evals) values.push(evaluate(state, dot));
      if (rest.hasFinal) values.push(checkType(state, final, finalType));
      return values;
    };
  }

  #call(node: IdentifierNode, command: Node, rest: Rest): Command {
    const func = this.#functions.get(node.name);
    if (func === undefined) throw new Error(`function ${node.name} passed the parser but is not known`);
    const args = this.#args(node.name, func, rest);
    if (func.stopsAt !== undefined) return this.#stopping(node, rest, func.stopsAt);
    return (state, dot, final) => {
      state.node = node;
      const values = args(state, dot, final);
      try {
        return func.call(values, state, rest.args[0]);
      } catch (error) {
        state.node = command;
        throw failedCall(state, node.name, error);
      }
    };
  }

  /** `and` and `or`: the first argument that decides is the result, the others are not evaluated. */
  #stopping(node: IdentifierNode, rest: Rest, stopsAt: boolean): Command {
    const evals = rest.args.map((arg) => this.#argument(arg, "value"));
    const tooFew = evals.length === 0 && !rest.hasFinal;
    return (state, dot, final) => {
      state.node = node;
      if (tooFew) throw state.error(`wrong number of args for ${node.name}: want at least 1 got 0`);
      let value: GoValue;
      for (const evaluate of evals) {
        value = evaluate(state, dot);
        if (isTrue(value) === stopsAt) return value;
      }
      return rest.hasFinal ? final : value;
    };
  }

  /** A plain field chain on dot: by far the most frequent expression. */
  #fieldAlone(node: FieldNode): Eval {
    return (state, dot) => {
      state.node = node;
      return walkFields(state, { value: dot, boxed: state.dotBoxed }, node.path);
    };
  }

  #field(node: FieldNode, rest: Rest): Command {
    if (isAlone(rest)) return this.#fieldAlone(node);
    const args = this.#methodArgs(rest);
    return (state, dot, final) => {
      state.node = node;
      return walkFields(state, { value: dot, boxed: state.dotBoxed }, node.path, args(state, dot, final));
    };
  }

  #variable(node: VariableNode, rest: Rest): Command {
    const [name = "$", ...path] = node.path;
    if (path.length === 0) {
      if (!isAlone(rest)) return notAFunction(node);
      return (state) => {
        state.node = node;
        return state.variable(name).value;
      };
    }
    const args = isAlone(rest) ? undefined : this.#methodArgs(rest);
    return (state, dot, final) => {
      state.node = node;
      return walkFields(state, state.variable(name), path, args?.(state, dot, final));
    };
  }

  #chain(node: ChainNode, rest: Rest): Command {
    const base = this.#operand(node.base);
    const args = isAlone(rest) ? undefined : this.#methodArgs(rest);
    return (state, dot, final) => {
      state.node = node;
      const receiver: Receiver = { value: base(state, dot), boxed: node.base.type === "identifier" };
      return walkFields(state, receiver, node.path, args?.(state, dot, final));
    };
  }

  /** Arguments of a method, whose types are known only when it is found. */
  #methodArgs(rest: Rest): (state: State, dot: GoValue, final: GoValue) => MethodArgs {
    const compiled = new Map<string, ArgsEval>();
    return (state, dot, final) => (signature, name) => {
      const key = `${name} ${signature.params.join()} ${signature.variadic}`;
      let evaluate = compiled.get(key);
      if (evaluate === undefined) {
        evaluate = this.#args(name, signature, rest);
        compiled.set(key, evaluate);
      }
      return evaluate(state, dot, final);
    };
  }
}

// One closure each, and one for the frequent single command: nested includes are as deep as the stack allows.
function running(pipe: PipeNode, commands: readonly Command[]): Eval {
  const [only] = commands;
  if (commands.length === 1 && only !== undefined) {
    return (state, dot) => {
      state.node = pipe;
      return only(state, dot, undefined) ?? undefined;
    };
  }
  return (state, dot) => {
    state.node = pipe;
    let value: GoValue;
    for (const command of commands) value = command(state, dot, value) ?? undefined;
    return value;
  };
}

function declaring(pipe: PipeNode, evaluate: Eval): Eval {
  const names = pipe.declares.map((variable) => variable.path[0] ?? "$");
  return (state, dot) => {
    const value = evaluate(state, dot);
    for (const name of names) {
      if (pipe.assigns) state.assign(name, value);
      else state.declare(name, value);
    }
    return value;
  };
}

/** A literal without a wanted type: a float when it is written as one, else an int. */
function constant(node: NumberNode): Eval {
  const { text, integer, float, complex } = node;
  if (complex !== undefined) {
    const value = complexNumber(complex);
    return () => value;
  }
  const isHex = /^[-+]?0[xX]/.test(text) && !/[pP]/.test(text);
  if (float !== undefined && !isHex && !text.startsWith("'") && /[.eEpP]/.test(text)) return () => float;
  if (integer !== undefined) {
    const value = int(integer);
    return () => value;
  }
  return (state) => {
    state.node = node;
    throw state.error(`${text} overflows int`);
  };
}

function notAFunction(first: OperandNode): Command {
  return (state) => {
    // The error of a parenthesised pipeline shows the whole pipeline, which is the current node already.
    if (first.type !== "pipe") state.node = first;
    throw state.error(`can't give argument to non-function ${nodeText(first)}`);
  };
}

/** Adds to a function's own failure, or to one inside a template it ran, where it was called. */
function failedCall(state: State, name: string, error: unknown): unknown {
  const isGo = error instanceof GoError || error instanceof ExecError;
  return isGo ? state.error(`error calling ${name}: `, error) : error;
}
