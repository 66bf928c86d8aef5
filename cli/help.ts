import type { CommandEntry } from "./command.ts";

/** The list of commands below `path`, as `--help` prints it. */
export function groupHelp(path: readonly string[], entries: readonly CommandEntry[]): string {
  const width = Math.max(...entries.map((entry) => entry.name.length));
  const rows = entries.map((entry) => `  ${entry.name.padEnd(width)}  ${entry.summary}`);
  const name = path.join(" ");
  return `Usage: ${name} COMMAND [flags]\n\nCommands:\n${rows.join("\n")}\n\nRun "${name} COMMAND --help" for the flags of a command.\n`;
}
