import { type ASTNode, Environment, ParseError } from "@marcbachmann/cel-js";
import type { Call, Expr, Fold, Literal } from "./ast.ts";
import { expandFold, isFoldName } from "./macros.ts";
import { CompileError } from "./source.ts";

/**
 * The grammar comes from cel-js; checking and evaluation are ours, because Kubernetes asks for its own types, messages
 * and a cost budget. Limits keep a hostile expression from exhausting the parser.
 */
const grammar = new Environment({
  enableOptionalTypes: true,
  unlistedVariablesAreDyn: true,
  limits: { maxAstNodes: 20_000, maxDepth: 200, maxListElements: 5_000, maxMapEntries: 5_000 },
});

/** Parses an expression. Throws {@link CompileError} on a syntax error, placed and worded as cel-go does. */
export function parse(source: string): Expr {
  try {
    return new Converter(source).convert(grammar.parse(source).ast);
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    throw new CompileError(source, [{ at: error.range?.start ?? 0, text: syntaxText(error) }]);
  }
}

const operandStart =
  "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";

function syntaxText(error: ParseError): string {
  if (error.code === "invalid_macro_argument") return "argument must be a simple name";
  if (error.summary === "Unexpected token: EOF")
    return `Syntax error: mismatched input '<EOF>' expecting ${operandStart}`;
  return `Syntax error: ${error.summary}`;
}

type Node<Op extends ASTNode["op"]> = Extract<ASTNode, { readonly op: Op }>;
type Binary = Node<"!=" | "==" | "+" | "-" | "*" | "/" | "%" | "<" | "<=" | ">" | ">=" | "&&" | "||">;

const binaryOperators: ReadonlySet<string> = new Set([
  "!=",
  "==",
  "+",
  "-",
  "*",
  "/",
  "%",
  "<",
  "<=",
  ">",
  ">=",
  "&&",
  "||",
]);

function isBinary(node: ASTNode): node is Binary {
  return binaryOperators.has(node.op);
}

/** Turns the tree of cel-js into ours: operators become calls, macros become folds, positions become those of cel-go. */
class Converter {
  readonly #source: string;

  constructor(source: string) {
    this.#source = source;
  }

  convert(node: ASTNode): Expr {
    if (isBinary(node)) return this.#binary(node);
    if (node.op === "value") return { kind: "literal", value: this.#literal(node), at: node.start };
    if (node.op === "id") return { kind: "ident", name: node.args, at: node.start };
    if (node.op === "list") return { kind: "list", items: node.args.map((item) => this.convert(item)), at: node.start };
    if (node.op === "map") return this.#map(node);
    if (node.op === "call") return this.#call(node);
    return node.op === "rcall" ? this.#memberCall(node) : this.#operator(node);
  }

  #map(node: Node<"map">): Expr {
    const entries = node.args.map(([key, value]) => [this.convert(key), this.convert(value)] as const);
    return { kind: "map", entries, at: node.start };
  }

  #literal({ args, start }: Node<"value">): Literal {
    if (typeof args === "bigint" && args > 9223372036854775807n) return this.#fail(start, "invalid int literal");
    if (typeof args !== "object" || args === null || args instanceof Uint8Array) return args;
    return { uint: BigInt(String(args.valueOf())) };
  }

  #binary(node: Binary): Expr {
    const [left, right] = node.args;
    const at = this.#find(node.op, left.end);
    return { kind: "call", name: `_${node.op}_`, args: [this.convert(left), this.convert(right)], at };
  }

  #operator(node: Exclude<ASTNode, Binary | Node<"value" | "id" | "list" | "map" | "call" | "rcall">>): Expr {
    if (node.op === ".") return this.#select(node.args, "value");
    if (node.op === ".?") return this.#select(node.args, "optional");
    if (node.op === "[]") return this.#index("_[_]", node.args);
    if (node.op === "[?]") return this.#index("_[?_]", node.args);
    if (node.op === "in") return this.#index("@in", node.args);
    return node.op === "?:" ? this.#ternary(node.args) : this.#unary(node);
  }

  #select([operand, field]: readonly [ASTNode, string], mode: "value" | "optional"): Expr {
    return { kind: "select", operand: this.convert(operand), field, mode, at: this.#find(".", operand.end) };
  }

  #index(name: string, [left, right]: readonly [ASTNode, ASTNode]): Expr {
    const at = this.#find(name === "@in" ? "in" : "[", left.end);
    return { kind: "call", name, args: [this.convert(left), this.convert(right)], at };
  }

  #ternary([condition, yes, no]: readonly [ASTNode, ASTNode, ASTNode]): Expr {
    const at = this.#find("?", condition.end);
    return { kind: "call", name: "_?_:_", args: [this.convert(condition), this.convert(yes), this.convert(no)], at };
  }

  #unary(node: Node<"!_" | "-_">): Expr {
    const operand = node.args;
    if (node.op === "-_" && operand.op === "value") {
      const { args } = operand;
      if (typeof args === "bigint" || typeof args === "number")
        return { kind: "literal", value: -args, at: node.start };
    }
    return { kind: "call", name: node.op, args: [this.convert(operand)], at: node.start };
  }

  #call({ args: [name, args], start }: Node<"call">): Expr {
    const at = this.#find("(", start + name.length);
    const converted = args.map((arg) => this.convert(arg));
    return name === "has" ? this.#has(converted, at) : { kind: "call", name, args: converted, at };
  }

  #has([operand, ...more]: readonly Expr[], at: number): Expr {
    if (operand?.kind === "select" && operand.mode === "value" && more.length === 0)
      return { ...operand, mode: "test", at };
    return this.#fail(operand?.at ?? at, "invalid argument to has() macro");
  }

  #memberCall({ args: [name, receiver, args] }: Node<"rcall">): Expr {
    const dot = this.#find(".", receiver.end);
    const at = this.#find("(", this.#find(name, dot + 1) + name.length);
    const target = this.convert(receiver);
    const converted = args.map((arg) => this.convert(arg));
    const fold = isFoldName(name) ? this.#fold({ kind: "call", name, target, args: converted, at }) : undefined;
    return fold ?? this.#qualified(target, name, converted, at);
  }

  #fold(call: Call & { target: Expr }): Fold | undefined {
    const fold = expandFold(call);
    return fold !== undefined && "problem" in fold ? this.#fail(fold.at, fold.problem) : fold;
  }

  /** `math.abs(x)` is a function of the namespace `math` unless a variable of that name is in scope; the checker knows. */
  #qualified(target: Expr, name: string, args: readonly Expr[], at: number): Call {
    return { kind: "call", name, target, args, at };
  }

  /** Where a token stands that follows an operand: parentheses and blanks may come between. */
  #find(token: string, from: number): number {
    const at = this.#source.indexOf(token, from);
    return at < 0 ? from : at;
  }

  #fail(at: number, text: string): never {
    throw new CompileError(this.#source, [{ at, text }]);
  }
}
