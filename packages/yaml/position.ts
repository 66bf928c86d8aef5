import type { Position } from "./errors.ts";

/** Line and column, both from 1, of an offset in a text. */
export function positionAt(text: string, offset: number): Position {
  let line = 1;
  let start = 0;
  for (let next = text.indexOf("\n"); next !== -1 && next < offset; next = text.indexOf("\n", next + 1)) {
    line++;
    start = next + 1;
  }
  return { line, column: Math.max(0, offset - start) + 1 };
}
