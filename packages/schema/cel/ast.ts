/** The syntax tree that is checked and evaluated. `at` is the offset that messages point to. */
export type Expr =
  | { readonly kind: "literal"; readonly value: Literal; readonly at: number }
  | { readonly kind: "ident"; readonly name: string; readonly at: number }
  | Select
  | Call
  | { readonly kind: "list"; readonly items: readonly Expr[]; readonly at: number }
  | { readonly kind: "map"; readonly entries: readonly (readonly [Expr, Expr])[]; readonly at: number }
  | Fold;

export type Literal = bigint | number | string | boolean | null | Uint8Array | { readonly uint: bigint };

/** `a.b`, `has(a.b)` and `a.?b`. */
export interface Select {
  readonly kind: "select";
  readonly operand: Expr;
  readonly field: string;
  readonly mode: "value" | "test" | "optional";
  readonly at: number;
}

/** A function, a member function or an operator (`_+_`). */
export interface Call {
  readonly kind: "call";
  readonly name: string;
  readonly target?: Expr;
  readonly args: readonly Expr[];
  readonly at: number;
}

export type FoldName =
  | "all"
  | "exists"
  | "exists_one"
  | "filter"
  | "map"
  | "transformList"
  | "transformMap"
  | "transformMapEntry"
  | "optMap"
  | "optFlatMap";

/** A macro that runs over a list, a map or an optional. */
export interface Fold {
  readonly kind: "fold";
  readonly name: FoldName;
  readonly range: Expr;
  /** One variable: the item, or the key of a map. Two: index and item, or key and value. */
  readonly variables: readonly string[];
  /** Keeps an entry; absent: all are kept. For all, exists and exists_one it is the question itself. */
  readonly filter?: Expr;
  /** Makes an entry of the result. */
  readonly transform?: Expr;
  readonly at: number;
}
