/** A node of a path pattern: one character, any run of characters, or alternatives. */
type Node =
  | { readonly kind: "char"; readonly test: (char: string) => boolean }
  | { readonly kind: "run"; readonly crossesSlash: boolean }
  | { readonly kind: "either"; readonly branches: readonly (readonly Node[])[] };

/** A pattern of `.Files.Glob`. */
export type PathGlob = readonly Node[];

const notSlash = (char: string): boolean => char !== "/";

class Parser {
  readonly #chars: readonly string[];
  #at = 0;

  constructor(text: string) {
    this.#chars = Array.from(text);
  }

  /** Reads up to the end, or inside braces up to `,` or `}`. */
  sequence(inBraces: boolean): Node[] | undefined {
    const nodes: Node[] = [];
    for (let char = this.#chars[this.#at]; char !== undefined; char = this.#chars[this.#at]) {
      if (inBraces && (char === "," || char === "}")) return nodes;
      this.#at++;
      const node = this.#node(char);
      if (node === undefined) return undefined;
      nodes.push(node);
    }
    return inBraces ? undefined : nodes;
  }

  #node(char: string): Node | undefined {
    if (char === "*") return this.#run();
    if (char === "?") return { kind: "char", test: notSlash };
    if (char === "[") return this.#class();
    if (char === "{") return this.#braces();
    const literal = char === "\\" ? this.#chars[this.#at++] : char;
    return literal === undefined ? undefined : { kind: "char", test: (other) => other === literal };
  }

  #run(): Node {
    const crossesSlash = this.#chars[this.#at] === "*";
    if (crossesSlash) this.#at++;
    return { kind: "run", crossesSlash };
  }

  #class(): Node | undefined {
    const close = this.#chars.indexOf("]", this.#at);
    if (close < 0) return undefined;
    const negated = this.#chars[this.#at] === "!";
    const inside = this.#chars.slice(this.#at + (negated ? 1 : 0), close);
    this.#at = close + 1;
    if (inside.length === 0) return undefined;
    const isRange = inside.length === 3 && inside[1] === "-";
    const [low = "", , high = ""] = inside;
    const holds = (char: string): boolean => (isRange ? low <= char && char <= high : inside.includes(char));
    return { kind: "char", test: (char) => holds(char) !== negated };
  }

  #braces(): Node | undefined {
    const branches: Node[][] = [];
    for (;;) {
      const branch = this.sequence(true);
      if (branch === undefined) return undefined;
      branches.push(branch);
      if (this.#chars[this.#at++] === "}") return { kind: "either", branches };
    }
  }
}

/** Parses a pattern: `*` stays inside a folder, `**` does not, `?`, `[abc]`, `[a-z]`, `[!a]`, `{a,b}`, `\`. */
export function parsePathGlob(text: string): PathGlob | undefined {
  return new Parser(text).sequence(false);
}

/** The offsets that can be reached from any of `starts` by way of the nodes. */
function advance(nodes: readonly Node[], chars: readonly string[], starts: ReadonlySet<number>): Set<number> {
  let reached = new Set(starts);
  for (const node of nodes) {
    const next = new Set<number>();
    if (node.kind === "either") branch(node, chars, { from: reached, to: next });
    else for (const at of reached) step(node, chars, at, next);
    reached = next;
  }
  return reached;
}

function branch(
  node: Extract<Node, { kind: "either" }>,
  chars: readonly string[],
  offsets: { readonly from: ReadonlySet<number>; readonly to: Set<number> },
): void {
  for (const nodes of node.branches) {
    for (const at of advance(nodes, chars, offsets.from)) offsets.to.add(at);
  }
}

function step(node: Exclude<Node, { kind: "either" }>, chars: readonly string[], at: number, next: Set<number>): void {
  if (node.kind === "char") {
    const char = chars[at];
    if (char !== undefined && node.test(char)) next.add(at + 1);
    return;
  }
  for (let end = at; end <= chars.length && !next.has(end); end++) {
    next.add(end);
    if (!node.crossesSlash && chars[end] === "/") break;
  }
}

/** Whether the whole path matches. */
export function matchPath(glob: PathGlob, path: string): boolean {
  const chars = Array.from(path);
  return advance(glob, chars, new Set([0])).has(chars.length);
}
