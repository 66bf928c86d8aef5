import {
  bool,
  bytes,
  type CelType,
  double,
  duration,
  dyn,
  int,
  listOf,
  mapOf,
  nullType,
  optionalOf,
  string,
  timestamp,
  typeOf,
  uint,
} from "../types.ts";
import type { CelValue } from "../values.ts";

/** Takes arguments of the declared types, which it names instead of testing them. */
type Implementation = (...args: never[]) => CelValue;

/** One signature of a function with what it does. */
export interface Overload {
  readonly name: string;
  /** Called as `receiver.name(…)`; the receiver is the first parameter. */
  readonly member: boolean;
  readonly params: readonly CelType[];
  readonly result: CelType;
  readonly run: (args: readonly CelValue[]) => CelValue;
  /** Steps beyond the call itself, by its arguments; see `cost.ts`. */
  readonly signature: string;
}

const opaque = (name: string): CelType => ({ kind: "opaque", name });

const atoms: Readonly<Record<string, CelType>> = {
  bool,
  bytes,
  double,
  duration,
  dyn,
  int,
  null: nullType,
  string,
  timestamp,
  uint,
  type: typeOf(dyn),
  A: { kind: "param", name: "A" },
  B: { kind: "param", name: "B" },
  CIDR: opaque("net.CIDR"),
  Format: opaque("kubernetes.NamedFormat"),
  IP: opaque("net.IP"),
  Quantity: opaque("kubernetes.Quantity"),
  Semver: opaque("kubernetes.Semver"),
  URL: opaque("kubernetes.URL"),
};

/**
 * Declares functions by signature: `size(list(A)): int`, `string.trim(): string` (a member), `sets.contains(…): bool`
 * (a namespace), `_+_(int, int): int` (an operator).
 */
export function declare(table: Readonly<Record<string, Implementation>>): readonly Overload[] {
  return Object.entries(table).map(([signature, implementation]) => {
    // The checker lets only arguments of the declared types through.
    const run = (args: readonly CelValue[]): CelValue => implementation(...(args as never[]));
    return { ...parseSignature(signature), run, signature };
  });
}

function parseSignature(signature: string): Omit<Overload, "run" | "signature"> {
  const [head = "", result = ""] = signature.split(/: (?=[^:]*$)/);
  const open = matchingOpen(head);
  const params = splitTypes(head.slice(open + 1, -1)).map(parseType);
  const callee = head.slice(0, open);
  const dot = callee.lastIndexOf(".");
  const receiver = dot < 0 ? undefined : typeNamed(callee.slice(0, dot));
  if (receiver === undefined) return { name: callee, member: false, params, result: parseType(result) };
  return { name: callee.slice(dot + 1), member: true, params: [receiver, ...params], result: parseType(result) };
}

/** Where the list of parameters opens: the parenthesis that the last one closes. */
function matchingOpen(head: string): number {
  let depth = 0;
  for (let at = head.length - 1; at >= 0; at--) {
    if (head[at] === ")") depth++;
    if (head[at] === "(" && --depth === 0) return at;
  }
  return head.length;
}

function splitTypes(text: string): readonly string[] {
  const parts: string[] = [];
  let depth = 0;
  let part = "";
  for (const char of text) {
    if (char === "(") depth++;
    if (char === ")") depth--;
    if (char === "," && depth === 0) {
      parts.push(part.trim());
      part = "";
    } else part += char;
  }
  return part.trim() === "" ? parts : [...parts, part.trim()];
}

function typeNamed(text: string): CelType | undefined {
  const [, outer = "", inner = ""] = /^(list|map|optional)\((.*)\)$/.exec(text) ?? [];
  const [first = dyn, second = dyn] = splitTypes(inner).map(parseType);
  if (outer === "list") return listOf(first);
  if (outer === "map") return mapOf(first, second);
  return outer === "optional" ? optionalOf(first) : atoms[text];
}

function parseType(text: string): CelType {
  const type = typeNamed(text);
  if (type === undefined) throw new Error(`unknown type ${text} in a signature`);
  return type;
}
