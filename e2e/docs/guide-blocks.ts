/** One fenced block of commands in a guide. */
export interface CommandBlock {
  /** Line of the fence, from 1. */
  readonly line: number;
  readonly commands: string;
  /** Lines that the guide shows as its output. */
  readonly shown: readonly string[];
  readonly how: Execution;
}

/**
 * What the comment above a block says:
 * - nothing: it runs to its end and succeeds;
 * - `<!-- fails with N -->`: it ends with this code;
 * - `<!-- in a terminal of its own, until: TEXT -->`: it goes on beside the others, which wait for the text;
 * - `<!-- not run: REASON -->`: the reader's world has what the test's has not.
 */
export type Execution =
  | { readonly kind: "run"; readonly code: number }
  | { readonly kind: "beside"; readonly until: string }
  | { readonly kind: "not-run"; readonly reason: string };

interface Fence {
  readonly line: number;
  readonly language: string;
  readonly text: readonly string[];
  /** The last line before it that is not empty. */
  readonly above: string;
}

/** The `sh` blocks of a guide in their order; a `console` block shows what the one before it prints. */
export function commandBlocks(markdown: string): readonly CommandBlock[] {
  const blocks: CommandBlock[] = [];
  for (const fence of fences(markdown.split("\n"))) {
    if (fence.language === "sh") {
      blocks.push({ line: fence.line, commands: fence.text.join("\n"), shown: [], how: executionOf(fence.above) });
    }
    if (fence.language === "console") {
      const last = blocks.pop();
      if (last === undefined) throw new Error(`line ${fence.line}: output is shown before any command`);
      blocks.push({ ...last, shown: [...last.shown, ...fence.text] });
    }
  }
  return blocks;
}

function* fences(lines: readonly string[]): Generator<Fence> {
  let open: (Fence & { text: string[] }) | undefined;
  let above = "";
  for (const [index, line] of lines.entries()) {
    const mark = /^\s*```(\S*)/.exec(line);
    if (mark === null) open?.text.push(line);
    else if (open === undefined) open = { line: index + 1, language: mark[1] ?? "", text: [], above };
    else {
      yield open;
      open = undefined;
    }
    if (open === undefined && line.trim() !== "") above = line.trim();
  }
  if (open !== undefined) throw new Error(`line ${open.line}: the block is never closed`);
}

function executionOf(above: string): Execution {
  const comment = /^<!-- (.*) -->$/.exec(above)?.[1] ?? "";
  const until = /^in a terminal of its own, until: (.+)$/.exec(comment)?.[1];
  if (until !== undefined) return { kind: "beside", until };
  const reason = /^not run: (.+)$/.exec(comment)?.[1];
  if (reason !== undefined) return { kind: "not-run", reason };
  const code = /^fails with (\d+)$/.exec(comment)?.[1];
  return { kind: "run", code: Number(code ?? 0) };
}
