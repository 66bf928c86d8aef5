import type { Call, Expr, Fold, FoldName, Literal, Select } from "./ast.ts";
import { overloadsOf } from "./functions/library.ts";
import type { Overload } from "./functions/registry.ts";
import { CompileError, type Issue } from "./source.ts";
import {
  type Bindings,
  bool,
  broken,
  bytes,
  type CelType,
  double,
  duration,
  dyn,
  formatType,
  int,
  isAssignable,
  isDyn,
  join,
  listOf,
  mapOf,
  nullType,
  optionalOf,
  string,
  substitute,
  timestamp,
  typeOf,
  uint,
} from "./types.ts";

/** What the checker found out, for evaluation and cost. */
export interface Checked {
  readonly expr: Expr;
  readonly type: CelType;
  readonly types: ReadonlyMap<Expr, CelType>;
  /** The signatures that a call may turn out to be; several where a type is only known at run time. */
  readonly overloads: ReadonlyMap<Expr, readonly Overload[]>;
}

export type Scope = ReadonlyMap<string, CelType>;

const typeNames: Readonly<Record<string, CelType>> = {
  bool,
  bytes,
  double,
  int,
  string,
  uint,
  list: listOf(dyn),
  map: mapOf(dyn, dyn),
  null_type: nullType,
  type: typeOf(dyn),
  "google.protobuf.Timestamp": timestamp,
  "google.protobuf.Duration": duration,
};

/** The types that may stand as identifiers, for `type(x) == int`. */
export function typeNamed(name: string): CelType | undefined {
  return Object.hasOwn(typeNames, name) ? typeNames[name] : undefined;
}

/**
 * Checks an expression against the types of its variables. Throws {@link CompileError} with every fault, worded and
 * placed as cel-go does.
 */
export function check(source: string, expr: Expr, variables: Scope): Checked {
  const checker = new Checker();
  const type = checker.visit(expr, variables);
  if (checker.issues.length > 0) throw new CompileError(source, checker.issues);
  return { expr, type, types: checker.types, overloads: checker.overloads };
}

class Checker {
  readonly issues: Issue[] = [];
  readonly types = new Map<Expr, CelType>();
  readonly overloads = new Map<Expr, readonly Overload[]>();

  visit(expr: Expr, scope: Scope): CelType {
    const type = this.#typeOf(expr, scope);
    this.types.set(expr, type);
    return type;
  }

  #report(at: number, text: string): CelType {
    this.issues.push({ at, text });
    return broken;
  }

  #typeOf(expr: Expr, scope: Scope): CelType {
    switch (expr.kind) {
      case "literal":
        return literalType(expr.value);
      case "ident":
        return this.#ident(expr.name, expr.at, scope);
      case "select":
        return this.#select(expr, scope);
      case "call":
        return this.#call(expr, scope);
      case "list":
        return listOf(
          expr.items.map((item) => this.visit(item, scope)).reduce<CelType | undefined>(join, undefined) ?? dyn,
        );
      case "map":
        return this.#map(expr.entries, scope);
      case "fold":
        break;
    }
    return this.#fold(expr, scope);
  }

  #ident(name: string, at: number, scope: Scope): CelType {
    const variable = scope.get(name);
    if (variable !== undefined) return variable;
    const type = typeNamed(name);
    return type === undefined ? this.#report(at, `undeclared reference to '${name}' (in container '')`) : typeOf(type);
  }

  #map(entries: readonly (readonly [Expr, Expr])[], scope: Scope): CelType {
    let key: CelType | undefined;
    let value: CelType | undefined;
    for (const [left, right] of entries) {
      key = join(key, this.visit(left, scope));
      value = join(value, this.visit(right, scope));
    }
    return mapOf(key ?? dyn, value ?? dyn);
  }

  #select(expr: Select, scope: Scope): CelType {
    const operand = this.visit(expr.operand, scope);
    const optional = operand.kind === "optional" || expr.mode === "optional";
    const field = this.#field(operand.kind === "optional" ? operand.value : operand, expr);
    if (expr.mode === "test") return bool;
    return optional && field.kind !== "error" ? optionalOf(field) : field;
  }

  #field(operand: CelType, { field, at }: Select): CelType {
    if (isDyn(operand)) return dyn;
    if (operand.kind === "map") return operand.value;
    if (operand.kind !== "object")
      return this.#report(at, `type '${formatType(operand)}' does not support field selection`);
    return operand.fields.get(field)?.type ?? this.#report(at, `undefined field '${field}'`);
  }

  #call(expr: Call, scope: Scope): CelType {
    const qualified = namespaceOf(expr, scope);
    const receiver = qualified === undefined && expr.target !== undefined ? [this.visit(expr.target, scope)] : [];
    const args = [...receiver, ...expr.args.map((arg) => this.visit(arg, scope))];
    const candidates = overloadsOf(qualified ?? expr.name);
    const member = receiver.length > 0;
    if (candidates === undefined) {
      return this.#report(expr.at, `undeclared reference to '${expr.name}' (in container '')`);
    }
    return this.#resolve(
      expr,
      candidates.filter((overload) => overload.member === member),
      { args, member },
    );
  }

  #resolve(expr: Call, candidates: readonly Overload[], { args, member }: Arguments): CelType {
    // What is broken was reported already.
    if (args.some(({ kind }) => kind === "error")) return broken;
    const matches = candidates.flatMap((overload) => match(overload, args));
    if (matches.length === 0) {
      const applied = formatArguments(args, member);
      return this.#report(expr.at, `found no matching overload for '${expr.name}' applied to '${applied}'`);
    }
    this.overloads.set(
      expr,
      matches.map(({ overload }) => overload),
    );
    const [first, ...others] = matches.map(({ result }) => result);
    const alike = others.every((other) => formatType(other) === formatType(first ?? dyn));
    return alike ? (first ?? dyn) : dyn;
  }

  #fold(expr: Fold, scope: Scope): CelType {
    const range = this.visit(expr.range, scope);
    const inner = this.#foldScope(expr, range, scope);
    if (inner === undefined) return broken;
    const filter = expr.filter === undefined ? undefined : this.visit(expr.filter, inner);
    const transform = expr.transform === undefined ? undefined : this.visit(expr.transform, inner);
    const result = foldResult(expr, range, transform ?? broken);
    if (filter === undefined || filter.kind === "bool" || isDyn(filter)) return result;
    return this.#badFilter(expr, filter, result);
  }

  #badFilter({ name, filter, at }: Fold, found: CelType, result: CelType): CelType {
    if (name === "all" || name === "exists") {
      return this.#report(filter?.at ?? at, `expected type 'bool' but found '${formatType(found)}'`);
    }
    const branch = formatType(name === "exists_one" ? int : result);
    return this.#report(
      at,
      `found no matching overload for '_?_:_' applied to '(${formatType(found)}, ${branch}, ${branch})'`,
    );
  }

  /** The scope inside a macro; undefined when nothing can run over the range. */
  #foldScope(expr: Fold, range: CelType, scope: Scope): Scope | undefined {
    const [first = "", second] = expr.variables;
    const parts = rangeParts(expr, range);
    if (parts === undefined) {
      const text = `expression of type '${formatType(range)}' cannot be range of a comprehension (must be list, map, or dynamic)`;
      this.#report(expr.range.at, text);
      return undefined;
    }
    const inner = new Map(scope);
    inner.set(first, second === undefined ? parts.single : parts.first);
    if (second !== undefined) inner.set(second, parts.second);
    return inner;
  }
}

interface Arguments {
  readonly args: readonly CelType[];
  readonly member: boolean;
}

/** `lists.range` is a function of a namespace, unless a variable is called `lists`. */
export function namespaceOf({ target, name }: Call, scope: Scope): string | undefined {
  if (target?.kind !== "ident" || scope.has(target.name)) return undefined;
  const qualified = `${target.name}.${name}`;
  return overloadsOf(qualified) === undefined ? undefined : qualified;
}

function match(overload: Overload, args: readonly CelType[]): readonly { overload: Overload; result: CelType }[] {
  const { params } = overload;
  if (params.length !== args.length) return [];
  const bindings: Bindings = new Map();
  const fits = params.every((param, at) => isAssignable(param, args[at] ?? dyn, bindings));
  return fits ? [{ overload, result: resultOf(overload, args, bindings) }] : [];
}

/** `type(x)` knows what x is. */
function resultOf({ name, result }: Overload, [first = dyn]: readonly CelType[], bindings: Bindings): CelType {
  return name === "type" ? typeOf(first) : substitute(result, bindings);
}

function formatArguments(args: readonly CelType[], member: boolean): string {
  const texts = args.map(formatType);
  return member ? `${texts[0]}.(${texts.slice(1).join(", ")})` : `(${texts.join(", ")})`;
}

function literalType(value: Literal): CelType {
  if (value === null) return nullType;
  if (value instanceof Uint8Array) return bytes;
  return typeof value === "object" ? uint : literalTypes[typeof value as keyof typeof literalTypes];
}

const literalTypes = { bigint: int, number: double, string, boolean: bool };

interface RangeParts {
  readonly single: CelType;
  readonly first: CelType;
  readonly second: CelType;
}

function rangeParts({ name }: Fold, range: CelType): RangeParts | undefined {
  if (isDyn(range)) return { single: dyn, first: dyn, second: dyn };
  const optional = name === "optMap" || name === "optFlatMap";
  if (optional) return range.kind === "optional" ? { single: range.value, first: dyn, second: dyn } : undefined;
  if (range.kind === "list") return { single: range.item, first: int, second: range.item };
  return range.kind === "map" ? { single: range.key, first: range.key, second: range.value } : undefined;
}

function foldResult({ name }: Fold, range: CelType, transform: CelType): CelType {
  const isList = range.kind === "list";
  return foldResults[name](transform, { item: isList ? range.item : keyOf(range), key: isList ? int : keyOf(range) });
}

type FoldResult = (transform: CelType, range: { item: CelType; key: CelType }) => CelType;

const foldResults: Readonly<Record<FoldName, FoldResult>> = {
  all: () => bool,
  exists: () => bool,
  exists_one: () => bool,
  filter: (_, { item }) => listOf(item),
  map: listOf,
  transformList: listOf,
  transformMap: (transform, { key }) => mapOf(key, transform),
  transformMapEntry: (transform) => transform,
  optMap: optionalOf,
  optFlatMap: (transform) => transform,
};

function keyOf(range: CelType): CelType {
  return range.kind === "map" ? range.key : dyn;
}
