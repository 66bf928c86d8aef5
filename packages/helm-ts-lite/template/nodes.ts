import { quote } from "../go/quote.ts";

interface At {
  /** Offset in the source, in UTF-16 units. */
  readonly offset: number;
}

export interface TextNode extends At {
  readonly type: "text";
  readonly text: string;
}
export interface ActionNode extends At {
  readonly type: "action";
  readonly pipe: PipeNode;
}
/** `if` and `with`. */
export interface BranchNode extends At {
  readonly type: "if" | "with";
  readonly pipe: PipeNode;
  readonly list: ListNode;
  readonly otherwise: ListNode | undefined;
}
export interface RangeNode extends At {
  readonly type: "range";
  readonly pipe: PipeNode;
  readonly list: ListNode;
  readonly otherwise: ListNode | undefined;
}
export interface TemplateNode extends At {
  readonly type: "template";
  readonly name: string;
  readonly pipe: PipeNode | undefined;
}
export interface JumpNode extends At {
  readonly type: "break" | "continue";
}
/** Marks where a list of nodes stops; never part of a tree. */
export interface StopNode extends At {
  readonly type: "end" | "else";
}
export interface ListNode extends At {
  readonly type: "list";
  readonly nodes: StatementNode[];
}
export interface PipeNode extends At {
  readonly type: "pipe";
  assigns: boolean;
  readonly declares: VariableNode[];
  readonly commands: CommandNode[];
}
export interface CommandNode extends At {
  readonly type: "command";
  readonly args: OperandNode[];
}
export interface FieldNode extends At {
  readonly type: "field";
  readonly path: readonly string[];
}
export interface VariableNode extends At {
  readonly type: "variable";
  /** The name with its `$`, then fields. */
  readonly path: readonly string[];
}
export interface ChainNode extends At {
  readonly type: "chain";
  readonly base: OperandNode;
  readonly path: readonly string[];
}
export interface IdentifierNode extends At {
  readonly type: "identifier";
  readonly name: string;
}
export interface SimpleNode extends At {
  readonly type: "dot" | "nil";
}
export interface BoolNode extends At {
  readonly type: "bool";
  readonly value: boolean;
}
export interface StringNode extends At {
  readonly type: "string";
  readonly quoted: string;
  readonly value: string;
}
/** A number literal, with every reading that is possible. */
export interface NumberNode extends At {
  readonly type: "number";
  readonly text: string;
  readonly integer: bigint | undefined;
  readonly unsigned: bigint | undefined;
  readonly float: number | undefined;
  /** The text of a complex number, which only `print` can use. */
  readonly complex: string | undefined;
}

export type StatementNode = TextNode | ActionNode | BranchNode | RangeNode | TemplateNode | JumpNode;
export type OperandNode =
  | FieldNode
  | VariableNode
  | ChainNode
  | IdentifierNode
  | SimpleNode
  | BoolNode
  | StringNode
  | NumberNode
  | PipeNode;
export type Node = StatementNode | OperandNode | ListNode | CommandNode | StopNode;

function operandText(node: OperandNode): string {
  return node.type === "pipe" ? `(${nodeText(node)})` : nodeText(node);
}

function pipeText(pipe: PipeNode): string {
  const declared = pipe.declares.map((variable) => variable.path.join(".")).join(", ");
  const commands = pipe.commands.map(nodeText).join(" | ");
  return declared === "" ? commands : `${declared} ${pipe.assigns ? "=" : ":="} ${commands}`;
}

const printers: { readonly [T in Node["type"]]: (node: Extract<Node, { type: T }>) => string } = {
  text: (node) => node.text,
  action: (node) => `{{${pipeText(node.pipe)}}}`,
  if: branchText,
  with: branchText,
  range: branchText,
  template: (node) => `{{template ${quote(node.name)}${node.pipe === undefined ? "" : ` ${pipeText(node.pipe)}`}}}`,
  break: () => "{{break}}",
  continue: () => "{{continue}}",
  end: () => "{{end}}",
  else: () => "{{else}}",
  list: (node) => node.nodes.map(nodeText).join(""),
  pipe: pipeText,
  command: (node) => node.args.map(operandText).join(" "),
  field: (node) => `.${node.path.join(".")}`,
  variable: (node) => node.path.join("."),
  chain: (node) => `${operandText(node.base)}.${node.path.join(".")}`,
  identifier: (node) => node.name,
  dot: () => ".",
  nil: () => "nil",
  bool: (node) => String(node.value),
  string: (node) => node.quoted,
  number: (node) => node.text,
};

function branchText(node: BranchNode | RangeNode): string {
  const otherwise = node.otherwise === undefined ? "" : `{{else}}${nodeText(node.otherwise)}`;
  return `{{${node.type} ${pipeText(node.pipe)}}}${nodeText(node.list)}${otherwise}{{end}}`;
}

/** The node printed back, as errors show it. */
export function nodeText(node: Node): string {
  const print = printers[node.type] as (node: Node) => string;
  return print(node);
}

/** True when the list prints nothing but white space: such a definition replaces none. */
export function isBlank(list: ListNode): boolean {
  return list.nodes.every((node) => node.type === "text" && /^[\s\u0085]*$/.test(node.text));
}
