/** One fault of an expression. */
export interface Issue {
  readonly at: number;
  readonly text: string;
}

/** An expression that does not compile; its text is laid out as cel-go does. */
export class CompileError extends Error {
  readonly issues: readonly Issue[];

  constructor(source: string, issues: readonly Issue[]) {
    super(issues.map((issue) => formatIssue(source, issue)).join("\n"));
    this.issues = issues;
  }
}

function formatIssue(source: string, { at, text }: Issue): string {
  const before = source.slice(0, at).split("\n");
  const line = source.split("\n")[before.length - 1] ?? "";
  // Columns count code points.
  const column = Array.from(before.at(-1) ?? "").length;
  return `ERROR: <input>:${before.length}:${column + 1}: ${text}\n | ${line}\n | ${".".repeat(column)}^`;
}
