import type { Row } from "../../local/progress.ts";
import type { Output } from "../io.ts";
import { fitting, formatAge, formatTable } from "../table.ts";

/** Shows rows as they change: redrawn in place on a terminal, one line per change elsewhere. */
export interface ProgressView {
  show(rows: readonly Row[]): void;
}

const header = ["KIND", "NAME", "STATE", "AGE", "WAITING FOR"];

export function progressView(output: Output): ProgressView {
  return output.isTTY ? redrawnTable(output) : changedLines(output);
}

function redrawnTable(output: Output): ProgressView {
  let drawn = 0;
  return {
    show: (rows) => {
      const lines = formatTable(header, rows.map(cells)).split("\n");
      const text = lines.map((line) => fitting(line, output)).join("\n");
      // Up over what was drawn, then clear to the end of the screen.
      const clear = drawn === 0 ? "" : `\u001b[${drawn}A\u001b[J`;
      output.write(clear + text);
      drawn = rows.length + 1;
    },
  };
}

function cells(row: Row): readonly string[] {
  return [row.kind, row.name, row.state, formatAge(row.ageSeconds), row.blocker.split("\n")[0] ?? ""];
}

function changedLines(output: Output): ProgressView {
  const shown = new Map<string, string>();
  return {
    show: (rows) => {
      for (const row of rows) {
        const key = `${row.kind} ${row.name}`;
        const line = `${key}: ${row.state}${row.blocker === "" ? "" : ` (${row.blocker})`}`;
        if (shown.get(key) !== line) output.write(`${line}\n`);
        shown.set(key, line);
      }
    },
  };
}
