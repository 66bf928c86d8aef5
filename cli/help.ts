import type { CommandEntry } from "./command.ts";

/** The list of commands below `path`, as `--help` prints it. */
export function groupHelp(path: readonly string[], entries: readonly CommandEntry[]): string {
  const width = Math.max(...entries.map((entry) => entry.name.length));
  const rows = entries.map((entry) => `  ${entry.name.padEnd(width)}  ${entry.summary}`);
  const name = path.join(" ");
  return `Usage: ${name} COMMAND [flags]\n\nCommands:\n${rows.join("\n")}\n\nRun "${name} COMMAND --help" for the flags of a command.\n`;
}

/** The known name closest to a mistyped one, or undefined when none is close enough to be meant. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  const ranked = known
    .map((candidate) => ({ candidate, distance: editDistance(name, candidate) }))
    .sort((a, b) => a.distance - b.distance);
  const best = ranked[0];
  return best !== undefined && best.distance <= Math.max(1, Math.floor(name.length / 3)) ? best.candidate : undefined;
}

/** Levenshtein distance, one row at a time. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitution = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(substitution, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
