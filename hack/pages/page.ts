/** A file that `make docs` writes and `make check` compares. */
export interface Page {
  /** Below the project's root. */
  readonly path: string;
  readonly text: () => string | Promise<string>;
}

/** A table in Markdown. Bars in cells are escaped. */
export function table(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(columns), `|${columns.map(() => "---").join("|")}|`, ...rows.map(line)].join("\n");
}

/** Paragraphs with an empty line between them. */
export function paragraphs(...parts: readonly string[]): string {
  return `${parts.join("\n\n")}\n`;
}
